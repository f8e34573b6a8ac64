//! Signals that controllers need, and worlds and routers offer.

use std::fmt;

/// A signal that a world may or may not be able to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Delivery rate samples.
    RateSample,
    /// Marks of the application's limits from every acknowledgement and timer on, not only from
    /// writes on (`CheckIfApplicationLimited` of draft-ietf-ccwg-bbr; branch v3 of
    /// github.com/google/bbr).
    BroadAppLimits,
    /// A pacer that enforces the pacing rate.
    Pacing,
    /// Counts of packets per ECN code point.
    EcnCounts,
    /// A tag per transmission, handed back with its fate.
    Tags,
    /// The outstanding data, the window in force and how far bursts fill it.
    Outstanding,
    /// A rate stamped by routers.
    StampedRate,
    /// A load code written by routers.
    LoadCode,
    /// A throughput change written by routers.
    Delta,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Need::RateSample => "delivery rate samples",
            Need::BroadAppLimits => "application limits at each acknowledgement",
            Need::Pacing => "pacing",
            Need::EcnCounts => "ECN counts per code point",
            Need::Tags => "tags per transmission",
            Need::Outstanding => "the amount of data in flight",
            Need::StampedRate => "a rate stamped by routers",
            Need::LoadCode => "a load code from routers",
            Need::Delta => "throughput feedback from routers",
        })
    }
}
