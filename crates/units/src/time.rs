//! Instants and durations in whole nanoseconds.

use crate::parse::{self, ParseError};
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use std::str::FromStr;

/// An instant: nanoseconds since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A duration in nanoseconds. Written "30 ms", "1.5s", "250 us".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The start of a run.
    pub const ZERO: Time = Time(0);
    /// Later than every event; what a disarmed timer shows.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ns` nanoseconds after the start.
    pub const fn from_nanos(ns: u64) -> Time {
        Time(ns)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time since `earlier`, zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The earlier of the two.
    #[inline]
    pub fn min(self, other: Time) -> Time {
        Ord::min(self, other)
    }

    /// The later of the two.
    #[inline]
    pub fn max(self, other: Time) -> Time {
        Ord::max(self, other)
    }
}

impl Span {
    /// No time.
    pub const ZERO: Span = Span(0);
    /// The longest duration.
    pub const MAX: Span = Span(u64::MAX);

    /// `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Span {
        Span(ns)
    }

    /// `us` microseconds.
    pub const fn from_micros(us: u64) -> Span {
        Span(us * 1_000)
    }

    /// `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// `s` seconds.
    pub const fn from_secs(s: u64) -> Span {
        Span(s * 1_000_000_000)
    }

    /// `s` seconds to the nearest nanosecond; negative and not-a-number give zero.
    pub const fn from_secs_f64(s: f64) -> Span {
        Span((s * 1e9 + 0.5) as u64)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// True for no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The difference, zero if `other` is longer.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }

    /// The shorter of the two.
    #[inline]
    pub fn min(self, other: Span) -> Span {
        Ord::min(self, other)
    }

    /// The longer of the two.
    #[inline]
    pub fn max(self, other: Span) -> Span {
        Ord::max(self, other)
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// Saturates at [`Time::NEVER`].
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    /// Saturates at [`Time::ZERO`].
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    /// Saturates at zero.
    fn sub(self, other: Span) -> Span {
        self.saturating_sub(other)
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, other: Span) {
        *self = *self - other;
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    fn div(self, divisor: u64) -> Span {
        Span(self.0 / divisor)
    }
}

pub(crate) const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl FromStr for Span {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Span, ParseError> {
        parse::quantity(text, "a duration", "\"30 ms\"", UNITS, 1).map(Span)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = match self.0 {
            0 => ("s", 1_000_000_000),
            1..1_000 => ("ns", 1),
            1_000..1_000_000 => ("us", 1_000),
            1_000_000..1_000_000_000 => ("ms", 1_000_000),
            _ => ("s", 1_000_000_000),
        };
        f.pad(&format!("{} {unit}", parse::decimal(self.0, scale)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Span(self.0), f)
    }
}
