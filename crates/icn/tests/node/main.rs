//! The forwarder as its neighbours see it.

mod forwarding;
mod net;
