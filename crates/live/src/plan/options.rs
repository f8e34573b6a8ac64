//! Settings that configure the kernel's TCP for a scenario: of sockets, routes and hosts.

use super::controllers::PlannedController;
use narrows_units::{Bytes, Span};
use std::collections::BTreeMap;

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Socket options of each flow, in the scenario's order.
    pub flows: Vec<SocketOptions>,
    /// Distinct route metrics of the flows; the first are the kernel's defaults.
    pub classes: Vec<RouteMetrics>,
    /// Settings of each host's namespace that differ from the kernel's: paths below
    /// `/proc/sys/net`, and values.
    pub sysctls: Vec<BTreeMap<&'static str, String>>,
    /// Controllers that are loaded into the kernel for the run.
    pub controllers: Vec<PlannedController>,
    /// Size of the largest packet, in bytes.
    pub mtu: u32,
}

impl Plan {
    /// Makes the plan of hosts with the kernel's settings, for packets of up to `mtu` bytes.
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

/// The socket options of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// Kernel name of the controller; `None` without a controller.
    pub controller: Option<String>,
    /// True if TCP paces although the controller does not request it.
    pub paced: bool,
    /// True for IPv6.
    pub v6: bool,
    /// Largest segment as in `TCP_MAXSEG`, with TCP options, if it is smaller than the MTU allows.
    pub max_segment: Option<u32>,
    /// Largest window of the receiver; `None` for the kernel's choice.
    pub receive_window: Option<Bytes>,
    /// Index of the route metrics in [`Plan::classes`].
    pub class: usize,
}

/// Limit of the pacing rate that is never reached, in bytes per second: TCP paces with any limit
/// (`SO_MAX_PACING_RATE`).
pub const UNLIMITED_PACING: u64 = u64::MAX / 2;

/// Settings that the kernel stores with a route. `None` and `false` are the kernel's defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteMetrics {
    /// True if TCP requests ECN (`features ecn`).
    pub ecn: bool,
    /// Window before the first acknowledgement, in segments (`initcwnd`).
    pub initial_window: Option<u32>,
    /// Least retransmission timeout (`rto_min`).
    pub min_rto: Option<Span>,
    /// True if each segment is acknowledged at once (`quickack`).
    pub ack_each: bool,
}
