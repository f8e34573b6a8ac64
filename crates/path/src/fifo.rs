//! First in, first out, tail drop.

use crate::{Discipline, Fate, Limit, Packet, Queued, Why};
use narrows_units::{Bytes, Time};
use std::collections::VecDeque;

/// A drop-tail queue.
#[derive(Clone, Debug)]
pub struct Fifo<P> {
    limit: Limit,
    queue: VecDeque<Queued<P>>,
    bytes: Bytes,
}

impl<P> Fifo<P> {
    /// An empty queue that holds `limit`.
    pub fn new(limit: Limit) -> Fifo<P> {
        Fifo { limit, queue: VecDeque::new(), bytes: Bytes::ZERO }
    }

    /// How much it holds.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Holds `limit` from now on. What waits stays, whatever the limit.
    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }
}

impl<P: Packet> Discipline<P> for Fifo<P> {
    fn enqueue(&mut self, now: Time, packet: P) -> Fate {
        if !self.limit.admits(self.bytes, self.queue.len(), packet.size()) {
            return Fate::Dropped(Why::Full);
        }
        self.bytes += packet.size();
        self.queue.push_back(Queued { at: now, packet });
        Fate::Queued
    }

    fn dequeue(&mut self, _now: Time) -> Option<Queued<P>> {
        let head = self.queue.pop_front()?;
        self.bytes -= head.packet.size();
        Some(head)
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }

    fn packets(&self) -> usize {
        self.queue.len()
    }
}
