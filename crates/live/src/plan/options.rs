//! What flows ask of the kernel's TCP, and how it is told.

use crate::loans::Loan;
use crate::sockets::FIRST_PORT;
use narrows_units::{Bytes, Span};
use netlink_packet_route::route::RouteMetric;
use rustix::net::sockopt;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// What the connections of one flow ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The kernel's name of its controller; `None` without one.
    pub controller: Option<String>,
    /// True if TCP paces although its controller does not ask for it.
    pub paced: bool,
    /// True for IPv6.
    pub v6: bool,
    /// Greatest segment as `TCP_MAXSEG` counts it, with options, if it is smaller than what the MTU allows.
    pub max_segment: Option<u32>,
    /// Most that the receiver offers; `None` as the kernel likes.
    pub receive_window: Option<Bytes>,
    /// The place of its route terms in [`Plan::classes`].
    pub class: usize,
}

/// What the kernel keeps with a route: flows that agree on it share addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteTerms {
    /// TCP asks for ECN.
    pub ecn: bool,
    /// Window before the first acknowledgement, in segments, if not the kernel's.
    pub initial_window: Option<u32>,
    /// Least retransmission timeout, if not the kernel's.
    pub min_rto: Option<Span>,
    /// Segments beyond a hole before it counts as lost, if not the kernel's.
    pub dupthresh: Option<u32>,
    /// Each segment is acknowledged at once.
    pub ack_each: bool,
}

/// `RTAX_FEATURE_ECN` of include/uapi/linux/rtnetlink.h.
const FEATURE_ECN: u32 = 1;

impl RouteTerms {
    /// As metrics of a route.
    pub fn metrics(&self) -> Vec<RouteMetric> {
        let features = self.ecn.then_some(RouteMetric::Features(FEATURE_ECN));
        let window = self.initial_window.map(RouteMetric::InitCwnd);
        let rto = self.min_rto.map(|span| RouteMetric::RtoMin((span.as_micros() / 1000) as u32));
        let reordering = self.dupthresh.map(RouteMetric::Reordering);
        let each = self.ack_each.then_some(RouteMetric::QuickAck(1));
        [features, window, rto, reordering, each].into_iter().flatten().collect()
    }
}

/// What a scenario asks of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Of each flow, in the scenario's order.
    pub flows: Vec<Terms>,
    /// Route terms that differ; the first are the kernel's own.
    pub classes: Vec<RouteTerms>,
    /// Settings of each host's namespace that differ from the kernel's, below `/proc/sys/net`.
    pub settings: Vec<BTreeMap<&'static str, String>>,
    /// Controllers that the kernel is given for the run.
    pub loans: Vec<Loan>,
    /// The greatest packet.
    pub mtu: u32,
}

/// The port where the receiver of a flow listens. There are as many as the scenario has flows; ports that the kernel chooses itself come after them.
pub fn port(flow: usize) -> u16 {
    FIRST_PORT + flow as u16
}

impl Plan {
    /// That of so many hosts of which nothing is asked but packets of up to `mtu` bytes.
    pub fn plain(hosts: usize, mtu: u32) -> Plan {
        Plan { flows: Vec::new(), classes: vec![RouteTerms::default()], settings: vec![BTreeMap::new(); hosts], loans: Vec::new(), mtu }
    }
}

/// A limit to pacing that is never reached, in bytes per second.
pub const UNLIMITED_PACING: u64 = u64::MAX / 2;

impl Terms {
    /// Tells a socket before it connects or listens. Connections that it accepts have the same.
    pub fn apply(&self, socket: impl AsFd) -> io::Result<()> {
        if let Some(name) = &self.controller {
            sockopt::set_tcp_congestion(&socket, name)?;
        }
        if self.paced {
            // Any limit makes TCP pace.
            set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, UNLIMITED_PACING)?;
        }
        if let Some(size) = self.max_segment {
            set(&socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, size as c_int)?;
        }
        if let Some(window) = self.receive_window {
            set(&socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, window.get() as c_int)?;
        }
        Ok(())
    }
}

/// Sets a socket option of integers.
pub fn set<T>(socket: impl AsFd, level: c_int, name: c_int, value: T) -> io::Result<()> {
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel reads as many bytes of `value` as it has, all of them initialised integers.
    let answer = unsafe { libc::setsockopt(fd, level, name, (&raw const value).cast(), size_of::<T>() as libc::socklen_t) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
