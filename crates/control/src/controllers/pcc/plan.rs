//! The plan of an interval before it begins.

use narrows_units::Span;

/// How long an interval is.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// At least this long.
    pub span: Span,
    /// At least so many packets.
    pub least: u32,
    /// At most so many packets.
    pub most: u32,
}

/// The next interval to send.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Its rate in Mbit/s, headers included.
    pub rate: f64,
    /// Its outcome is awaited; otherwise it only fills the time until outcomes are there.
    pub awaited: bool,
    /// How long it is.
    pub length: Length,
}
