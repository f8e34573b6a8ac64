//! Which packets count to which interval, where every packet's fate is known.

use super::*;
use crate::CaState;
use narrows_cores::pcc::Association;
use narrows_units::Random;
use std::collections::VecDeque;

/// Counts of the intervals of probes: packets that left in each, and packets accounted to it.
struct Counts {
    sent: u32,
    accounted: u32,
}

/// The consequence of a timeout: two pairs of probes.
fn probe(core: &mut Core<Allegro>, input: Input) {
    for recovery in [CaState::Loss, CaState::Open] {
        core.next(Event::State, &Input { recovery: crate::cores::recovery(recovery), ..input });
    }
}

/// A connection of 60 packets on the way, `each` of which are acknowledged at a time, until so many
/// probes are complete.
fn probes(constants: Allegro, each: usize, mut count: usize) -> Vec<Counts> {
    let mut random = Random::stream(1, "association");
    // A base of 0 would say that no interval has begun.
    let mut input = Input { random: 5, sent: 1, ..input() };
    let mut core = begun(constants, &input);
    probe(&mut core, input);
    // How many were delivered when each packet left.
    let mut way: VecDeque<u32> = VecDeque::new();
    let mut counts = Vec::new();
    while count > 0 {
        while way.len() < 60 {
            way.push_back(input.delivered);
            input.sent += 1;
        }
        let newest = way.drain(..each).next_back().expect("some are acknowledged");
        input.delivered += each as u32;
        (input.sampled, input.prior_delivered) = (1, newest);
        (input.in_flight, input.now) = (way.len() as u32, input.now + 500 * each as u64);
        input.random = random.bits() as u32;
        let before = core.state.receiving;
        core.next(Event::Ack, &input);
        // The fourth makes a decision, which forgets all four.
        if core.state.receiving > before {
            let interval = core.state.intervals[before as usize];
            counts.push(Counts {
                sent: interval.end - interval.base,
                accounted: interval.delivered + interval.lost,
            });
            count -= 1;
        }
        if core.state.phase != PROBING {
            probe(&mut core, input);
        }
    }
    counts
}

/// Each packet acknowledged by itself: all of an interval's packets are accounted to it, and with
/// the module's counts 10 fewer.
#[test]
fn rate_samples_tell_the_interval_of_every_packet() {
    let delivered = Allegro { association: Association::ByDelivered as u32, ..ALLEGRO_CONSTANTS };
    for counts in probes(delivered, 1, 100) {
        assert_eq!(counts.accounted, counts.sent);
    }
    for counts in probes(ALLEGRO_CONSTANTS, 1, 100) {
        assert!(
            (9..=11).contains(&(counts.sent - counts.accounted)),
            "{} of {}",
            counts.accounted,
            counts.sent
        );
    }
}

/// An acknowledgement for several packets counts where the latest of them left: an interval is off
/// by less than that.
#[test]
fn an_acknowledgement_of_several_packets_counts_where_the_latest_left() {
    let delivered = Allegro { association: Association::ByDelivered as u32, ..ALLEGRO_CONSTANTS };
    for counts in probes(delivered, 5, 100) {
        assert!(
            counts.accounted.abs_diff(counts.sent) < 5,
            "{} of {}",
            counts.accounted,
            counts.sent
        );
    }
}
