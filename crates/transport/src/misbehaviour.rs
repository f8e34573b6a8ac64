//! Receivers that acknowledge what has not arrived, or in pieces (Savage, Cardwell, Wetherall and
//! Anderson, TCP Congestion Control with a Misbehaving Receiver, CCR 29(5), 1999).

use crate::ranges::RangeSet;
use crate::wire::Ack;
use narrows_units::Bytes;

/// A receiver that acknowledges ahead of what has arrived (section 2.3 of the paper).
///
/// How far, is ours. The sender drops an acknowledgement of what it has not sent (RFC 9293, section
/// 3.10.7.4), so the receiver begins with none and goes one segment further ahead after each two
/// that arrive: a window in slow start grows by twice that. A segment that comes again tells it
/// that it went too far, and it begins anew.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    most: u32,
    /// Segments that have arrived since it began.
    since: u64,
    /// Segments below the highest arrival that have not arrived.
    missing: RangeSet,
}

impl Ahead {
    pub(crate) fn new(most: u32) -> Ahead {
        Ahead { most, since: 0, missing: RangeSet::default() }
    }

    /// How many segments it acknowledges beyond the highest arrival.
    pub(crate) fn reach(&self) -> u64 {
        u64::from(self.most).min(self.since / 2)
    }

    /// Segment `number` arrives where `next` is one past the highest so far. False if it has
    /// arrived before.
    pub(crate) fn take(&mut self, number: u64, next: u64) -> bool {
        if number < next && !self.missing.remove(number) {
            self.since = 0;
            return false;
        }
        if number > next {
            self.missing.insert(next..number, |_| {});
        }
        self.since += 1;
        true
    }
}

/// A receiver that divides acknowledgements (section 2.1 of the paper).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    pieces: u32,
    mss: Bytes,
    /// All segments below this are acknowledged.
    acknowledged: u64,
}

impl Division {
    pub(crate) fn new(pieces: u32, mss: Bytes) -> Division {
        Division { pieces, mss, acknowledged: 0 }
    }

    /// The acknowledgements to be sent before `ack`, of equal parts of what it acknowledges anew;
    /// none if that is nothing, or if it reports what is out of order.
    pub(crate) fn before(&mut self, ack: Ack) -> impl Iterator<Item = Ack> + use<> {
        let first = self.acknowledged;
        let mss = self.mss.get();
        self.acknowledged = first.max(ack.next);
        let all = (self.acknowledged - first) * mss;
        let pieces = if all > 0 && ack.blocks.is_empty() { u64::from(self.pieces) } else { 1 };
        (1..pieces).map(move |piece| {
            let bytes = all * piece / pieces;
            Ack { next: first + bytes / mss, part: (bytes % mss) as u32, signal: None, ..ack }
        })
    }
}
