//! Numbered transmissions: each has one fate, and what is late is told from what is lost.

use crate::common::{Rig, at};
use narrows_control::{CaState, Congestion};
use narrows_transport::{AckFormat, Data, Receiver, Transport};
use narrows_units::Bytes;
use narrows_wire::Ecn;

fn numbered() -> Transport {
    Transport { acks: AckFormat::Numbered, quick_acks: 0, ..Transport::default() }
}

fn rig(window: f64) -> Rig {
    let mut rig = Rig::with(window, &numbered());
    rig.sender.write(u64::MAX);
    rig
}

/// The numbers of transmissions that leave.
fn packets(rig: &mut Rig, ms: u64) -> Vec<(u32, u64)> {
    rig.send(at(ms)).iter().map(|data| (data.packet, data.number)).collect()
}

/// Shows RFC 9002 section 6.1.1: "implementations SHOULD NOT use a packet threshold less than 3"
#[test]
fn a_retransmission_has_a_number_of_its_own() {
    let mut rig = rig(10.0);
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 8.0;
    let heard = rig.sack(100, 0, &[(1, 4)]);
    // Number 3 has arrived, three above 0 (RFC 9002 section 6.1.1).
    assert_eq!(
        (heard.lost, heard.congestion, heard.ca_state),
        (vec![0], Some(Congestion::Loss), CaState::Recovery)
    );
    assert_eq!(packets(&mut rig, 100)[0], (10, 0));
    let heard = rig.sack(200, 0, &[(10, 11), (1, 4)]);
    assert_eq!(
        heard.acked.iter().map(|acked| (acked.number, acked.tag.0)).collect::<Vec<_>>(),
        [(0, 11)],
        "the 11th transmission, of segment 0"
    );
    assert_eq!(
        heard.rtt,
        Some(narrows_units::Span::from_millis(100)),
        "no doubt which transmission it was"
    );
}

/// Shows RFC 9002 section 6.1.2: "an endpoint SHOULD declare an earlier packet lost if it was sent
/// a threshold amount of time in the past"
///
/// Shows RFC 9002 section 6.1.2: "then a timer SHOULD be set for the remaining time"
#[test]
fn what_is_within_three_is_lost_after_nine_eighths_of_a_round_trip() {
    let mut rig = Rig::with(3.0, &numbered());
    rig.sender.write(3);
    rig.numbers(0);
    assert_eq!(rig.sack(80, 0, &[(1, 2)]).lost, []);
    assert_eq!(rig.sender.next_timer(), Some(at(90)));
    rig.run_until(90);
    assert_eq!(rig.script.lock().unwrap().reductions(), [Congestion::Loss]);
}

/// Without a round trip to speak of.
///
/// Shows RFC 9002 section 6.1.2: "this time threshold MUST be set to at least the local timer
/// granularity"
#[test]
fn on_a_short_path_losses_wait_for_a_millisecond() {
    let mut rig = Rig::with(3.0, &numbered());
    rig.sender.write(3);
    rig.numbers(0);
    assert_eq!(rig.sack(0, 0, &[(1, 2)]).lost, []);
    assert_eq!(rig.sender.next_timer(), Some(at(1)));
}

/// The original arrives after all: its loss was reported and stays so, the reduction is undone, and
/// four places late are tolerated from then on.
#[test]
fn a_late_acknowledgement_undoes_the_reduction_and_reports_nothing_twice() {
    let mut rig = rig(10.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 4)]);
    let heard = rig.sack(101, 0, &[(0, 4)]);
    assert!(heard.acked.is_empty() && heard.lost.is_empty());
    assert_eq!((heard.ca_state, rig.script.lock().unwrap().undone), (CaState::Open, 1));
    rig.window(10.0);
    rig.sack(102, 4, &[(0, 5)]);
    assert!(
        packets(&mut rig, 102).iter().all(|(packet, number)| *packet as u64 == *number),
        "nothing is repeated"
    );
    assert_eq!(rig.sack(103, 5, &[(6, 9), (0, 5)]).lost, [], "three beyond it prove nothing now");
    let script = rig.script.lock().unwrap();
    let mut tags: Vec<u32> = script.fates.iter().map(|(tag, _)| *tag).collect();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), script.fates.len(), "one fate each");
}

