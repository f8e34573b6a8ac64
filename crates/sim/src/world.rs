//! Hosts on a network, in virtual time.

use crate::SimError;
use crate::carried::Carried;
use crate::event_loop::{self, Elements, Inhabitants};
use crate::hosts::Hosts;
use crate::packet::{Net, Packet};
use crate::probes::Flows;
use crate::pulse::{Progress, Pulse};
use crate::source::Tally;
use crate::watch::Watch;
use narrows_measure::{FlowSample, Follower, Record};
use narrows_network::Agenda;
use narrows_scenario::Scenario;
use narrows_units::Time;

/// Hosts on a network.
pub(crate) struct World<'a, O, C: Carried> {
    network: Net<C>,
    hosts: Hosts<'a, O, C>,
    follower: &'a mut dyn Follower,
    /// Events of flows and connections.
    events: u64,
}

impl<'a, O: Watch, C: Carried> World<'a, O, C> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        listable: u64,
        progress: Progress<'a>,
        observer: &'a mut O,
        follower: &'a mut dyn Follower,
    ) -> Result<World<'a, O, C>, SimError> {
        let mut network: Net<C> = scenario.network();
        if !O::WATCHES {
            network.look_ahead();
        }
        let hosts = Hosts::new(scenario, &network, listable, progress, observer)?;
        Ok(World { network, hosts, follower, events: 0 })
    }

    /// Runs until `end`.
    pub(crate) fn run(&mut self, end: Time) -> Result<(), SimError> {
        self.events = event_loop::run(&mut self.network, &mut self.hosts, self.follower, end)?;
        Ok(())
    }

    /// The record of the run.
    pub(crate) fn record(self) -> Record {
        let World { network, hosts, events, .. } = self;
        let Hosts { scenario, slots, sources, tallies, probes, .. } = hosts;
        probes.finish(scenario, (slots, sources, tallies), network, events)
    }
}

/// Flows are fixed; the connections of transfers that open their own come and go.
impl<'a, O: Watch, C: Carried> Inhabitants<'a, Packet<C>> for Hosts<'a, O, C> {
    #[inline(always)]
    fn agenda(&mut self) -> &mut Agenda {
        &mut self.agenda
    }

    #[inline(always)]
    fn elements(&self) -> Elements {
        Elements::new(self.sources.len())
    }

    #[inline(always)]
    fn pulse(&mut self) -> &mut Pulse<'a> {
        &mut self.pulse
    }

    #[inline(always)]
    fn on_fixed(&mut self, network: &mut Net<C>, now: Time, flow: usize) {
        self.on_flow(network, now, flow);
    }

    #[inline(always)]
    fn on_passing(&mut self, network: &mut Net<C>, now: Time, place: usize) {
        let slot = self.sources.len() + place;
        let due = self.on_connection(network, now, slot);
        self.agenda.set(self.element(slot), due);
    }

    fn sample(&mut self, now: Time) -> Time {
        self.check_outstanding(now);
        let Hosts { sources, tallies, slots, probes, .. } = self;
        probes.sample(now, Flows { slots, sources, tallies });
        now + self.scenario.interval
    }

    fn latest(&self) -> impl Iterator<Item = (usize, FlowSample)> {
        self.probes.latest()
    }

    fn end_warmup(&mut self, now: Time) {
        let Hosts { sources, tallies, slots, probes, .. } = self;
        probes.end_warmup(now, Flows { slots, sources, tallies });
        tallies.iter_mut().for_each(Tally::forget_delays);
    }

    fn look_at_rates(&mut self, network: &Net<C>, now: Time) -> Time {
        self.refresh_overhead(network, now);
        self.overhead.next_refresh(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Span;

    /// Why a run with room for 5000 packets, as many segments outstanding, and 100 connections does
    /// not end.
    fn error(text: &str) -> SimError {
        let scenario = narrows_scenario::parse(text, "test.toml", &|path| {
            panic!("no trace is read from {path:?}")
        })
        .unwrap();
        let (mut go_on, mut nobody, mut follower) = (|_: Time| true, (), ());
        let mut world = World::<(), ()>::new(
            &scenario,
            0,
            Progress::heard_by(&mut go_on),
            &mut nobody,
            &mut follower,
        )
        .unwrap();
        (world.hosts.room, world.hosts.most_open) = (5_000, 100);
        world.run(Time::ZERO + scenario.duration).expect_err("there is no room for all")
    }

    #[test]
    fn a_network_that_fills_without_end_is_refused_with_what_fills_it() {
        let text = "duration = \"10 s\"\n[[link]]\nname = \"far\"\nbetween = [\"a\", \"b\"]\ndelay = \"1 s\"\n\
                    [[flow]]\nname = \"few\"\nfrom = \"a\"\nto = \"b\"\nworkload = { rate = \"1 Mbit/s\" }\n\
                    [[flow]]\nname = \"many\"\nfrom = \"a\"\nto = \"b\"\nworkload = { rate = \"1 Gbit/s\", frame = \"100 ms\" }\n";
        // A frame is 8,633 packets, the first of which leaves with the first packet of the other
        // flow.
        assert_eq!(
            error(text),
            SimError::Crowded {
                flow: "many".to_owned(),
                packets: 5_001,
                own: 5_000,
                at: Span::ZERO
            }
        );
    }

    #[test]
    fn what_connections_together_keep_of_what_was_dropped_is_bounded() {
        let text = "duration = \"10 s\"\n[[link]]\nname = \"narrow\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
                    buffer = \"10 packets\"\n[transport]\ninitial_window = 2000\n\
                    [[flow]]\nname = \"many\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\nworkload = { arrivals = \"100/s\", sizes = \"9 MB\" }\n";
        let told = error(text);
        let SimError::Outstanding { flow, segments, own, .. } = &told else { panic!("{told}") };
        assert!(flow == "many" && segments == own && (5_001..9_000).contains(own), "{told}");
    }

    #[test]
    fn a_burst_of_a_controller_stops_when_the_network_is_full() {
        let text = "duration = \"10 s\"\n[[link]]\nname = \"far\"\nbetween = [\"a\", \"b\"]\ndelay = \"1 s\"\n[transport]\ninitial_window = 1000000\n\
                    [[flow]]\nname = \"burst\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n";
        assert_eq!(
            error(text),
            SimError::Crowded {
                flow: "burst".to_owned(),
                packets: 5_001,
                own: 5_001,
                at: Span::from_secs(2)
            }
        );
    }

    #[test]
    fn connections_open_at_once_are_bounded() {
        let text = "duration = \"10 s\"\n[[link]]\nname = \"narrow\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"10 packets\"\n\
                    [[flow]]\nname = \"few\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n\
                    [[flow]]\nname = \"many\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\nworkload = { arrivals = \"1000/s\", sizes = \"9 MB\" }\n";
        let told = error(text);
        let SimError::Connections { flow, connections, own, .. } = &told else { panic!("{told}") };
        assert!(flow == "many" && (*connections, *own) == (101, 100), "{told}");
    }
}
