//! A flow: its application and what it sends over.

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
    /// Where its connections arrive; none of a flow of datagrams.
    pub listener: Option<OwnedFd>,
    /// The address there.
    pub to: SocketAddr,
    /// When its own connection is to be opened, if it has not been.
    pub opens_at: Time,
    /// When it is on the agenda; never if it is not.
    pub scheduled: Time,
    /// The places of its connections.
    pub streams: BTreeSet<usize>,
    /// Those that have not been accepted, by the port of their sender.
    pub unaccepted: BTreeMap<u16, usize>,
    /// The counts of the connections that are closed.
    pub closed: FlowCounters,
    pub samples: Vec<FlowSample>,
    pub at_warmup: FlowView,
}

/// The sockets that a flow has for itself.
pub enum Endpoint {
    /// Nothing: each transfer has a connection, or its connection is not open yet.
    None,
    /// A connection, at this place.
    Stream(usize),
    /// Datagrams.
    Datagrams(Box<Datagrams>),
}

/// The state of a flow at one moment.
#[derive(Clone, Copy, Default)]
pub struct FlowView {
    /// The counts of its sockets.
    pub counters: FlowCounters,
    /// Of all connections together.
    pub in_flight: u32,
    pub connections: u32,
    /// `TCP_INFO` of its own connection.
    pub own: TcpInfo,
}

impl FlowView {
    /// Adds a connection, which opened after `opening`: SYNs that were sent again are no data.
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
    /// Of its own connection, or its datagrams.
    pub ledger: Ledger,
    pub samples: Vec<FlowSample>,
    pub at_warmup: FlowView,
    pub at_end: FlowView,
}
