//! The ways a buffer's size is written.

use crate::parse::{self, ParseError};
use crate::{Bytes, Rate, Span, bytes, time};
use std::fmt;
use std::str::FromStr;

/// The size of a buffer as people write it: "750 kB", "100 packets", "60 ms" (of the link's rate)
/// or "1.5 bdp".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A number of bytes.
    Bytes(Bytes),
    /// A number of packets of any size.
    Packets(u32),
    /// The amount that the link sends in this time.
    Time(Span),
    /// Thousandths of the bandwidth-delay product: link rate times the longest base round trip
    /// through it.
    MilliBdp(u64),
}

impl Depth {
    /// The depth in bytes on a link of `rate` with base round trip `rtt`, rounded up to whole
    /// bytes; `None` for a depth in packets, which has no fixed size in bytes.
    pub fn resolve(self, rate: Rate, rtt: Span) -> Option<Bytes> {
        match self {
            Depth::Bytes(bytes) => Some(bytes),
            Depth::Packets(_) => None,
            Depth::Time(span) => Some(rate.bytes_in_ceil(span)),
            Depth::MilliBdp(milli) => {
                let bdp =
                    (rate.as_bps() as u128 * rtt.as_nanos() as u128).saturating_mul(milli as u128);
                Some(Bytes::new(
                    u64::try_from(bdp.div_ceil(8 * 1_000_000_000 * 1_000)).unwrap_or(u64::MAX),
                ))
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
            u32::try_from(count).map(Depth::Packets).map_err(|_| {
                ParseError::new(text, EXPECTED, EXAMPLE, "more packets than any buffer holds")
            })
        } else if is_of(time::UNITS) {
            read(time::UNITS).map(|ns| Depth::Time(Span::from_nanos(ns)))
        } else if is_of(bytes::UNITS) || unit.is_empty() {
            read(bytes::UNITS).map(|bytes| Depth::Bytes(Bytes::new(bytes)))
        } else {
            let reason = format!(
                "the unit \"{unit}\" is unknown (known: kB and others of data, ms and others of time, packets, bdp)"
            );
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
