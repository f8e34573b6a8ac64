//! The forwarder as its neighbours see it.

mod forwarding;
mod model;
mod neighbours;
pub mod net;
mod proxy;
mod rates;
mod shaping;
mod steering;
