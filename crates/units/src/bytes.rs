//! Amounts of data.

use crate::parse::{self, ParseError};
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

pub(crate) const UNITS: &[(&str, u64)] = &[
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
