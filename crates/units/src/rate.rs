//! Data rates in whole bits per second.

use crate::parse::{self, ParseError};
use crate::{Bytes, Span};
use std::fmt;
use std::str::FromStr;

/// A data rate in bits per second. Written "100 Mbit/s", "1.5Gbps", "20 Mbit", or as tc(8) has it,
/// "20mbit".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

const BITS_PER_NANO: u128 = 8 * 1_000_000_000;

impl Rate {
    /// Nothing moves.
    pub const ZERO: Rate = Rate(0);

    /// `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Rate {
        Rate(bps)
    }

    /// `kbps` thousand bits per second.
    pub const fn from_kbps(kbps: u64) -> Rate {
        Rate(kbps * 1_000)
    }

    /// `mbps` million bits per second.
    pub const fn from_mbps(mbps: u64) -> Rate {
        Rate(mbps * 1_000_000)
    }

    /// `bytes` per second, to the nearest bit per second; negative and not-a-number give zero.
    pub fn from_bytes_per_sec(bytes: f64) -> Rate {
        Rate((bytes * 8.0 + 0.5) as u64)
    }

    /// The rate that moves `bytes` in `span`, rounded down; zero if `span` is zero.
    pub fn of(bytes: Bytes, span: Span) -> Rate {
        if span.is_zero() {
            return Rate::ZERO;
        }
        let bps = bytes.get() as u128 * BITS_PER_NANO / span.as_nanos() as u128;
        Rate(u64::try_from(bps).unwrap_or(u64::MAX))
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Million bits per second.
    pub fn as_mbps(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Bytes per second.
    pub fn bytes_per_sec(self) -> f64 {
        self.0 as f64 / 8.0
    }

    /// True if nothing moves.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The whole bytes moved in `span`, rounded down.
    pub fn bytes_in(self, span: Span) -> Bytes {
        let bytes = self.0 as u128 * span.as_nanos() as u128 / BITS_PER_NANO;
        Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// The bytes moved in `span`, rounded up.
    pub fn bytes_in_ceil(self, span: Span) -> Bytes {
        let bytes = (self.0 as u128 * span.as_nanos() as u128).div_ceil(BITS_PER_NANO);
        Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// The time to move `bytes`, rounded down to a nanosecond; [`Span::MAX`] at rate zero.
    pub fn time_for(self, bytes: Bytes) -> Span {
        if self.0 == 0 {
            return Span::MAX;
        }
        // Every packet fits the 64-bit division, which is several times faster than the 128-bit
        // one.
        if let Some(product) = bytes.get().checked_mul(BITS_PER_NANO as u64) {
            return Span::from_nanos(product / self.0);
        }
        let ns = bytes.get() as u128 * BITS_PER_NANO / self.0 as u128;
        Span::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

const UNITS: &[(&str, u64)] = &[
    ("bit/s", 1),
    ("bps", 1),
    ("bit", 1),
    ("kbit/s", 1_000),
    ("kbps", 1_000),
    ("kbit", 1_000),
    ("Mbit/s", 1_000_000),
    ("Mbps", 1_000_000),
    ("Mbit", 1_000_000),
    ("mbit", 1_000_000),
    ("Mb/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Gbps", 1_000_000_000),
    ("Gbit", 1_000_000_000),
    ("gbit", 1_000_000_000),
    ("Gb/s", 1_000_000_000),
    ("B/s", 8),
    ("kB/s", 8_000),
    ("MB/s", 8_000_000),
    ("GB/s", 8_000_000_000),
];

impl FromStr for Rate {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Rate, ParseError> {
        parse::quantity(text, "a rate", "\"100 Mbit/s\"", UNITS, 1).map(Rate)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = match self.0 {
            0..1_000 => ("bit/s", 1),
            1_000..1_000_000 => ("kbit/s", 1_000),
            1_000_000..1_000_000_000 => ("Mbit/s", 1_000_000),
            _ => ("Gbit/s", 1_000_000_000),
        };
        f.pad(&format!("{} {unit}", parse::decimal(self.0, scale)))
    }
}
