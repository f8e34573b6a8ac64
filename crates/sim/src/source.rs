//! Flows: their application, their connections, and what the world counts of them.

use crate::request::Request;
use narrows_control::Saved;
use narrows_measure::{FlowCounters, Histogram};
use narrows_scenario::{Arrivals, Flow, Scenario, Workload};
use narrows_traffic::Application;
use narrows_units::{Bytes, Time};
use prefetch_index::prefetch_index;

/// The source of a flow's data.
pub(crate) struct Source {
    pub(crate) application: Application,
    pub(crate) request: Request,
    /// Slots of its connections, if they come and go, and which of them are free.
    pub(crate) connections: Vec<u32>,
    pub(crate) free: Vec<u32>,
    /// State that an earlier connection saved for the next one, and when.
    saved: Option<(Saved, Time)>,
    reconnects: bool,
}

impl Source {
    pub(crate) fn new(scenario: &Scenario, flow: &Flow) -> Source {
        let reconnects =
            matches!(flow.workload, Workload::Arrivals(Arrivals { reconnects: true, .. }));
        Source {
            application: Application::new(scenario, flow),
            request: Request::default(),
            connections: Vec::new(),
            free: Vec::new(),
            saved: flow.saved.map(|saved| (saved, Time::ZERO)),
            reconnects,
        }
    }

    /// Takes what an earlier connection has saved, for a connection that opens now. Without
    /// `reconnect` each connection gets what the scenario says.
    pub(crate) fn take_saved(&mut self, now: Time) -> Option<Saved> {
        let (saved, at) = if self.reconnects { self.saved.take() } else { self.saved }?;
        Some(Saved { age: saved.age + now.since(at), ..saved })
    }

    /// A connection is over, and has saved this. It keeps what stands if it has saved nothing.
    pub(crate) fn keep_saved(&mut self, saved: Option<Saved>, now: Time) {
        if let Some(saved) = saved.filter(|_| self.reconnects) {
            self.saved = Some((saved, now));
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
    /// Counts of connections that are gone, if some are.
    pub(crate) gone: Option<Box<FlowCounters>>,
}

impl Tally {
    /// Fetches what every packet touches.
    pub(crate) fn fetch(&self) {
        for line in 0..3 {
            prefetch_index(std::slice::from_ref(&self.arrived), line * 8);
        }
        prefetch_index(std::slice::from_ref(&self.arrived), 8usize.wrapping_neg());
    }

    /// The warm-up is over: delays are counted from here on.
    pub(crate) fn forget_delays(&mut self) {
        self.rtt = Histogram::new();
        self.one_way = Histogram::new();
    }
}
