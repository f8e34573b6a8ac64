//! The settings by which the kernel's TCP does what a scenario asks: of sockets, of routes and of hosts.

use super::controllers::PlannedController;
use narrows_units::{Bytes, Span};
use std::collections::BTreeMap;

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Of each flow's sockets, in the scenario's order.
    pub flows: Vec<SocketOptions>,
    /// The different route metrics of the flows; the first are the kernel's own.
    pub classes: Vec<RouteMetrics>,
    /// Settings of each host's namespace that differ from the kernel's: paths below `/proc/sys/net`, and values.
    pub sysctls: Vec<BTreeMap<&'static str, String>>,
    /// Controllers that are loaded into the kernel for the run.
    pub controllers: Vec<PlannedController>,
    /// The size of the greatest packet, in bytes.
    pub mtu: u32,
}

impl Plan {
    /// That of hosts that keep the kernel's settings and send packets of up to `mtu` bytes.
    pub fn plain(hosts: usize, mtu: u32) -> Plan {
        Plan {
            flows: Vec::new(),
            classes: vec![RouteMetrics::default()],
            sysctls: vec![BTreeMap::new(); hosts],
            controllers: Vec::new(),
            mtu,
        }
    }
}

/// The options of the sockets of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// The kernel's name of its controller; `None` without one.
    pub controller: Option<String>,
    /// True if TCP paces although the controller does not ask for it.
    pub paced: bool,
    /// True for IPv6.
    pub v6: bool,
    /// The greatest segment as `TCP_MAXSEG` counts it, TCP options included, if it is smaller than the MTU allows.
    pub max_segment: Option<u32>,
    /// The most that the receiver offers; `None` for the kernel's choice.
    pub receive_window: Option<Bytes>,
    /// The place of its route metrics in [`Plan::classes`].
    pub class: usize,
}

/// A limit to the pacing rate that is never reached, in bytes per second: with any limit TCP paces (`SO_MAX_PACING_RATE`).
pub const UNLIMITED_PACING: u64 = u64::MAX / 2;

/// Settings that the kernel keeps with a route. `None` and `false` are the kernel's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteMetrics {
    /// TCP asks for ECN (`features ecn`).
    pub ecn: bool,
    /// Window before the first acknowledgement, in segments (`initcwnd`).
    pub initial_window: Option<u32>,
    /// Least retransmission timeout (`rto_min`).
    pub min_rto: Option<Span>,
    /// Each segment is acknowledged at once (`quickack`).
    pub ack_each: bool,
}
