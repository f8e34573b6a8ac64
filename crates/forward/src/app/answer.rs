//! What a producer answers.

use narrows_ndn::Name;
use narrows_units::Span;

/// What answers an Interest. The producer makes Data of it, and signs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The name of the Data, which the Interest has to match.
    pub name: Name,
    /// Its content.
    pub content: Vec<u8>,
    /// How long caches may take it for fresh.
    pub freshness: Span,
    /// The number of the last segment, if the Data is one of several.
    pub last_segment: Option<u64>,
}
