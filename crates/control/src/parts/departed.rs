//! The tag of controllers that want to know how a segment left.

use crate::{Sent, Tag};

/// How a segment left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departed {
    /// Segments in flight, this one included.
    pub in_flight: u32,
    /// It was a retransmission.
    pub retransmission: bool,
}

/// In a tag: a retransmission. The bits below are the segments in flight.
const RETRANSMISSION: u32 = 1 << 31;

impl Departed {
    /// Of a segment that leaves.
    pub fn of(sent: &Sent) -> Departed {
        Departed { in_flight: sent.in_flight + 1, retransmission: sent.retransmission }
    }

    /// The tag that carries it.
    pub fn tag(self) -> Tag {
        debug_assert!(self.in_flight < RETRANSMISSION, "{} segments in flight", self.in_flight);
        Tag(self.in_flight | if self.retransmission { RETRANSMISSION } else { 0 })
    }

    /// The one that a tag carries.
    pub fn from_tag(tag: Tag) -> Departed {
        Departed { in_flight: tag.0 & !RETRANSMISSION, retransmission: tag.0 & RETRANSMISSION != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::{Bytes, Time};

    #[test]
    fn a_tag_carries_it_there_and_back() {
        for retransmission in [false, true] {
            let sent = Sent { retransmission, ..Sent::new(Time::ZERO, 7, Bytes::new(1448), 41) };
            let departed = Departed { in_flight: 42, retransmission };
            assert_eq!(Departed::of(&sent), departed);
            assert_eq!(Departed::from_tag(departed.tag()), departed);
        }
    }
}
