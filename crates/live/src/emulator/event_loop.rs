//! Moves packets between the hosts' devices and the links, by the wall clock.

use crate::classify::Lanes;
use crate::clock::{Alarm, Clock};
use crate::desk::{Desk, FlowTally, Parcel};
use crate::gauge::Turns;
use crate::hosts::Host;
use crate::network::Network;
use crate::precision::Cores;
use crate::wire::{Pool, WirePacket, Write};
use narrows_measure::{Emulation, Histogram, LinkRecord};
use narrows_path::LinkProbe;
use narrows_scenario::{LinkId, Scenario};
use narrows_units::{Span, Time};
use std::io;

/// Frames read from a device before others have their turn.
const TURN: usize = 8;

/// The longest wait: how soon a stop is noticed.
const NAP: Span = Span::from_millis(50);

/// How often devices are asked for packets while there is other work.
const GLANCE: Span = Span::from_micros(20);

/// How long after the latest packet it stays awake, if it has a core for itself: to wake takes some 30 us in a virtual machine, which would be added to the delay of
/// whatever comes next.
const AWAKE: Span = Span::from_millis(100);

/// How late packets must be that several of a connection are written as one.
const BEHIND: Span = Span::from_micros(200);

/// What the emulator has seen.
pub struct Seen {
    pub links: Vec<LinkRecord>,
    pub tallies: Vec<FlowTally>,
    pub tally: Tally,
    /// Packets that finished crossing a link.
    pub hops: u64,
    /// When it stopped.
    pub ended: Time,
}

/// What the emulator counts of its own work.
#[derive(Debug, Default)]
pub struct Tally {
    /// How late each packet was written.
    pub lateness: Histogram,
    /// Packets of wire size read.
    pub packets: u64,
    /// Reads and writes that carried something.
    pub crossings: u64,
    /// Packets of no flow.
    pub unknown: u64,
    /// Packets that could not be written.
    pub refused: u64,
    /// Time spent waiting.
    pub idle: Span,
    /// The longest time in which no device was looked at while packets were under way.
    pub gap_max: Span,
    /// How much of such times a packet would have been read later than is sound.
    pub overlooked: Span,
    /// What the scheduler counted.
    pub turns: Turns,
}

impl Tally {
    /// Devices are looked at again after such a time. Whatever came in it may have waited for as long; what is later than `sound` matters.
    fn look(&mut self, gap: Span, sound: Span) {
        self.gap_max = self.gap_max.max(gap);
        self.overlooked += gap.saturating_sub(sound);
    }
}

struct Emulator<'a> {
    scenario: &'a Scenario,
    hosts: &'a [Host],
    lanes: &'a Lanes,
    clock: Clock,
    network: Network<WirePacket>,
    desk: Desk<'a>,
    pool: Pool,
    write: Write,
    probes: Vec<LinkProbe>,
    sample_at: Time,
    warmup: Time,
    tally: Tally,
    /// When the latest packet was read.
    heard: Time,
    /// The latest that is sound for a packet.
    sound: Span,
    cores: Option<&'a Cores>,
}

/// Emulates until the scenario ends, or as long as it is to go on. Alone on a core that was set apart it does not sleep while there are packets.
pub fn emulate(
    scenario: &Scenario,
    hosts: &[Host],
    lanes: &Lanes,
    clock: Clock,
    cores: Option<&Cores>,
    go_on: &dyn Fn() -> bool,
) -> io::Result<Seen> {
    let mut emulator = Emulator {
        scenario,
        hosts,
        lanes,
        clock,
        network: Network::new(scenario),
        desk: Desk::new(lanes, &scenario.flows),
        pool: Pool::new(),
        write: Write::new(),
        probes: scenario.links.iter().map(|_| LinkProbe::default()).collect(),
        sample_at: Time::ZERO + scenario.interval,
        warmup: Time::ZERO + scenario.warmup,
        tally: Tally::default(),
        heard: Time::ZERO,
        sound: Emulation::sound_lateness(shortest_round_trip(scenario)),
        cores,
    };
    let before = Turns::read();
    let ended = emulator.run(go_on)?;
    emulator.tally.turns = Turns::read().since(&before);
    Ok(emulator.finish(ended))
}

/// That of a flow without queues.
pub fn shortest_round_trip(scenario: &Scenario) -> Span {
    scenario.flows.iter().map(|flow| scenario.base_rtt(flow)).min().unwrap_or(Span::ZERO)
}

