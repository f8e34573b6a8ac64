//! Flows: their application, their connections, and what the world counts of them.

use crate::request::Request;
use narrows_measure::{FlowCounters, Histogram};
use narrows_scenario::{Flow, Scenario};
use narrows_traffic::Application;
use narrows_units::{Bytes, Time};

/// The source of a flow's data.
pub(crate) struct Source {
    pub(crate) application: Application,
    pub(crate) request: Request,
    /// Slots of its connections, if they come and go, and which of them are free.
    pub(crate) connections: Vec<u32>,
    pub(crate) free: Vec<u32>,
}

impl Source {
    pub(crate) fn new(scenario: &Scenario, flow: &Flow) -> Source {
        Source {
            application: Application::new(scenario, flow),
            request: Request::default(),
            connections: Vec::new(),
            free: Vec::new(),
        }
    }

    /// When the application wants to be looked at, or its request to be repeated.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.application.due().min(self.request.repeat_at)
    }
}

/// Counts of a flow that the world keeps beside its endpoints.
///
/// Every packet touches what comes first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Tally {
    pub(crate) one_way: Histogram,
    pub(crate) arrived: u64,
    pub(crate) arrived_wire: Bytes,
    pub(crate) acks: u64,
    pub(crate) rtt: Histogram,
    pub(crate) dropped: u64,
    pub(crate) datagrams_sent: u64,
    pub(crate) datagram_goodput: Bytes,
    pub(crate) syns: u64,
    pub(crate) dropped_handshakes: u64,
    /// The goodput when the flow was stopped.
    pub(crate) stopped_with: Option<Bytes>,
    /// Counts of connections that are gone.
    pub(crate) gone: FlowCounters,
}

impl Tally {
    /// The warm-up is over: delays are counted from here on.
    pub(crate) fn forget_delays(&mut self) {
        self.rtt = Histogram::new();
        self.one_way = Histogram::new();
    }
}