#[test]
fn a_reduction_that_was_needed_in_part_stays() {
    let mut rig = rig(20.0);
    rig.numbers(0);
    assert_eq!(rig.sack(100, 0, &[(2, 10)]).lost, [0, 1]);
    rig.sack(101, 0, &[(2, 11), (0, 1)]);
    assert_eq!(rig.script.lock().unwrap().undone, 0, "one of two was late");
}

/// Shows RFC 9002 section 6.2: "MUST NOT cause prior unacknowledged packets to be marked as lost"
///
/// Shows RFC 9002 section 6.2.1: "A sender SHOULD restart its PTO timer every time an ack-eliciting
/// packet is sent or acknowledged"
///
/// Shows RFC 9002 section 6.2.1: "the PTO backoff MUST be increased, resulting in the PTO period
/// being set to twice its current value"
///
/// Shows RFC 9002 section 6.2.4: "a sender MUST send at least one ack-eliciting packet in the
/// packet number space as a probe"
#[test]
fn silence_makes_probes_and_no_losses() {
    let mut rig = rig(4.0);
    rig.numbers(0);
    rig.sack(100, 4, &[(0, 4)]);
    rig.window(4.0);
    rig.numbers(100);
    // One round trip of 100 ms: a timeout of 100 + 4 x 50 + 40 ms, by which acknowledgements are
    // delayed, after the latest transmission, then twice as long.
    assert_eq!(
        rig.run_until(1_200).iter().map(|(time, _)| *time).collect::<Vec<_>>(),
        [at(440), at(1_120)]
    );
    let script = rig.script.lock().unwrap();
    assert!(script.timeouts.is_empty() && script.fates.iter().all(|(_, acked)| *acked));
}

/// Losses in a row span more than three timeouts (RFC 9002 section 7.6).
///
/// Shows RFC 9002 section 7.6.2: "the sender's congestion window MUST be reduced to the minimum
/// congestion window (kMinimumWindow)"
#[test]
fn losses_over_three_timeouts_collapse_the_window() {
    let mut rig = rig(4.0);
    rig.numbers(0);
    rig.sack(100, 4, &[(0, 4)]);
    rig.window(4.0);
    rig.numbers(100);
    rig.run_until(5_300);
    // Probes at 440, 1,120, 2,480 and 5,200 ms; the last is acknowledged.
    let last = rig.sender.counters().sent - 1;
    rig.sack(5_300, 4, &[(last, last + 1)]);
    assert_eq!(rig.script.lock().unwrap().timeouts.len(), 1);
    assert_eq!(rig.sender.ca_state(), CaState::Loss);
}

/// RFC 9002 section 6.2.1: what arrives ends the back-off, though a round trip that a probe is part
/// of is not what a timeout was.
#[test]
fn an_acknowledgement_ends_the_back_off() {
    let mut rig = rig(4.0);
    rig.numbers(0);
    rig.sack(100, 4, &[(0, 4)]);
    rig.window(4.0);
    rig.numbers(100);
    rig.run_until(1_200);
    rig.sack(1_200, 4, &[(4, 5)]);
    let next = rig.run_until(3_000).first().map(|(time, _)| *time).expect("a probe");
    // The sample of 1,100 ms makes a timeout of 225 + 4 x 287.5 + 40 ms; the back-off would make it
    // four times that.
    assert!(next <= at(1_200 + 1_415), "{next:?}");
}

#[test]
fn the_receiver_names_the_latest_ranges_and_gaps_at_once() {
    let mut receiver = Receiver::new(&numbered());
    let mut take = |packet: u32, number: u64| {
        let data = Data {
            number,
            bytes: Bytes::new(1448),
            stamp: at(0),
            packet,
            acked: 0,
            retransmission: false,
            cwr: false,
        };
        let ack = receiver.on_data(at(packet as u64), &data, Ecn::NotEct, None);
        ack.map(|ack| {
            (ack.next, ack.blocks.iter().map(|block| (block.start, block.end)).collect::<Vec<_>>())
        })
    };
    assert_eq!(take(0, 0), None, "one of two");
    assert_eq!(take(1, 1), Some((2, vec![(0, 2)])));
    assert_eq!(take(3, 3), Some((2, vec![(3, 4), (0, 2)])));
    assert_eq!(take(6, 2), Some((4, vec![(6, 7), (3, 4), (0, 2)])), "segment 2 under a new number");
    assert_eq!(take(9, 9), Some((4, vec![(9, 10), (6, 7), (3, 4)])));
    assert_eq!(take(7, 7), Some((4, vec![(6, 8), (9, 10), (3, 4)])));
}
