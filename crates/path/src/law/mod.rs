//! Rate laws: how a link computes the rate that it tells flows or consumers (RCP, MIRCC).

pub(crate) mod contract;
pub(crate) mod mircc;
pub(crate) mod rcp;
pub(crate) mod registry;
mod rtt;
