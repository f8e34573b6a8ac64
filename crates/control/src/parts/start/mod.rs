//! How a connection starts: how its first slow start grows, and when it ends without a loss.
//!
//! It has two hooks: the window in fractions ([`Window`](crate::parts::window::Window)) and the
//! window of the kernel ([`Socket`](crate::parts::linux::Socket)) ask it.

pub mod hystart;
pub mod hystartpp;

use hystart::{HyStart, Sample};
use hystartpp::HyStartPlusPlus;
use narrows_units::Span;

/// A start.
#[derive(Clone, Debug, Default)]
pub enum Start {
    /// Slow start up to the threshold (RFC 5681).
    #[default]
    Classic,
    /// HyStart, as Linux has it.
    HyStart(HyStart),
    /// HyStart++ (RFC 9406).
    HyStartPlusPlus(HyStartPlusPlus),
}

impl Start {
    /// A segment leaves.
    #[inline]
    pub fn on_sent(&mut self, number: u64) {
        if let Start::HyStartPlusPlus(start) = self {
            start.on_sent(number);
        }
    }

    /// The segments by which a window in fractions grows for `acked` segments acknowledged at once,
    /// whatever the threshold; `None` if it is to grow up to the threshold.
    #[inline]
    pub fn growth(&self, acked: f64) -> Option<f64> {
        match self {
            Start::HyStartPlusPlus(start) => Some(start.growth(acked)),
            Start::Classic | Start::HyStart(_) => None,
        }
    }

    /// An acknowledgement up to segment `highest`, with its round trip. True if slow start ends
    /// now.
    #[inline]
    pub fn ends(&mut self, highest: u64, rtt: Option<Span>) -> bool {
        match self {
            Start::HyStartPlusPlus(start) => start.on_ack(highest, rtt),
            Start::Classic | Start::HyStart(_) => false,
        }
    }

    /// A round trip of the kernel's connection. True if slow start ends now. `longest` is as
    /// [`HyStart::ends`] has it.
    #[inline]
    pub fn ends_at(&mut self, sample: Sample, longest: impl FnOnce() -> u32) -> bool {
        match self {
            Start::HyStart(start) => start.ends(sample, longest),
            Start::Classic | Start::HyStartPlusPlus(_) => false,
        }
    }

    /// Slow start begins again at `now` (µs) with segment `next`, after a timeout.
    pub fn begin_again(&mut self, now: u64, next: u64) {
        if let Start::HyStart(start) = self {
            start.begin(now, next);
        }
    }
}
