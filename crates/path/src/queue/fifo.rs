//! First in, first out, tail drop.

use crate::queue::buffer::Buffer;
use crate::{Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued, Verdicts};
use narrows_params::Params;
use narrows_units::{Bytes, Rate, Time};

/// The registry line.
pub(crate) const ENTRY: DisciplineEntry = DisciplineEntry {
    name: "fifo",
    summary: "first in, first out; drops what does not fit (tail drop)",
    source: "RFC 7567, section 2.1",
    offers: &[],
    params: &[],
};

/// A drop-tail queue.
#[derive(Clone, Debug)]
pub struct Fifo<P> {
    limit: Limit,
    queue: Buffer<P>,
}

impl<P> Fifo<P> {
    /// An empty queue that holds the setup's limit.
    pub fn new(setup: &DisciplineSetup, _params: &Params) -> Fifo<P> {
        Fifo { limit: setup.limit, queue: Buffer::default() }
    }
}

impl<P: Packet> Discipline<P> for Fifo<P> {
    fn enqueue(&mut self, now: Time, packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        if !self.queue.admits(self.limit, packet.size()) {
            return Fate::Dropped(DropReason::Full);
        }
        self.queue.push(now, packet);
        Fate::Queued
    }

    fn dequeue(&mut self, _now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.queue.pop()
    }

    fn bytes(&self) -> Bytes {
        self.queue.bytes()
    }

    fn packets(&self) -> usize {
        self.queue.packets()
    }

    fn set_rate(&mut self, _now: Time, _rate: Option<Rate>) {}

    fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }
}
