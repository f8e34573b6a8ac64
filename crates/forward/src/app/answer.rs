//! The answer of a producer to an Interest.

use narrows_ndn::Name;
use narrows_units::Span;

/// An answer to an Interest. The producer encodes it as Data and signs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Name of the Data. The Interest must match it.
    pub name: Name,
    /// Content of the Data.
    pub content: Vec<u8>,
    /// Freshness period: how long caches may treat the Data as fresh.
    pub freshness: Span,
    /// Number of the last segment, if the Data is one of several segments.
    pub last_segment: Option<u64>,
}
