//! Amounts of data, and the ways a buffer's size is written.

use crate::parse::{self, ParseError};
use crate::{Rate, Span, time};
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};
use std::str::FromStr;

/// An amount of data in bytes. Written "1500 B", "750 kB", "2 MiB".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Bytes = Bytes(0);
    /// More than any buffer.
    pub const MAX: Bytes = Bytes(u64::MAX);

    /// `n` bytes.
    pub const fn new(n: u64) -> Bytes {
        Bytes(n)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bits, saturating.
    pub const fn bits(self) -> u64 {
        self.0.saturating_mul(8)
    }

    /// The difference, zero if `other` is more.
    pub const fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    /// Panics in debug builds if `other` is more: a negative amount is a broken invariant.
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Bytes) {
        *self = *self - other;
    }
}

impl Mul<u64> for Bytes {
    type Output = Bytes;
    fn mul(self, factor: u64) -> Bytes {
        Bytes(self.0.saturating_mul(factor))
    }
}

const UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("byte", 1),
    ("bytes", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
];

impl FromStr for Bytes {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Bytes, ParseError> {
        parse::quantity(text, "an amount of data", "\"750 kB\"", UNITS, 1).map(Bytes)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = match self.0 {
            0..10_000 => ("B", 1),
            10_000..10_000_000 => ("kB", 1_000),
            10_000_000..10_000_000_000 => ("MB", 1_000_000),
            _ => ("GB", 1_000_000_000),
        };
        f.pad(&format!("{} {unit}", parse::decimal(self.0, scale)))
    }
}

/// The size of a buffer as people write it: "750 kB", "100 packets", "60 ms" (of the link's rate) or "1.5 bdp".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A number of bytes.
    Bytes(Bytes),
    /// A number of packets of any size.
    Packets(u32),
    /// What the link sends in this time.
    Time(Span),
    /// Thousandths of the bandwidth-delay product: link rate times the longest base round trip through it.
    MilliBdp(u64),
}

impl Depth {
    /// The depth in bytes on a link of `rate` with base round trip `rtt`, rounded up to whole bytes; `None` for a depth in packets, which has no
    /// fixed size in bytes.
    pub fn resolve(self, rate: Rate, rtt: Span) -> Option<Bytes> {
        match self {
            Depth::Bytes(bytes) => Some(bytes),
            Depth::Packets(_) => None,
            Depth::Time(span) => Some(rate.bytes_in_ceil(span)),
            Depth::MilliBdp(milli) => {
                let bdp = (rate.as_bps() as u128 * rtt.as_nanos() as u128).saturating_mul(milli as u128);
                Some(Bytes(u64::try_from(bdp.div_ceil(8 * 1_000_000_000 * 1_000)).unwrap_or(u64::MAX)))
            }
        }
    }

    /// True for a buffer that can hold nothing.
    pub fn is_zero(self) -> bool {
        match self {
            Depth::Bytes(bytes) => bytes == Bytes::ZERO,
            Depth::Packets(packets) => packets == 0,
            Depth::Time(span) => span.is_zero(),
            Depth::MilliBdp(milli) => milli == 0,
        }
    }
}

impl FromStr for Depth {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Depth, ParseError> {
        const EXPECTED: &str = "a buffer size";
        const EXAMPLE: &str = "\"750 kB\", \"100 packets\", \"60 ms\" or \"1.5 bdp\"";
        let (_, unit) = parse::split(text, EXPECTED, EXAMPLE)?;
        let read = |units| parse::quantity(text, EXPECTED, EXAMPLE, units, 1);
        let is_of = |units: &[(&str, u64)]| units.iter().any(|(name, _)| *name == unit);
        if is_of(BDP) {
            read(BDP).map(Depth::MilliBdp)
        } else if is_of(PACKETS) {
            let count = read(PACKETS)?;
            u32::try_from(count)
                .map(Depth::Packets)
                .map_err(|_| ParseError::new(text, EXPECTED, EXAMPLE, "more packets than any buffer holds"))
        } else if is_of(time::UNITS) {
            read(time::UNITS).map(|ns| Depth::Time(Span::from_nanos(ns)))
        } else if is_of(UNITS) || unit.is_empty() {
            read(UNITS).map(|bytes| Depth::Bytes(Bytes(bytes)))
        } else {
            let reason = format!("the unit \"{unit}\" is unknown (known: kB and others of data, ms and others of time, packets, bdp)");
            Err(ParseError::new(text, EXPECTED, EXAMPLE, reason))
        }
    }
}

const BDP: &[(&str, u64)] = &[("bdp", 1_000), ("BDP", 1_000)];
const PACKETS: &[(&str, u64)] = &[("packets", 1), ("packet", 1), ("pkts", 1), ("pkt", 1), ("p", 1)];

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::Bytes(bytes) => bytes.fmt(f),
            Depth::Packets(packets) => f.pad(&format!("{packets} packets")),
            Depth::Time(span) => span.fmt(f),
            Depth::MilliBdp(milli) => f.pad(&format!("{} bdp", parse::decimal(*milli, 1_000))),
        }
    }
}
