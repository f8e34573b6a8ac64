//! Packets in line, with their bytes counted.

use crate::{Limit, Packet, Queued};
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// Packets in the order in which they came: what most disciplines are built around.
#[derive(Clone, Debug)]
pub(crate) struct Buffer<P> {
    queue: VecDeque<Queued<P>>,
    bytes: Bytes,
}

impl<P> Default for Buffer<P> {
    fn default() -> Buffer<P> {
        Buffer { queue: VecDeque::new(), bytes: Bytes::ZERO }
    }
}

impl<P: Packet> Buffer<P> {
    #[inline]
    pub(crate) fn push(&mut self, at: Time, packet: P) {
        self.bytes += packet.size();
        self.queue.push_back(Queued { at, packet });
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Queued<P>> {
        let head = self.queue.pop_front()?;
        self.bytes -= head.packet.size();
        Some(head)
    }

    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }

    pub(crate) fn packets(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(crate) fn head(&self) -> Option<&Queued<P>> {
        self.queue.front()
    }

    /// How long the packet at the head has waited; zero if there is none.
    pub(crate) fn sojourn(&self, now: Time) -> Span {
        self.queue.front().map_or(Span::ZERO, |head| now.since(head.at))
    }

    /// True if a packet of `size` fits.
    pub(crate) fn admits(&self, limit: Limit, size: Bytes) -> bool {
        limit.admits(self.bytes, self.queue.len(), size)
    }
}
