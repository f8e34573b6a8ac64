//! Tests of the forwarder, most of them without sockets, as its peers see it.

mod apps;
mod bench;
#[path = "../../../ndn/tests/it/captured.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod captured;
mod daemon;
#[path = "../../examples/object.rs"]
#[allow(dead_code, reason = "its main is for cargo")]
mod example;
mod exhaustion;
mod fetch;
mod forwarding;
mod full_sockets;
mod hostile;
mod management;
mod mutations;
mod namespaces;
mod path_mtu;
mod paths;
mod real_links;
mod rules;
mod shards;
mod steady;
mod trust;
mod unix_paths;
