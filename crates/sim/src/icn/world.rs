//! The event loop of an information-centric network.

use super::build;
use super::nodes::{Nodes, PROBES};
use super::parcel::Parcel;
use crate::error::SimError;
use crate::follow::tell;
use crate::pulse::{Progress, Pulse};
use narrows_measure::{Follower, Record};
use narrows_network::Network;
use narrows_scenario::{Icn, Scenario};
use narrows_units::Time;

/// Runs an information-centric scenario to its end.
pub(crate) fn run(
    scenario: &Scenario,
    icn: &Icn,
    mut progress: Progress<'_>,
    follower: &mut dyn Follower,
) -> Result<Record, SimError> {
    let nodes = build::nodes(scenario, icn, Pulse::new(progress.lent()))?;
    if follower.follows() {
        follower.begun(icn.blank_record::<Parcel>(scenario));
    }
    let mut world = World { network: scenario.network(), nodes, follower, events: 0 };
    world.run(Time::ZERO + scenario.duration)?;
    let World { network, nodes, events, .. } = world;
    Ok(nodes.record(network, events))
}

/// Nodes on a network, in virtual time.
struct World<'a> {
    network: Network<Parcel>,
    nodes: Nodes<'a>,
    follower: &'a mut dyn Follower,
    /// Events of nodes, requests and consumers.
    events: u64,
}

impl World<'_> {
    fn run(&mut self, end: Time) -> Result<(), SimError> {
        let requests = self.nodes.forwarders.len();
        loop {
            let (arrival, (due, element)) = (self.network.arrival_due(), self.nodes.agenda.first());
            let now = arrival.min(due);
            // First: what this ends is not whole.
            if !self.nodes.pulse.goes_on(now.min(end)) {
                return Err(self.nodes.pulse.reason());
            }
            if now > end {
                return Ok(());
            }
            if arrival <= due {
                self.network.arrive(&mut self.nodes);
                continue;
            }
            self.events += 1;
            if element < requests {
                self.nodes.on_node(&mut self.network, now, element);
            } else if element == requests {
                self.nodes.on_request(&mut self.network, now);
            } else if element <= requests + PROBES {
                // Samples and timers outside of the network do not count as network events.
                self.events -= 1;
                self.look(now, element - requests - 1);
            } else {
                self.nodes.on_instance(
                    &mut self.network,
                    now,
                    element - self.nodes.first_instance(),
                );
            }
        }
    }

    /// One of the elements between the requests and the consumers: samples, the end of the warm-up,
    /// changes.
    fn look(&mut self, now: Time, which: usize) {
        let next = match which {
            0 => {
                self.nodes.sample(now);
                self.network.sample(now);
                tell(self.follower, self.nodes.latest(), &self.network);
                now + self.nodes.scenario.interval
            }
            1 => {
                self.nodes.end_warmup();
                self.network.end_warmup(now);
                Time::NEVER
            }
            _ => {
                self.network.change(now, &mut self.nodes);
                self.network.change_due()
            }
        };
        self.nodes.agenda.set(self.nodes.first_instance() - PROBES + which, next);
    }
}
