//! Nodes on a network, in virtual time.

use super::build;
use super::nodes::Nodes;
use super::parcel::Parcel;
use crate::error::SimError;
use crate::event_loop::{self, Elements, Inhabitants};
use crate::pulse::{Progress, Pulse};
use narrows_measure::{FlowSample, Follower, Record};
use narrows_network::{Agenda, Network};
use narrows_scenario::{Icn, Scenario};
use narrows_units::Time;

/// Runs an information-centric scenario to its end.
pub(crate) fn run(
    scenario: &Scenario,
    icn: &Icn,
    mut progress: Progress<'_>,
    follower: &mut dyn Follower,
) -> Result<Record, SimError> {
    let mut nodes = build::nodes(scenario, icn, Pulse::new(progress.lent()))?;
    if follower.follows() {
        follower.begun(icn.blank_record::<Parcel>(scenario));
    }
    let mut network: Network<Parcel> = scenario.network();
    let end = Time::ZERO + scenario.duration;
    let events = event_loop::run(&mut network, &mut nodes, follower, end)?;
    Ok(nodes.record(network, events))
}

/// Nodes and the requests are fixed; consumers come and go.
impl<'a> Inhabitants<'a, Parcel> for Nodes<'a> {
    #[inline(always)]
    fn agenda(&mut self) -> &mut Agenda {
        &mut self.agenda
    }

    #[inline(always)]
    fn elements(&self) -> Elements {
        Nodes::elements(self)
    }

    #[inline(always)]
    fn pulse(&mut self) -> &mut Pulse<'a> {
        &mut self.pulse
    }

    #[inline(always)]
    fn on_fixed(&mut self, network: &mut Network<Parcel>, now: Time, number: usize) {
        if number == self.requests_element() {
            self.on_request(network, now);
        } else {
            self.on_node(network, now, number);
        }
    }

    #[inline(always)]
    fn on_passing(&mut self, network: &mut Network<Parcel>, now: Time, place: usize) {
        self.on_instance(network, now, place);
    }

    fn sample(&mut self, now: Time) -> Time {
        self.sample_flows(now);
        now + self.scenario.interval
    }

    fn latest(&self) -> impl Iterator<Item = (usize, FlowSample)> {
        self.latest_samples()
    }

    fn end_warmup(&mut self, _: Time) {
        self.note_warmup();
    }

    /// Nodes hear of each change by itself.
    fn look_at_rates(&mut self, _network: &Network<Parcel>, _now: Time) -> Time {
        Time::NEVER
    }
}
