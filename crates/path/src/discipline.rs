//! Queue disciplines: who waits, who is dropped, who is marked, who goes next.

use crate::{
    Codel, DualPi2, Fate, Fifo, FqCodel, Packet, Pie, Rcp, Red, Step, Vcp, Why, Xcp, codel, dualpi2, fifo, fq_codel, pie, rcp, red, step,
    vcp, xcp,
};
use narrows_control::Ecn;
use narrows_control::params::{self, Param, Registered};
use narrows_control::registry::Need;
use narrows_units::{Bytes, Random, Rate, Span, Time};
use std::collections::VecDeque;

/// A queue in front of a transmitter.
///
/// All calls carry the time and come in time order. What a discipline does periodically it does before each call, for every instant that has passed since the
/// last one, in order: so nothing depends on when it is looked at.
pub trait Discipline<P: Packet> {
    /// A packet arrives at `now`. A packet that was dropped at once is gone; `verdicts` hears of others that the arrival pushed out.
    fn enqueue(&mut self, now: Time, packet: P, verdicts: &mut Verdicts<P>) -> Fate;

    /// The transmitter is free at `now` and takes the next packet. `verdicts` hears of those that are dropped or marked on the way.
    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>>;

    /// Bytes waiting; the packet in transmission has left the queue.
    fn bytes(&self) -> Bytes;

    /// Packets waiting.
    fn packets(&self) -> usize;

    /// From `now` on the transmitter sends at this rate; `None` for at once.
    fn set_rate(&mut self, now: Time, rate: Option<Rate>);

    /// The queue holds this much from now on. What waits beyond it stays.
    fn set_limit(&mut self, limit: Limit);
}

/// A packet and when it joined the queue.
#[derive(Clone, Debug)]
pub struct Queued<P> {
    /// When it was enqueued.
    pub at: Time,
    /// The packet.
    pub packet: P,
}

/// What a discipline did to packets that waited already: marks, and the packets dropped.
#[derive(Clone, Debug)]
pub struct Verdicts<P> {
    /// Packets marked CE after they were enqueued.
    pub marked: u64,
    /// Packets dropped after they were enqueued, in order, and why.
    pub dropped: VecDeque<(P, Why)>,
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
    pub fn drop(&mut self, packet: P, why: Why) {
        self.dropped.push_back((packet, why));
    }
}

/// How much a queue holds. The packet in transmission does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// Everything.
    #[default]
    None,
    /// So many bytes.
    Bytes(Bytes),
    /// So many packets.
    Packets(u32),
}

impl Limit {
    /// True if a packet of `size` fits behind `packets` packets of `bytes` together.
    pub fn admits(self, bytes: Bytes, packets: usize, size: Bytes) -> bool {
        match self {
            Limit::None => true,
            Limit::Bytes(limit) => bytes + size <= limit,
            Limit::Packets(limit) => packets < limit as usize,
        }
    }

    /// True if `packets` packets of `bytes` together are too many.
    pub fn exceeded(self, bytes: Bytes, packets: usize) -> bool {
        match self {
            Limit::None => false,
            Limit::Bytes(limit) => bytes > limit,
            Limit::Packets(limit) => packets > limit as usize,
        }
    }
}

/// What a registry line says of a discipline.
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
    /// What can be set.
    pub params: &'static [Param],
}

/// A discipline chosen by name, with its parameters checked: `fifo`, `codel?target=5`.
pub type DisciplineChoice = params::Choice<DisciplineEntry>;

impl Registered for DisciplineEntry {
    const WHAT: &'static str = "queue discipline";
    fn all() -> &'static [&'static DisciplineEntry] {
        DISCIPLINES
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [Param] {
        self.params
    }
}

/// The discipline whose routers give controllers what they need, if any does.
pub fn offering(need: Need) -> Option<&'static DisciplineEntry> {
    DISCIPLINES.iter().copied().find(|entry| entry.offers.contains(&need))
}

/// What a discipline must know of its link.
#[derive(Clone, Debug)]
pub struct DisciplineSetup {
    /// What the buffer holds.
    pub limit: Limit,
    /// The transmitter's rate, on a trace its mean; `None` for at once.
    pub rate: Option<Rate>,
    /// Propagation delay behind the transmitter.
    pub delay: Span,
    /// The discipline's own draws.
    pub random: Random,
}

/// Declares all disciplines once: their list, and the enum through which a link calls them without dynamic dispatch.
macro_rules! disciplines {
    ($($name:ident($type:ty), $entry:expr;)*) => {
        /// Every discipline, in the order in which lists show them.
        pub const DISCIPLINES: &[&DisciplineEntry] = &[$(&$entry),*];

        /// Any of the disciplines.
        #[derive(Clone, Debug)]
        pub enum AnyDiscipline<P> {
            $(#[doc = concat!("[`", stringify!($name), "`].")] $name($type)),*
        }

        impl<P: Packet> AnyDiscipline<P> {
            /// The discipline chosen, empty.
            pub fn new(choice: &DisciplineChoice, setup: &DisciplineSetup) -> AnyDiscipline<P> {
                let params = choice.params();
                $(if choice.entry().name == $entry.name {
                    return AnyDiscipline::$name(<$type>::new(setup, &params));
                })*
                unreachable!("{} is in the registry and not in the enum", choice.entry().name)
            }
        }

        impl<P: Packet> Discipline<P> for AnyDiscipline<P> {
            fn enqueue(&mut self, now: Time, packet: P, verdicts: &mut Verdicts<P>) -> Fate {
                match self { $(AnyDiscipline::$name(queue) => queue.enqueue(now, packet, verdicts)),* }
            }
            fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
                match self { $(AnyDiscipline::$name(queue) => queue.dequeue(now, verdicts)),* }
            }
            fn bytes(&self) -> Bytes {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::bytes(queue)),* }
            }
            fn packets(&self) -> usize {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::packets(queue)),* }
            }
            fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::set_rate(queue, now, rate)),* }
            }
            fn set_limit(&mut self, limit: Limit) {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::set_limit(queue, limit)),* }
            }
        }
    };
}

disciplines! {
    Fifo(Fifo<P>), fifo::ENTRY;
    Codel(Codel<P>), codel::ENTRY;
    FqCodel(FqCodel<P>), fq_codel::ENTRY;
    Pie(Pie<P>), pie::ENTRY;
    Red(Red<P>), red::ENTRY;
    Step(Step<P>), step::ENTRY;
    DualPi2(DualPi2<P>), dualpi2::ENTRY;
    Vcp(Vcp<P>), vcp::ENTRY;
    Xcp(Xcp<P>), xcp::ENTRY;
    Rcp(Rcp<P>), rcp::ENTRY;
}
