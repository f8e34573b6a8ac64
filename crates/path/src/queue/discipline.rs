//! Queue disciplines: who waits, who is dropped, who is marked, who goes next.

use super::backlog::{Backlog, Limit};
use crate::Packet;
use narrows_params::{Need, Spec};
use narrows_units::{Random, Rate, Span, Time};
use narrows_wire::Ecn;
use std::collections::VecDeque;

/// A queue in front of a transmitter.
///
/// All calls carry the time and come in time order. A discipline does periodic work
/// before each call, for every instant that has passed since the last one, in order: so nothing
/// depends on when it is looked at.
pub trait Discipline<P: Packet> {
    /// A packet arrives at `now`. A packet that was dropped at once is gone; `verdicts` hears of
    /// others that the arrival pushed out.
    fn enqueue(&mut self, now: Time, packet: P, verdicts: &mut Verdicts<P>) -> Fate;

    /// The transmitter is free at `now` and takes the next packet. `verdicts` hears of those that
    /// are dropped or marked on the way.
    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>>;

    /// True if an empty queue has no memory and takes each packet that fits as it is: then a packet
    /// that finds nothing waiting and the transmitter free goes past it, and it is not asked at
    /// departures after which nothing waits. Not for one that keeps an average, a state or a clock,
    /// like RED, CoDel or PIE.
    fn may_be_passed(&self) -> bool {
        false
    }

    /// Waiting packets; the packet in transmission has left the queue.
    fn backlog(&self) -> &Backlog;

    /// The backlog, to change its limit.
    fn backlog_mut(&mut self) -> &mut Backlog;

    /// From `now` on the transmitter sends at this rate; `None` for at once.
    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        let _ = (now, rate);
    }

    /// The queue holds this much from now on. Waiting packets beyond it stay.
    fn set_limit(&mut self, limit: Limit) {
        self.backlog_mut().set_limit(limit);
    }
}

/// The fate of a packet offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It waits or is on its way.
    Queued,
    /// It waits or is on its way, marked CE.
    Marked,
    /// It is gone.
    Dropped(DropReason),
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// By the loss model.
    Loss,
    /// The buffer was full.
    Full,
    /// The discipline dropped it to signal congestion.
    Early,
}

/// A packet and when it joined the queue.
#[derive(Clone, Debug)]
pub struct Queued<P> {
    /// When it was enqueued.
    pub at: Time,
    /// The packet.
    pub packet: P,
}

/// The actions of a discipline on packets that waited already: marks, and the packets dropped.
#[derive(Clone, Debug)]
pub struct Verdicts<P> {
    /// Packets marked CE after they were enqueued.
    pub marked: u64,
    /// Packets dropped after they were enqueued, in order, and why.
    pub dropped: VecDeque<(P, DropReason)>,
}

impl<P> Default for Verdicts<P> {
    fn default() -> Verdicts<P> {
        Verdicts { marked: 0, dropped: VecDeque::new() }
    }
}

impl<P: Packet> Verdicts<P> {
    /// Marks a packet CE and counts it.
    pub fn mark(&mut self, packet: &mut P) {
        packet.set_ecn(Ecn::Ce);
        self.marked += 1;
    }

    /// A packet is dropped.
    pub fn drop(&mut self, packet: P, why: DropReason) {
        self.dropped.push_back((packet, why));
    }
}

/// The registry line of a discipline.
#[derive(Clone, Copy)]
pub struct DisciplineEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// Signals that it gives to controllers of the flows that cross it.
    pub offers: &'static [Need],
    /// Its parameters.
    pub params: &'static [Spec],
}

/// A discipline chosen by name, with its parameters checked: `fifo`, `codel?target=5`.
pub type DisciplineChoice = narrows_params::Choice<DisciplineEntry>;

/// The setup of a link that a discipline must know.
#[derive(Clone, Debug)]
pub struct DisciplineSetup {
    /// The size of the buffer.
    pub limit: Limit,
    /// The transmitter's rate, on a trace its mean; `None` for at once.
    pub rate: Option<Rate>,
    /// Propagation delay behind the transmitter.
    pub delay: Span,
    /// The discipline's own draws.
    pub random: Random,
}
