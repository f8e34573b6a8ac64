//! One outstanding segment and its delivery state.

use narrows_control::Tag;
use narrows_units::{Span, Time};

/// One outstanding segment: its latest transmission and its state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) sent_at: Time,
    pub(crate) tag: Tag,
    pub(crate) flags: Flags,
}

/// The connection's delivery state when a segment left (draft-cheng-iccrg-delivery-rate-estimation,
/// `P.*`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) first_sent_at: Time,
    pub(crate) delivered: u64,
    pub(crate) delivered_at: Time,
    /// Packets that the receiver had counted with CE; the count wraps.
    pub(crate) delivered_ce: u32,
}

/// The times by which an acknowledgement is judged, the same for all segments that it delivers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    pub(crate) now: Time,
    /// The stamp it echoes.
    pub(crate) echo: Time,
    /// The least round trip known.
    pub(crate) min_rtt: Span,
}

/// State bits of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    pub(crate) const SACKED: Flags = Flags(1);
    pub(crate) const LOST: Flags = Flags(2);
    /// A retransmission of it is in flight.
    pub(crate) const RETRANSMITTED: Flags = Flags(4);
    pub(crate) const EVER_RETRANSMITTED: Flags = Flags(8);
    pub(crate) const APP_LIMITED: Flags = Flags(16);
    pub(crate) const WINDOW_LIMITED: Flags = Flags(32);

    #[inline]
    pub(crate) fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    #[inline]
    pub(crate) fn set(&mut self, flag: Flags) {
        self.0 |= flag.0;
    }

    #[inline]
    pub(crate) fn clear(&mut self, flag: Flags) {
        self.0 &= !flag.0;
    }

    #[inline]
    pub(crate) fn with(self, flag: Flags, on: bool) -> Flags {
        if on { Flags(self.0 | flag.0) } else { self }
    }
}
