//! The numbers of faces that NDN reserves (NFD: `face::FaceId`).

/// The management.
pub(crate) const MANAGEMENT: u64 = 1;
/// The content store.
pub(crate) const CONTENT_STORE: u64 = 254;
/// The first that others get.
pub(crate) const FIRST: u64 = 256;
