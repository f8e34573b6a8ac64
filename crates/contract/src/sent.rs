//! A transmission and its mark.

use narrows_units::{Bytes, Span, Time};

/// A controller's own mark on a transmission, handed back with its fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag(pub u32);

/// One transmission of one segment.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it leaves the transport.
    pub now: Time,
    /// The segment's number, from 0; a retransmission repeats it.
    pub number: u64,
    /// Payload.
    pub bytes: Bytes,
    /// Segments in flight before this one.
    pub in_flight: u32,
    /// Segments sent and not cumulatively acknowledged, before this one (`packets_out`).
    pub outstanding: u32,
    /// True for a retransmission.
    pub retransmission: bool,
    /// True if the flow had run out of data to send, so that the network was not full: restart
    /// after idle when `in_flight` is 0.
    pub app_limited: bool,
    /// The retransmission timeout in force: a flow silent for longer no longer knows its path (RFC
    /// 5681 section 4.1). [`Span::MAX`] in a world without one.
    pub rto: Span,
}

impl Sent {
    /// The transmission of segment `number` with `bytes` of payload at `now`, while all that is
    /// outstanding is in flight; the first of its kind and not limited by the application.
    #[inline]
    pub fn new(now: Time, number: u64, bytes: Bytes, in_flight: u32) -> Sent {
        Sent {
            now,
            number,
            bytes,
            in_flight,
            outstanding: in_flight,
            retransmission: false,
            app_limited: false,
            rto: Span::MAX,
        }
    }
}
