//! State of a path that a connection saves for a later one.

use narrows_units::{Segments, Span};

/// State of a path, saved by a connection for a later one (RFC 9959).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saved {
    /// The least round trip.
    pub rtt: Span,
    /// Segments delivered per round trip.
    pub window: Segments,
    /// Time since then.
    pub age: Span,
}
