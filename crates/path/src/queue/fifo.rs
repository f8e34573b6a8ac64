//! First in, first out, tail drop.

use crate::queue::buffer::Buffer;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, Fate, Packet, Queued, Verdicts,
};
use narrows_params::Params;
use narrows_units::Time;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "fifo",
    summary: "first in, first out; drops at a full buffer (tail drop)",
    source: "RFC 7567, section 2.1",
    offers: &[],
    params: &[],
};

/// A drop-tail queue.
#[derive(Clone, Debug)]
pub struct Fifo<P> {
    queue: Buffer<P>,
}

impl<P> Fifo<P> {
    /// An empty queue that holds the setup's limit.
    pub fn new(setup: &DisciplineSetup, _params: &Params) -> Fifo<P> {
        Fifo { queue: Buffer::new(setup.limit) }
    }
}

impl<P: Packet> Discipline<P> for Fifo<P> {
    fn enqueue(&mut self, now: Time, packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.queue.offer(now, packet)
    }

    fn dequeue(&mut self, _now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.queue.pop()
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }
}
