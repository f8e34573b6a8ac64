//! The forwarder as peers see it, without sockets.

mod bench;
#[path = "../../../ndn/tests/it/captured.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod captured;
mod daemon;
mod forwarding;
mod management;
mod namespaces;
mod real_links;
mod rules;
mod steady;
