//! Face numbers that NDN reserves (NFD: `face::FaceId`).

/// Face of the management.
pub(crate) const MANAGEMENT: u64 = 1;
/// Face of the content store.
pub(crate) const CONTENT_STORE: u64 = 254;
/// First number for other faces.
pub(crate) const FIRST: u64 = 256;
