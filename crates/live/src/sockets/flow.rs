//! The application of a flow, with its sockets.

use super::datagrams::Datagrams;
use super::stream::Opening;
use crate::host::TcpInfo;
use narrows_measure::{FlowCounters, FlowSample};
use narrows_traffic::{Application, Ledger};
use narrows_units::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

/// A flow of the scenario.
pub struct FlowSockets {
    pub application: Application,
    pub endpoint: Endpoint,
    /// Accepts its connections at the receiver. `None` if the receiver opens them, and for a flow
    /// of datagrams.
    pub listener: Option<OwnedFd>,
    /// Address of the receiver.
    pub to: SocketAddr,
    /// Time at which its connection opens; never after it has been opened.
    pub opens_at: Time,
    /// Time for which it is on the agenda; never if it is not.
    pub scheduled: Time,
    /// Indices of its connections.
    pub streams: BTreeSet<usize>,
    /// Indices of connections that are not accepted yet, by the port of the sender.
    pub unaccepted: BTreeMap<u16, usize>,
    /// Counts of closed connections.
    pub closed: FlowCounters,
    pub samples: Vec<FlowSample>,
    pub at_warmup: FlowView,
}

/// The sockets that belong to the flow as a whole.
pub enum Endpoint {
    /// None: each transfer has a connection, or the connection is not open yet.
    None,
    /// A connection, by its index.
    Stream(usize),
    /// Datagrams.
    Datagrams(Box<Datagrams>),
}

/// The state of a flow at one time.
#[derive(Clone, Copy, Default)]
pub struct FlowView {
    /// Counts of its sockets.
    pub counters: FlowCounters,
    /// Segments in flight on all connections.
    pub in_flight: u32,
    pub connections: u32,
    /// `TCP_INFO` of the flow's own connection.
    pub own: TcpInfo,
}

impl FlowView {
    /// Adds a connection; `opening` has its retransmitted SYNs, which are not data.
    pub fn add(&mut self, info: &TcpInfo, opening: &Opening) {
        self.counters.retransmitted +=
            u64::from(info.total_retrans.saturating_sub(opening.retransmitted));
        self.counters.timeouts += u64::from(info.total_rto.saturating_sub(opening.timeouts));
        self.counters.duplicates += u64::from(info.dsack_dups);
        self.in_flight += (info.unacked + info.retrans).saturating_sub(info.sacked + info.lost);
        self.connections += 1;
    }
}

/// The results of a flow.
pub struct Outcome {
    pub application: Application,
    /// Transfers of its connection or datagrams.
    pub ledger: Ledger,
    pub samples: Vec<FlowSample>,
    pub at_warmup: FlowView,
    pub at_end: FlowView,
}
