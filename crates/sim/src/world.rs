//! The event loop.

use crate::SimError;
use crate::carried::Carried;
use crate::follow::tell;
use crate::hosts::{Hosts, PROBES};
use crate::packet::Net;
use crate::probes::Flows;
use crate::pulse::Progress;
use crate::source::Tally;
use crate::watch::Watch;
use narrows_measure::{Follower, Record};
use narrows_scenario::Scenario;
use narrows_units::Time;

/// Hosts on a network, in virtual time.
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

    /// The loop by itself: within its caller it took 1 % more instructions per packet.
    #[inline(never)]
    pub(crate) fn run(&mut self, end: Time) -> Result<(), SimError> {
        let flows = self.hosts.sources.len();
        loop {
            let (arrival, (due, element)) = (self.network.arrival_due(), self.hosts.agenda.first());
            let now = arrival.min(due);
            // First: what these end is not whole.
            if !self.hosts.pulse.goes_on(now.min(end)) {
                return Err(self.hosts.pulse.reason());
            }
            if now > end {
                return Ok(());
            }
            if arrival <= due {
                self.network.arrive(&mut self.hosts);
            } else if element < flows {
                self.events += 1;
                self.hosts.on_flow(&mut self.network, now, element);
            } else if element >= flows + PROBES {
                self.events += 1;
                let due = self.hosts.on_connection(&mut self.network, now, element - PROBES);
                self.hosts.agenda.set(element, due);
            } else {
                // Samples and the end of warm-up do not count as network events.
                self.look(now, element - flows);
            }
        }
    }

    /// The record of the run.
    pub(crate) fn record(self) -> Record {
        let World { network, hosts, events, .. } = self;
        let Hosts { scenario, slots, sources, tallies, probes, .. } = hosts;
        probes.finish(scenario, (slots, sources, tallies), network, events)
    }

    /// One of the elements between the flows and the connections that come and go: samples, the end
    /// of the warm-up, changes, recorded rates.
    fn look(&mut self, now: Time, which: usize) {
        if which == 0 {
            self.hosts.check_outstanding(now);
        }
        let Hosts { sources, tallies, slots, probes, .. } = &mut self.hosts;
        let flows = Flows { slots, sources, tallies };
        let next = match which {
            0 => {
                probes.sample(now, flows);
                self.network.sample(now);
                tell(self.follower, probes.latest(), &self.network);
                now + self.hosts.scenario.interval
            }
            1 => {
                probes.end_warmup(flows);
                self.network.end_warmup(now);
                tallies.iter_mut().for_each(Tally::forget_delays);
                Time::NEVER
            }
            2 => {
                self.network.change(now, &mut self.hosts);
                self.hosts.refresh_overhead(&self.network, now);
                self.network.change_due()
            }
            _ => {
                self.hosts.refresh_overhead(&self.network, now);
                self.hosts.overhead.next_refresh(now)
            }
        };
        self.hosts.agenda.set(self.hosts.sources.len() + which, next);
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
