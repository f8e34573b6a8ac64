//! Takes samples from the threads of a run to whoever follows it, in a way that no thread of the run ever waits for.

use crate::emulator::with_sockets;
use narrows_measure::{FlowSample, Follower, LinkSample};
use narrows_units::Time;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Samples that may wait to be fetched: those of many seconds, at usual intervals. What comes when there is no more room is lost to the
/// follower; the record has it.
const ROOM: usize = 1024;

/// What a thread knows of one sample.
enum Piece {
    /// What arrived, was sent and was dropped in the network, and the round trips there.
    Network { flows: Vec<FlowSample>, links: Vec<(usize, LinkSample)> },
    /// What the kernel tells of the connections of flows from the number `first` on.
    Sockets { first: usize, flows: Vec<FlowSample> },
}

/// Where a thread puts its samples; nowhere if nobody follows.
#[derive(Clone, Default)]
pub struct Tap(Option<SyncSender<(Time, Piece)>>);

impl Tap {
    /// Puts there what the network knows at a sample.
    pub fn network<F: Iterator<Item = FlowSample>, L: Iterator<Item = (usize, LinkSample)>>(
        &self,
        at: Time,
        flows: F,
        links: L,
    ) {
        self.put(at, || Piece::Network { flows: flows.collect(), links: links.collect() });
    }

    /// Puts there what the kernel tells of the connections of flows from the number `first` on.
    pub fn sockets(&self, at: Time, first: usize, flows: impl Iterator<Item = FlowSample>) {
        self.put(at, || Piece::Sockets { first, flows: flows.collect() });
    }

    fn put(&self, at: Time, piece: impl FnOnce() -> Piece) {
        if let Some(sender) = &self.0 {
            // Nobody sleeps at the other end, so this wakes nobody.
            let _ = sender.try_send((at, piece()));
        }
    }
}

/// The other end: puts samples together.
pub struct Spout {
    receiver: Receiver<(Time, Piece)>,
    /// Flows of the run.
    flows: usize,
    waiting: BTreeMap<Time, Gathered>,
}

/// What the emulator tells of a moment: every flow, and links by number.
type OfNetwork = (Vec<FlowSample>, Vec<(usize, LinkSample)>);

/// The pieces of one sample that have come.
#[derive(Default)]
struct Gathered {
    network: Option<OfNetwork>,
    sockets: Vec<Option<FlowSample>>,
}

/// A tap, and the other end, for a run of so many flows; without an end if `follower` follows nothing.
pub fn tap(flows: usize, follower: &dyn Follower) -> (Tap, Option<Spout>) {
    if !follower.follows() {
        return (Tap::default(), None);
    }
    let (sender, receiver) = sync_channel(ROOM);
    (Tap(Some(sender)), Some(Spout { receiver, flows, waiting: BTreeMap::new() }))
}

impl Spout {
    /// Tells of the samples that have become complete.
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

    /// The earliest sample of which all pieces have come. Of those before it some piece is lost.
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

    /// What it has heard: the time, and of each flow goodput and window.
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
        // The second is never whole: it is left out.
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
