//! A tail-drop queue of two classes: packets in one line, one class first, or each class by its
//! share of the link.

use crate::queue::buffer::Buffer;
use crate::{Backlog, DropReason, Fate, Limit, Packet, Queued};
use narrows_units::{Bytes, Time};

/// Which class a packet belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// It takes part in what the router does.
    Member,
    /// An acknowledgement, or a packet of a flow that the router does not steer.
    Other,
}

/// The order of departures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// In order of arrival.
    Arrival,
    /// The others.
    OthersFirst,
    /// Each class has a share of the link, and the whole while the other class is empty.
    Shares,
}

/// Both classes, which count against one limit.
#[derive(Clone, Debug)]
pub(crate) struct Classes<P> {
    backlog: Backlog,
    members: Buffer<P>,
    /// The others, unless they stand in the members' line.
    others: Option<Buffer<P>>,
    turns: Option<Turns>,
}

/// The turn when both classes wait.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// The members' share of the link, from 0 to 1.
    share: f64,
    /// Bytes that the others are behind their share.
    owed: f64,
}

impl<P> Classes<P> {
    pub(crate) fn new(limit: Limit, order: Order) -> Classes<P> {
        Classes {
            backlog: Backlog::new(limit),
            members: Buffer::new(Limit::None),
            others: (order != Order::Arrival).then(|| Buffer::new(Limit::None)),
            turns: (order == Order::Shares).then_some(Turns { share: 0.5, owed: 0.0 }),
        }
    }

    pub(crate) fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    pub(crate) fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    /// The members' share of the link from now on, from 0 to 1; without effect in other orders.
    pub(crate) fn set_share(&mut self, share: f64) {
        debug_assert!((0.0..=1.0).contains(&share), "a share of {share}");
        if let Some(turns) = &mut self.turns {
            turns.share = share;
        }
    }
}

impl<P: Packet> Classes<P> {
    pub(crate) fn bytes(&self) -> Bytes {
        self.backlog.bytes()
    }

    /// Bytes of members that wait in a line of their own; in the order of arrival all bytes.
    pub(crate) fn member_bytes(&self) -> Bytes {
        self.members.bytes()
    }

    /// The packet joins if it fits. Where classes have shares of the link, the others have at most
    /// their share of the buffer.
    #[inline]
    pub(crate) fn offer(&mut self, at: Time, packet: P, class: Class) -> Fate {
        let size = packet.size();
        let fits = match (self.turns, &self.others) {
            (Some(turns), Some(others)) if class == Class::Other => {
                self.backlog.limit().scaled(1.0 - turns.share).admits(
                    others.bytes(),
                    others.packets(),
                    size,
                ) && self.backlog.admits(size)
            }
            _ => self.backlog.admits(size),
        };
        if !fits {
            return Fate::Dropped(DropReason::Full);
        }
        self.backlog.add(size);
        match &mut self.others {
            Some(others) if class == Class::Other => others.push(at, packet),
            _ => self.members.push(at, packet),
        }
        Fate::Queued
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Queued<P>> {
        let others_next =
            self.turns.is_none_or(|turns| turns.owed > 0.0 || self.members.is_empty());
        let other = if others_next { self.others.as_mut().and_then(Buffer::pop) } else { None };
        let class = if other.is_some() { Class::Other } else { Class::Member };
        let head = other
            .or_else(|| self.members.pop())
            .or_else(|| self.others.as_mut().and_then(Buffer::pop))?;
        self.backlog.remove(head.packet.size());
        self.charge(class, head.packet.size());
        Some(head)
    }

    /// A packet of `class` leaves while the other class may wait.
    #[inline]
    fn charge(&mut self, class: Class, size: Bytes) {
        let (Some(turns), Some(others)) = (&mut self.turns, &self.others) else { return };
        let size = size.get() as f64;
        turns.owed = match class {
            _ if self.members.is_empty() || others.is_empty() => 0.0,
            Class::Member => turns.owed + size * (1.0 - turns.share),
            Class::Other => turns.owed - size * turns.share,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{Small, ms};
    use narrows_wire::Ecn;

    fn small(id: u64, size: u64) -> Small {
        Small { id, size, ecn: Ecn::NotEct, flow: 0, header: None }
    }

    #[test]
    fn both_classes_share_one_limit() {
        for order in [Order::Arrival, Order::OthersFirst] {
            let mut queue = Classes::new(Limit::Packets(2), order);
            let mut offer = |id, class| queue.offer(ms(1), small(id, 40), class);
            assert_eq!([offer(0, Class::Member), offer(1, Class::Other)], [Fate::Queued; 2]);
            assert_eq!(
                [offer(2, Class::Member), offer(3, Class::Other)],
                [Fate::Dropped(DropReason::Full); 2]
            );
            assert_eq!(queue.bytes(), Bytes::new(80));
            let left = [(); 3].map(|_| queue.pop().map(|head| head.packet.id));
            assert_eq!(
                left,
                if order == Order::OthersFirst {
                    [Some(1), Some(0), None]
                } else {
                    [Some(0), Some(1), None]
                }
            );
        }
    }

    /// Packets of the others are five times as large: bytes are shared, not packets.
    #[test]
    fn each_class_has_its_share_of_the_link() {
        let mut queue = Classes::new(Limit::None, Order::Shares);
        queue.set_share(0.25);
        for id in 0..1000 {
            queue.offer(ms(1), small(id, 200), Class::Member);
            queue.offer(ms(1), small(id, 1000), Class::Other);
        }
        let mut bytes = [0, 0];
        while bytes[0] + bytes[1] < 400_000 {
            let size = queue.pop().expect("a packet").packet.size;
            bytes[usize::from(size == 1000)] += size;
        }
        assert!((99_000..=101_000).contains(&bytes[0]), "{bytes:?}");
        let rest = std::iter::from_fn(|| queue.pop()).count();
        assert_eq!(
            (rest as u64, queue.bytes()),
            (2000 - bytes[0] / 200 - bytes[1] / 1000, Bytes::ZERO),
            "a class alone has the link"
        );
    }

    #[test]
    fn the_others_have_their_share_of_the_buffer() {
        let mut queue = Classes::new(Limit::Packets(10), Order::Shares);
        queue.set_share(0.7);
        let mut count = |class| {
            (0..20).filter(|id| queue.offer(ms(1), small(*id, 100), class) == Fate::Queued).count()
        };
        assert_eq!((count(Class::Other), count(Class::Member)), (3, 7));
    }
}
