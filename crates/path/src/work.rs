//! The work of a transmitter, in whole numbers.

use narrows_units::{Bytes, Rate, Span};

/// Work of the transmitter in bits times nanoseconds per second: a byte is so much of it, whatever
/// the rate, so that what is left of a packet is a whole number.
pub(crate) const BYTE: u128 = 8_000_000_000;

/// The work that can be done at `rate` in this time.
pub(crate) fn work(rate: Rate, time: Span) -> u128 {
    rate.as_bps() as u128 * time.as_nanos() as u128
}

/// The whole bytes of some work.
pub(crate) fn whole_bytes(work: u128) -> Bytes {
    Bytes::new(u64::try_from(work / BYTE).unwrap_or(u64::MAX))
}
