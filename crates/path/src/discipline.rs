//! Queue disciplines: who waits, who is dropped, who is marked, who goes next.

use crate::{Fate, Fifo, Packet};
use narrows_units::{Bytes, Time};

/// A queue in front of a transmitter.
pub trait Discipline<P: Packet> {
    /// A packet arrives at `now`. A dropped packet is gone.
    fn enqueue(&mut self, now: Time, packet: P) -> Fate;

    /// The transmitter is free at `now` and takes the next packet.
    fn dequeue(&mut self, now: Time) -> Option<Queued<P>>;

    /// Bytes waiting; the packet in transmission has left the queue.
    fn bytes(&self) -> Bytes;

    /// Packets waiting.
    fn packets(&self) -> usize;
}

/// A packet and when it joined the queue.
#[derive(Clone, Debug)]
pub struct Queued<P> {
    /// When it was enqueued.
    pub at: Time,
    /// The packet.
    pub packet: P,
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
}

/// What a registry line says of a discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisciplineEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
}

/// Declares all disciplines once: their list, and the enum through which a link calls them without dynamic dispatch.
macro_rules! disciplines {
    ($($name:ident($type:ty), $text:literal, $summary:literal, $source:literal;)*) => {
        /// Every discipline, in the order in which lists show them.
        pub const DISCIPLINES: &[DisciplineEntry] = &[$(DisciplineEntry { name: $text, summary: $summary, source: $source }),*];

        /// Any of the disciplines.
        #[derive(Clone, Debug)]
        pub enum AnyDiscipline<P> {
            $(#[doc = $summary] $name($type)),*
        }

        impl<P: Packet> Discipline<P> for AnyDiscipline<P> {
            fn enqueue(&mut self, now: Time, packet: P) -> Fate {
                match self { $(AnyDiscipline::$name(queue) => queue.enqueue(now, packet)),* }
            }
            fn dequeue(&mut self, now: Time) -> Option<Queued<P>> {
                match self { $(AnyDiscipline::$name(queue) => queue.dequeue(now)),* }
            }
            fn bytes(&self) -> Bytes {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::bytes(queue)),* }
            }
            fn packets(&self) -> usize {
                match self { $(AnyDiscipline::$name(queue) => Discipline::<P>::packets(queue)),* }
            }
        }
    };
}

disciplines! {
    Fifo(Fifo<P>), "fifo", "first in, first out; drops what does not fit (tail drop)", "RFC 7567, section 2.1";
}
