//! Windows, counted in full-sized segments.

use std::fmt;

/// A congestion window or a part of one, in segments of the connection's MSS; it may be fractional,
/// because controllers add fractions of a segment per acknowledgement. Always finite and not
/// negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Segments(f64);

impl Segments {
    /// `n` segments. Panics in debug builds on a negative, infinite or not-a-number window: that is
    /// a controller's broken invariant.
    pub fn new(n: f64) -> Segments {
        debug_assert!(n.is_finite() && n >= 0.0, "a window of {n} segments");
        Segments(n)
    }

    /// The number of segments.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whole segments that fit, rounded down.
    pub fn whole(self) -> u32 {
        self.0 as u32
    }
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.2} segments", self.0))
    }
}
