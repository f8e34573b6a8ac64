//! Packets in line, with their bytes counted.

use crate::{Backlog, DropReason, Fate, Limit, Packet, Queued};
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// Packets in the order in which they came, up to a limit: what most disciplines are built around.
#[derive(Clone, Debug)]
pub(crate) struct Buffer<P> {
    queue: VecDeque<Queued<P>>,
    backlog: Backlog,
}

impl<P> Buffer<P> {
    pub(crate) fn new(limit: Limit) -> Buffer<P> {
        Buffer { queue: VecDeque::new(), backlog: Backlog::new(limit) }
    }
}

impl<P: Packet> Buffer<P> {
    /// The packet joins if it fits.
    #[inline]
    pub(crate) fn offer(&mut self, at: Time, packet: P) -> Fate {
        if !self.admits(packet.size()) {
            return Fate::Dropped(DropReason::Full);
        }
        self.push(at, packet);
        Fate::Queued
    }

    /// The packet joins, whether it fits or not.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, packet: P) {
        self.backlog.add(packet.size());
        self.queue.push_back(Queued { at, packet });
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Queued<P>> {
        let head = self.queue.pop_front()?;
        self.backlog.remove(head.packet.size());
        Some(head)
    }

    /// The packet that came last leaves.
    pub(crate) fn pop_youngest(&mut self) -> Option<Queued<P>> {
        let youngest = self.queue.pop_back()?;
        self.backlog.remove(youngest.packet.size());
        Some(youngest)
    }

    pub(crate) fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    pub(crate) fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    pub(crate) fn bytes(&self) -> Bytes {
        self.backlog.bytes()
    }

    pub(crate) fn packets(&self) -> usize {
        self.backlog.packets()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(crate) fn head(&self) -> Option<&Queued<P>> {
        self.queue.front()
    }

    /// How long the packet at the head has waited; zero if the buffer is empty.
    pub(crate) fn sojourn(&self, now: Time) -> Span {
        self.queue.front().map_or(Span::ZERO, |head| now.since(head.at))
    }

    /// True if a packet of `size` fits.
    pub(crate) fn admits(&self, size: Bytes) -> bool {
        self.backlog.admits(size)
    }
}
