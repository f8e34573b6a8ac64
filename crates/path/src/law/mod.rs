//! Rate laws: what links tell the flows or consumers that cross them to send.

pub(crate) mod contract;
pub(crate) mod mircc;
pub(crate) mod rcp;
pub(crate) mod registry;
mod rtt;
