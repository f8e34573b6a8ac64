//! The overhead of hosts that send: a random time between being able to and doing it, without which
//! flows lock their phases at drop-tail queues (Floyd and Jacobson, "On traffic phase effects in
//! packet-switched gateways", 1992).

use crate::carried::Carried;
use crate::packet::Net;
use narrows_path::RateSource;
use narrows_scenario::Scenario;
use narrows_units::{Bytes, Span, Time};

/// The longest that the hosts of each flow take to send: one full packet's time on the slowest link
/// of the flow's route, at the rate that this link has now.
pub(crate) struct Overhead {
    sizes: Vec<Bytes>,
    most: Vec<Span>,
    /// No host takes any time.
    none: bool,
    /// Rates on some routes are recorded, and change by themselves.
    recorded: bool,
}

/// A recorded rate counts by its mean over the latest whole second.
const REFRESH: Span = Span::from_secs(1);

impl Overhead {
    /// That of the flows of a scenario on its network as it begins.
    pub(crate) fn new<C: Carried>(scenario: &Scenario, network: &Net<C>) -> Overhead {
        let sizes: Vec<Bytes> =
            scenario.flows.iter().map(|flow| flow.transport.mss + flow.transport.headers).collect();
        let recorded =
            scenario.links.iter().any(|link| matches!(link.config.rate, RateSource::Trace { .. }));
        let most = vec![Span::ZERO; sizes.len()];
        let mut overhead = Overhead { sizes, most, none: !scenario.send_overhead, recorded };
        overhead.refresh(network, Time::ZERO);
        overhead
    }

    /// The longest that a host of a flow takes now.
    pub(crate) fn of(&self, flow: usize) -> Span {
        self.most[flow]
    }

    /// The rates of the network may have changed. Returns true if hosts take other times now.
    pub(crate) fn refresh<C: Carried>(&mut self, network: &Net<C>, now: Time) -> bool {
        if self.none {
            return false;
        }
        let rates = network.rates(now.max(Time::ZERO + REFRESH), REFRESH);
        let mut changed = false;
        for (flow, (most, size)) in self.most.iter_mut().zip(&self.sizes).enumerate() {
            let slowest = network.links_of(flow).filter_map(|link| rates[link]).min();
            let next = slowest
                .filter(|rate| !rate.is_zero())
                .map_or(Span::ZERO, |rate| rate.time_for(*size));
            changed |= *most != next;
            *most = next;
        }
        changed
    }

    /// When to look again after `now`, whatever else happens; [`Time::NEVER`] if only changes of
    /// the network matter.
    pub(crate) fn next_refresh(&self, now: Time) -> Time {
        if self.recorded && !self.none { now + REFRESH } else { Time::NEVER }
    }
}
