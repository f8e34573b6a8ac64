//! Moves packets between the hosts' devices and the links, by the wall clock.

use crate::classify::classify;
use crate::clock::Clock;
use crate::hosts::Host;
use crate::network::{Network, Transit, Watcher};
use narrows_control::{Ecn, Signal};
use narrows_measure::{FlowCounters, Histogram};
use narrows_path::{LinkProbe, Packet};
use narrows_scenario::Scenario;
use narrows_units::{Bytes, Span, Time};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::time::Timespec;
use std::io;
use std::os::fd::OwnedFd;

/// A packet as a device gave it.
#[derive(Debug)]
pub struct Raw(Box<[u8]>);

impl Packet for Raw {
    fn size(&self) -> Bytes {
        Bytes::new(self.0.len() as u64)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn flow(&self) -> u64 {
        0
    }
    fn signal(&mut self) -> Option<&mut Signal> {
        None
    }
}

/// What the emulator counts of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowTally {
    pub counters: FlowCounters,
    pub at_warmup: FlowCounters,
    pub one_way: Histogram,
    /// Wire bytes arrived, packets sent and dropped at each sample.
    pub samples: Vec<(Bytes, u64, u64)>,
}

/// What the hosts' devices are told.
struct Desk<'a> {
    hosts: &'a [Host],
    ends: &'a [(usize, usize)],
    tallies: Vec<FlowTally>,
    clock: Clock,
    lateness: Histogram,
    refused: u64,
}

impl Watcher<Raw> for Desk<'_> {
    fn delivered(&mut self, at: Time, transit: Transit<Raw>) {
        let (from, to) = self.ends[transit.flow as usize];
        let host = if transit.back { from } else { to };
        self.lateness.record(self.clock.now().since(at));
        if self.hosts[host].tun.write(&transit.packet.0).is_err() {
            self.refused += 1;
        }
        let tally = &mut self.tallies[transit.flow as usize];
        if transit.back {
            tally.counters.acks += 1;
        } else if transit.payload > 0 {
            tally.counters.arrived += 1;
            tally.counters.arrived_wire += transit.packet.size();
            tally.one_way.record(at.since(transit.entered));
        }
    }

    fn dropped(&mut self, _: Time, flow: u32, back: bool, payload: u32) {
        if !back && payload > 0 {
            self.tallies[flow as usize].counters.dropped += 1;
        }
    }
}

/// What the emulator has seen.
pub struct Seen {
    pub network: Network<Raw>,
    pub tallies: Vec<FlowTally>,
    pub probes: Vec<LinkProbe>,
    pub lateness: Histogram,
    pub packets: u64,
}

/// Emulates until the scenario ends. `ends` are the places of each flow's hosts.
pub fn emulate(scenario: &Scenario, hosts: &[Host], ends: &[(usize, usize)], clock: Clock, go_on: &dyn Fn() -> bool) -> io::Result<Seen> {
    let end = Time::ZERO + scenario.duration;
    let epoll: OwnedFd = epoll::create(CreateFlags::CLOEXEC)?;
    for (place, host) in hosts.iter().enumerate() {
        epoll::add(&epoll, &host.tun, EventData::new_u64(place as u64), EventFlags::IN)?;
    }
    let mut network = Network::new(scenario);
    let mut desk = Desk { hosts, ends, tallies: vec![FlowTally::default(); ends.len()], clock, lateness: Histogram::new(), refused: 0 };
    let mut probes: Vec<LinkProbe> = scenario.links.iter().map(|_| LinkProbe::default()).collect();
    let mut sample_at = Time::ZERO + scenario.interval;
    let mut warmup = Time::ZERO + scenario.warmup;
    let mut events = Vec::with_capacity(64);
    let mut buffer = vec![0; 65_536 + 128];
    let mut read = Vec::new();
    let mut packets = 0;
    loop {
        for (place, host) in hosts.iter().enumerate() {
            while read.len() < 256
                && let Some(length) = host.tun.read(&mut buffer)?
            {
                read.push((place, Raw(buffer[..length].into())));
            }
        }
        let now = clock.now().min(end);
        while warmup.min(sample_at) <= now {
            let at = warmup.min(sample_at);
            network.advance(at, &mut desk);
            if warmup == at {
                for (probe, link) in probes.iter_mut().zip(&mut network.links) {
                    probe.end_warmup(at, link);
                }
                for tally in &mut desk.tallies {
                    (tally.at_warmup, tally.one_way) = (tally.counters, Histogram::new());
                }
                warmup = Time::NEVER;
            } else {
                for (probe, link) in probes.iter_mut().zip(&mut network.links) {
                    probe.sample(at, link);
                }
                for tally in &mut desk.tallies {
                    tally.samples.push((tally.counters.arrived_wire, tally.counters.sent, tally.counters.dropped));
                }
                sample_at += scenario.interval;
            }
        }
        network.advance(now, &mut desk);
        packets += read.len() as u64;
        let idle = read.is_empty();
        for (place, packet) in read.drain(..) {
            let Some((flow, back, payload)) = classify(&packet.0, place, ends) else { continue };
            if !back && payload > 0 {
                desk.tallies[flow as usize].counters.sent += 1;
            }
            network.enter(now, flow, back, packet, payload, &mut desk);
        }
        if now >= end || !go_on() {
            break;
        }
        if idle {
            let next = network.due().min(sample_at).min(warmup).min(end).min(now + Span::from_millis(50));
            let wait = next.since(clock.now().min(next)).as_nanos();
            let timeout = Timespec { tv_sec: (wait / 1_000_000_000) as i64, tv_nsec: (wait % 1_000_000_000) as i64 };
            events.clear();
            epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout))?;
        }
    }
    Ok(Seen { network, tallies: desk.tallies, probes, lateness: desk.lateness, packets })
}
