//! Plans a live run before anything starts: the hosts, and the kernel settings that implement the
//! scenario. Refuses keys that the kernel does not support, by name.

mod addresses;
mod controllers;
mod demand;
mod hosts;
mod kernel;
mod options;
mod ports;
mod refuse;

pub use addresses::{Subnet, host_of, subnet_v4, subnet_v6};
pub use controllers::{Planned, PlannedController, missing, names_of, twin_of};
pub use demand::{MAXIMUM, affordable};
pub use hosts::HostMap;
pub use kernel::{CUBIC_SWITCHES, Kernel};
pub use options::{Plan, RouteMetrics, SocketOptions, UNLIMITED_PACING};
pub use ports::{FIRST_PORT, flow_of, port};
pub use refuse::{RECEIVE_BUFFERS, has_flows, plan, refuse_icn};
