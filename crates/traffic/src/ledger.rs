//! The transfers under way on a connection.

use crate::action::Message;
use std::collections::VecDeque;

/// The transfers that are under way on one connection, or as datagrams. A world keeps one for each.
///
/// Every packet touches what comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Ledger {
    /// Where the first of them ends.
    awaited: u64,
    /// Where the latest ends or ended.
    end: u64,
    pub(crate) pending: VecDeque<Pending>,
}

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) message: Message,
    /// One past its last position in the stream, or its last datagram.
    pub(crate) end: u64,
    /// Of datagrams: how many of it have neither arrived nor been dropped.
    pub(crate) left: u64,
    /// Of datagrams: some were dropped.
    pub(crate) broken: bool,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger { awaited: u64::MAX, end: 0, pending: VecDeque::new() }
    }
}

impl Ledger {
    /// Of a new connection.
    pub fn new() -> Ledger {
        Ledger::default()
    }

    /// True if a delivery in order up to `position`, not included, completes a transfer: then
    /// [`Application::delivered`](crate::Application::delivered) must be told. Cheap enough to be
    /// asked for each packet.
    #[inline]
    pub fn awaits(&self, position: u64) -> bool {
        position >= self.awaited
    }

    /// Where in the stream the latest message ends or ended; 0 before the first. A flood begins
    /// there.
    pub fn end(&self) -> u64 {
        self.end
    }

    pub(crate) fn expect(&mut self, pending: Pending) {
        self.end = pending.end;
        self.pending.push_back(pending);
        self.awaited = self.pending[0].end;
    }

    /// The first transfer, if a delivery up to `position` completes it.
    pub(crate) fn next_complete(&mut self, position: u64) -> Option<Message> {
        let message = self
            .pending
            .front()
            .filter(|first| first.end <= position)
            .map(|first| first.message)?;
        self.pending.pop_front();
        self.awaited = self.pending.front().map_or(u64::MAX, |first| first.end);
        Some(message)
    }

    /// The message with this number, if it is under way: it is no longer.
    pub(crate) fn take(&mut self, number: u64) -> Option<Message> {
        let place = self.pending.partition_point(|pending| pending.end <= number);
        self.pending.get(place).filter(|pending| pending.end == number + 1)?;
        let message = self.pending.remove(place).map(|pending| pending.message);
        self.awaited = self.pending.front().map_or(u64::MAX, |first| first.end);
        message
    }

    /// The datagram with this number has arrived or been dropped: the message that this settles,
    /// and whether it is whole.
    pub(crate) fn settle(&mut self, number: u64, arrived: bool) -> Option<(Message, bool)> {
        let place = self.pending.partition_point(|pending| pending.end <= number);
        let pending = self.pending.get_mut(place)?;
        pending.left -= 1;
        pending.broken |= !arrived;
        if pending.left > 0 {
            return None;
        }
        self.pending.remove(place).map(|pending| (pending.message, !pending.broken))
    }
}
