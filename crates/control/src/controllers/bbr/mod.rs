//! BBR: paces at the bandwidth it measures, and bounds what is in flight by the bandwidth-delay
//! product.

pub(crate) mod common;
pub mod v1;
pub mod v3;
