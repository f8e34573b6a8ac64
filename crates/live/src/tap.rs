//! Passes samples from the threads of a run to its follower, so that no thread of the run ever
//! waits.

use crate::emulator::with_sockets;
use narrows_measure::{FlowSample, Follower, LinkSample};
use narrows_units::Time;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Samples that may wait for the follower: many seconds at usual intervals. The follower misses
/// samples without room; the record has them.
const ROOM: usize = 1024;

/// The part of a sample that one thread knows.
enum Piece {
    /// Counts and round trips of flows in the network, and the links.
    Network { flows: Vec<FlowSample>, links: Vec<(usize, LinkSample)> },
    /// The kernel's data on connections, for flows from the number `first` on.
    Sockets { first: usize, flows: Vec<FlowSample> },
}

/// The end into which threads put samples; discards them if there is no follower.
#[derive(Clone, Default)]
pub struct Tap(Option<SyncSender<(Time, Piece)>>);

impl Tap {
    /// Puts the network's part of a sample.
    pub fn network<F: Iterator<Item = FlowSample>, L: Iterator<Item = (usize, LinkSample)>>(
        &self,
        at: Time,
        flows: F,
        links: L,
    ) {
        self.put(at, || Piece::Network { flows: flows.collect(), links: links.collect() });
    }

    /// Puts the kernel's data on connections, for flows from the number `first` on.
    pub fn sockets(&self, at: Time, first: usize, flows: impl Iterator<Item = FlowSample>) {
        self.put(at, || Piece::Sockets { first, flows: flows.collect() });
    }

    fn put(&self, at: Time, piece: impl FnOnce() -> Piece) {
        if let Some(sender) = &self.0 {
            // This wakes no thread, because the receiver does not block.
            let _ = sender.try_send((at, piece()));
        }
    }
}

/// The end that assembles samples for the follower.
pub struct Spout {
    receiver: Receiver<(Time, Piece)>,
    /// Number of flows.
    flows: usize,
    waiting: BTreeMap<Time, Gathered>,
}

/// The emulator's part of a sample: all flows, and links by number.
type OfNetwork = (Vec<FlowSample>, Vec<(usize, LinkSample)>);

/// The parts of a sample that have arrived.
#[derive(Default)]
struct Gathered {
    network: Option<OfNetwork>,
    sockets: Vec<Option<FlowSample>>,
}

/// Makes both ends for a run with `flows` flows; without the second end if `follower` wants no
/// samples.
pub fn tap(flows: usize, follower: &dyn Follower) -> (Tap, Option<Spout>) {
    if !follower.follows() {
        return (Tap::default(), None);
    }
    let (sender, receiver) = sync_channel(ROOM);
    (Tap(Some(sender)), Some(Spout { receiver, flows, waiting: BTreeMap::new() }))
}

impl Spout {
    /// Passes all complete samples to the follower.
    pub fn pour(&mut self, follower: &mut dyn Follower) {
        while let Ok((at, piece)) = self.receiver.try_recv() {
            let gathered = self.waiting.entry(at).or_default();
            gathered.sockets.resize(self.flows, None);
            match piece {
                Piece::Network { flows, links } => gathered.network = Some((flows, links)),
                Piece::Sockets { first, flows } => {
                    gathered
                        .sockets
                        .iter_mut()
                        .skip(first)
                        .zip(flows)
                        .for_each(|(place, sample)| *place = Some(sample));
                }
            }
        }
        while let Some(((network, links), sockets)) = self.next_complete() {
            let flows = network
                .into_iter()
                .zip(sockets)
                .map(|(network, sockets)| with_sockets(network, sockets));
            follower.sampled(&flows.enumerate().collect::<Vec<_>>(), &links);
        }
    }

    /// Removes and returns the earliest complete sample. Drops earlier samples, because a part of
    /// them is lost.
    fn next_complete(&mut self) -> Option<(OfNetwork, Vec<FlowSample>)> {
        let whole = |gathered: &Gathered| {
            gathered.network.is_some() && gathered.sockets.iter().all(Option::is_some)
        };
        let at = *self.waiting.iter().find(|(_, gathered)| whole(gathered))?.0;
        let later = self.waiting.split_off(&at);
        self.waiting = later;
        let Gathered { network, sockets } = self.waiting.remove(&at)?;
        Some((network?, sockets.into_iter().flatten().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_measure::Record;
    use narrows_units::{Bytes, Span};

    /// The received samples: the time, and goodput and window of each flow.
    #[derive(Default)]
    struct Heard(Vec<(Time, Vec<(u64, f64)>)>);

    impl Follower for Heard {
        fn begun(&mut self, _: Record) {}

        fn sampled(&mut self, flows: &[(usize, FlowSample)], _: &[(usize, LinkSample)]) {
            self.0.push((
                flows[0].1.at,
                flows.iter().map(|(_, sample)| (sample.goodput.get(), sample.cwnd)).collect(),
            ));
        }
    }

    fn at(tenth: u64) -> Time {
        Time::ZERO + Span::from_millis(100) * tenth
    }

    fn network(tap: &Tap, tenth: u64) {
        let sample =
            |flow| FlowSample { goodput: Bytes::new(10 * tenth + flow), ..FlowSample::default() };
        tap.network(at(tenth), (0..2).map(sample), std::iter::empty());
    }

    fn sockets(tap: &Tap, tenth: u64, flow: usize) {
        tap.sockets(
            at(tenth),
            flow,
            std::iter::once(FlowSample {
                at: at(tenth),
                cwnd: tenth as f64,
                ..FlowSample::default()
            }),
        );
    }

    #[test]
    fn a_sample_is_told_when_all_threads_have_given_their_part_of_it() {
        let (mut heard, (tap, spout)) = (Heard::default(), tap(2, &Heard::default()));
        let mut spout = spout.expect("somebody follows");
        network(&tap, 1);
        sockets(&tap, 1, 1);
        spout.pour(&mut heard);
        assert_eq!(heard.0, []);
        sockets(&tap, 1, 0);
        // The second sample is never complete, so it is left out.
        sockets(&tap, 2, 0);
        network(&tap, 2);
        for flow in [0, 1] {
            sockets(&tap, 3, flow);
        }
        network(&tap, 3);
        spout.pour(&mut heard);
        assert_eq!(
            heard.0,
            [(at(1), vec![(10, 1.0), (11, 1.0)]), (at(3), vec![(30, 3.0), (31, 3.0)])]
        );
        assert!(spout.waiting.is_empty());
    }

    #[test]
    fn who_does_not_fetch_loses_and_holds_up_nobody() {
        let (tap, spout) = tap(2, &Heard::default());
        (0..10 * ROOM as u64).for_each(|tenth| network(&tap, tenth));
        assert_eq!(spout.expect("somebody follows").receiver.try_iter().count(), ROOM);
        assert!(super::tap(2, &()).1.is_none());
    }
}