impl Emulator<'_> {
    fn run(&mut self, go_on: &dyn Fn() -> bool) -> io::Result<Time> {
        let end = Time::ZERO + self.scenario.duration;
        let mut alarm = Alarm::new()?;
        for (place, host) in self.hosts.iter().enumerate() {
            alarm.watch(&host.tun, place as u64)?;
        }
        let (mut glanced, mut looked) = (Time::ZERO, self.clock.now());
        loop {
            let now = self.clock.now().min(end);
            self.advance(now);
            if now >= end || !go_on() {
                let ended = self.clock.now().min(end);
                self.advance(ended);
                return Ok(ended);
            }
            let handed = self.hand_over();
            if let Some(host) = handed {
                // What the packet made its host send should be stamped soon.
                self.take_in(host)?;
                if now.since(glanced) < GLANCE {
                    continue;
                }
            }
            glanced = now;
            let idle = self.desk.outbox.is_empty();
            let under_way = self.network.inside() > 0 || now < self.heard + AWAKE;
            let awake = under_way && self.cores.is_some_and(Cores::alone);
            let next = self.network.due().min(self.sample_at).min(self.warmup).min(end).min(now + NAP);
            let wait = if idle && !awake { next.since(self.clock.now().min(next)) } else { Span::ZERO };
            let since = if handed.is_some() { self.clock.now() } else { now };
            let places = alarm.wait(wait)?;
            let before = std::mem::replace(&mut looked, self.clock.now());
            if idle {
                self.tally.idle += looked.since(since);
            }
            if under_way {
                self.tally.look(since.since(before) + looked.since(since).saturating_sub(wait), self.sound);
            }
            for place in places {
                self.take_in(place as usize)?;
            }
        }
    }

    /// Moves what is due by `now`, and takes the samples that are.
    fn advance(&mut self, now: Time) {
        while self.warmup.min(self.sample_at) <= now {
            let at = self.warmup.min(self.sample_at);
            self.network.advance_to_sample(at, &mut self.desk);
            // At one moment the sample comes first, as in the simulator.
            let ends_warmup = self.warmup < self.sample_at;
            for (probe, link) in self.probes.iter_mut().zip(&mut self.network.links) {
                if ends_warmup { probe.end_warmup(at, link) } else { probe.sample(at, link) }
            }
            if ends_warmup {
                self.desk.end_warmup();
                self.warmup = Time::NEVER;
            } else {
                self.desk.sample();
                self.sample_at += self.scenario.interval;
            }
        }
        self.network.advance(now, &mut self.desk);
    }

    /// Lets the packets that a host has sent into the network, each at the time when it is read.
    fn take_in(&mut self, place: usize) -> io::Result<()> {
        let tun = &self.hosts[place].tun;
        for _ in 0..TURN {
            let frame = match self.pool.fill(|buffer| tun.read(buffer).map_err(Some)?.ok_or(None::<io::Error>)) {
                Ok(frame) => frame,
                Err(None) => break,
                Err(Some(error)) => {
                    let name = &self.hosts[place].name;
                    return Err(io::Error::new(error.kind(), format!("the device of host \"{name}\" gives no more packets ({error})")));
                }
            };
            self.tally.crossings += 1;
            let Some((flow, back)) = self.lanes.classify(&frame, place) else {
                self.tally.unknown += 1;
                continue;
            };
            let now = self.clock.now().min(Time::ZERO + self.scenario.duration);
            self.heard = now;
            self.advance(now);
            for packet in frame.packets(u64::from(flow) << 1 | u64::from(back)) {
                self.tally.packets += 1;
                let load = self.desk.sent(now, flow, back, &packet);
                self.network.enter(now, flow, back, packet, load, &mut self.desk);
            }
        }
        Ok(())
    }

    /// Writes the first packet that is due, and answers the place of its host. While the emulator is behind, those that follow it in its connection go with it.
    fn hand_over(&mut self) -> Option<usize> {
        let Parcel { due, host, packet } = self.desk.outbox.pop_front()?;
        let late = self.clock.now().since(due);
        self.tally.lateness.record(late);
        // The write is empty, so it takes the first whatever it is.
        self.write.push(packet).ok();
        while late > BEHIND
            && self.desk.outbox.front().is_some_and(|next| next.host == host)
            && let Some(Parcel { due, host, packet }) = self.desk.outbox.pop_front()
        {
            if let Err(packet) = self.write.push(packet) {
                self.desk.outbox.push_front(Parcel { due, host, packet });
                break;
            }
            self.tally.lateness.record(self.clock.now().since(due));
        }
        self.tally.crossings += 1;
        if let Some(Err(_)) = self.write.pieces(|pieces| self.hosts[host].tun.write(pieces)) {
            self.tally.refused += self.write.packets().len() as u64;
        }
        self.write.clear();
        Some(host)
    }

    fn finish(mut self, end: Time) -> Seen {
        let hops = self.network.links.iter().map(|link| link.counters().delivered).sum();
        let ends = self.network.links.iter_mut().zip(self.probes).zip(&self.scenario.links).enumerate();
        let record = |(index, ((link, probe), plan)): (usize, ((&mut _, LinkProbe), &narrows_scenario::Link))| {
            probe.finish(end, link, &plan.name, &plan.config, self.scenario.keeps_rate(LinkId(index)))
        };
        Seen { links: ends.map(record).collect(), tallies: self.desk.tallies, tally: self.tally, hops, ended: end }
    }
}
