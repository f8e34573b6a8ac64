//! The forwarder as its neighbours see it.

mod forwarding;
mod model;
mod neighbours;
mod net;
mod rates;
mod shaping;
mod steering;
