//! A tail-drop queue in which acknowledgements may leave before data.

use crate::queue::buffer::Buffer;
use crate::{Backlog, DropReason, Fate, Limit, Packet, Queued};
use narrows_units::{Bytes, Time};

/// Packets in the order in which they came, acknowledgements first if so wanted; both count against one limit.
#[derive(Clone, Debug)]
pub(crate) struct AcksFirst<P> {
    backlog: Backlog,
    data: Buffer<P>,
    /// Acknowledgements, if they leave first.
    acks: Option<Buffer<P>>,
}

impl<P> AcksFirst<P> {
    pub(crate) fn new(limit: Limit, priority: bool) -> AcksFirst<P> {
        AcksFirst { backlog: Backlog::new(limit), data: Buffer::new(Limit::None), acks: priority.then(|| Buffer::new(Limit::None)) }
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
}

impl<P: Packet> AcksFirst<P> {
    /// The packet joins if it fits; `ack` tells whether it is an acknowledgement.
    #[inline]
    pub(crate) fn offer(&mut self, at: Time, packet: P, ack: bool) -> Fate {
        if !self.backlog.admits(packet.size()) {
            return Fate::Dropped(DropReason::Full);
        }
        self.backlog.add(packet.size());
        match &mut self.acks {
            Some(acks) if ack => acks.push(at, packet),
            _ => self.data.push(at, packet),
        }
        Fate::Queued
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Queued<P>> {
        let first = self.acks.as_mut().and_then(Buffer::pop);
        let head = first.or_else(|| self.data.pop())?;
        self.backlog.remove(head.packet.size());
        Some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{Small, ms};
    use narrows_wire::Ecn;

    #[test]
    fn both_kinds_share_one_limit() {
        for priority in [false, true] {
            let mut queue = AcksFirst::new(Limit::Packets(2), priority);
            let mut offer = |id, ack| queue.offer(ms(1), Small { id, size: 40, ecn: Ecn::NotEct, flow: 0, header: None }, ack);
            assert_eq!([offer(0, false), offer(1, true)], [Fate::Queued; 2]);
            assert_eq!([offer(2, false), offer(3, true)], [Fate::Dropped(DropReason::Full); 2]);
            assert_eq!(queue.bytes(), Bytes::new(80));
            let order = [(); 3].map(|_| queue.pop().map(|head| head.packet.id));
            assert_eq!(order, if priority { [Some(1), Some(0), None] } else { [Some(0), Some(1), None] });
        }
    }
}
