//! Moves packets between the hosts' devices and the links, in real time.

use super::egress::{Egress, EgressPacket};
use super::scheduler::SchedStat;
use super::stats::{Emulated, EmulatorStats};
use super::transit::{Identity, Transit};
use crate::clock::{Alarm, Clock};
use crate::host::Host;
use crate::precision::DedicatedCore;
use crate::tap::Tap;
use crate::wire::{Pool, WirePacket, Write};
use narrows_measure::Emulation;
use narrows_network::Network;
use narrows_scenario::Scenario;
use narrows_units::{Span, Time};
use std::io;

/// Frames to read from a device before other devices are read.
const READ_BATCH: usize = 8;

/// Longest wait, and longest time until a stop is noticed.
const MAX_WAIT: Span = Span::from_millis(50);

/// Time between polls of the devices while there is other work.
const POLL_INTERVAL: Span = Span::from_micros(20);

/// Time after the last packet for which the emulator polls instead of sleeping, if it has its own
/// core. Waking takes about 30 us in a virtual machine, which would add to the delay of the next
/// packet.
const BUSY_POLL: Span = Span::from_millis(100);

/// Lateness from which several packets of a connection are written as one.
const COALESCE_AFTER: Span = Span::from_micros(200);

struct Emulator<'a, E> {
    scenario: &'a Scenario,
    hosts: &'a [Host],
    clock: Clock,
    network: Network<Transit<WirePacket>>,
    egress: E,
    pool: Pool,
    write: Write,
    sample_at: Time,
    warmup: Time,
    stats: EmulatorStats,
    /// Time at which the last packet was read.
    last_read: Time,
    /// Greatest acceptable lateness of a packet.
    sound: Span,
    core: Option<&'a DedicatedCore>,
    tap: &'a Tap,
}

/// Emulates until the scenario ends, or as long as `go_on` returns true. With its own core, it does
/// not sleep while there are packets.
pub fn emulate<E: Egress>(
    scenario: &Scenario,
    hosts: &[Host],
    egress: E,
    clock: Clock,
    tap: &Tap,
    core: Option<&DedicatedCore>,
    go_on: &dyn Fn() -> bool,
) -> io::Result<Emulated<E::Counts>> {
    let mut emulator = Emulator {
        scenario,
        hosts,
        clock,
        network: scenario.network(),
        egress,
        pool: Pool::new(),
        write: Write::new(),
        sample_at: Time::ZERO + scenario.interval,
        warmup: Time::ZERO + scenario.warmup,
        stats: EmulatorStats::default(),
        last_read: Time::ZERO,
        tap,
        sound: Emulation::sound_lateness(shortest_round_trip(scenario)),
        core,
    };
    let before = SchedStat::read();
    let ended = emulator.run(go_on)?;
    emulator.stats.scheduler = SchedStat::read().since(&before);
    Ok(emulator.finish(ended))
}

/// Returns the shortest round trip of a flow without queues.
pub fn shortest_round_trip(scenario: &Scenario) -> Span {
    let shortest = match &scenario.icn {
        Some(icn) => icn.flow_records(scenario).iter().map(|flow| flow.base_rtt).min(),
        None => scenario.flows.iter().map(|flow| scenario.base_rtt(flow)).min(),
    };
    shortest.unwrap_or(Span::ZERO)
}

impl<E: Egress> Emulator<'_, E> {
    fn run(&mut self, go_on: &dyn Fn() -> bool) -> io::Result<Time> {
        let end = Time::ZERO + self.scenario.duration;
        let mut alarm = Alarm::new()?;
        for (number, host) in self.hosts.iter().enumerate() {
            alarm.watch(&host.tun, number as u64)?;
        }
        let (mut polled, mut checked) = (Time::ZERO, self.clock.now());
        loop {
            let now = self.clock.now().min(end);
            self.advance(now);
            if now >= end || !go_on() {
                let ended = self.clock.now().min(end);
                self.advance(ended);
                return Ok(ended);
            }
            let transmitted = self.transmit();
            if let Some(host) = transmitted {
                // Read the host soon, because it may answer at once, and the answer is stamped when
                // it is read.
                self.receive(host)?;
                if now.since(polled) < POLL_INTERVAL {
                    continue;
                }
            }
            polled = now;
            let idle = self.egress.packets().is_empty();
            let under_way = self.network.inside() > 0 || now < self.last_read + BUSY_POLL;
            let busy_polling = under_way && self.core.is_some_and(DedicatedCore::is_exclusive);
            let next = self
                .network
                .due()
                .min(self.sample_at)
                .min(self.warmup)
                .min(end)
                .min(now + MAX_WAIT);
            let wait = if idle && !busy_polling {
                next.since(self.clock.now().min(next))
            } else {
                Span::ZERO
            };
            let since = if transmitted.is_some() { self.clock.now() } else { now };
            let ready = alarm.wait(wait)?;
            let before = std::mem::replace(&mut checked, self.clock.now());
            if idle {
                self.stats.idle += checked.since(since);
            }
            if under_way {
                self.stats.polled_after(
                    since.since(before) + checked.since(since).saturating_sub(wait),
                    self.sound,
                );
            }
            for host in ready {
                self.receive(host as usize)?;
            }
        }
    }

    /// Advances the network to `now`, and takes the samples that are due.
    fn advance(&mut self, now: Time) {
        while self.warmup.min(self.sample_at) <= now {
            let at = self.warmup.min(self.sample_at);
            self.network.advance_to_sample(at, &mut self.egress);
            // At the same time, the sample comes before the end of the warm-up, as in the
            // simulator.
            let ends_warmup = self.warmup < self.sample_at;
            if ends_warmup {
                self.network.end_warmup(at);
                self.egress.end_warmup();
                self.warmup = Time::NEVER;
            } else {
                self.network.sample(at);
                self.egress.sample();
                self.tap.network(at, self.egress.latest_samples(), self.network.latest_samples());
                self.sample_at += self.scenario.interval;
            }
        }
        self.network.advance(now, &mut self.egress);
    }

    /// Puts the packets that a host has sent into the network, each at the time when it is read.
    fn receive(&mut self, number: usize) -> io::Result<()> {
        let tun = &self.hosts[number].tun;
        for _ in 0..READ_BATCH {
            let frame = match self
                .pool
                .fill(|buffer| tun.read(buffer).map_err(Some)?.ok_or(None::<io::Error>))
            {
                Ok(frame) => frame,
                Err(None) => break,
                Err(Some(error)) => {
                    let name = &self.hosts[number].name;
                    return Err(io::Error::new(
                        error.kind(),
                        format!("the device of host \"{name}\" gives no more packets ({error})"),
                    ));
                }
            };
            self.stats.crossings += 1;
            let Some((flow, back)) = self.egress.classify(&frame, number) else {
                self.stats.unknown += 1;
                continue;
            };
            let now = self.clock.now().min(Time::ZERO + self.scenario.duration);
            self.last_read = now;
            self.advance(now);
            for packet in frame.packets(u64::from(flow) << 1 | u64::from(back)) {
                self.stats.packets += 1;
                let load = self.egress.sent(now, flow, back, &packet);
                let transit =
                    Transit::new(&self.network, now, packet, Identity { flow, back, load });
                self.network.enter(now, transit, &mut self.egress);
            }
        }
        Ok(())
    }

    /// Writes the first packet that is due, and returns the number of its host. If the emulator is
    /// late, it writes the next packets of the connection with it.
    fn transmit(&mut self) -> Option<usize> {
        let EgressPacket { due, host, packet } = self.egress.packets().pop_front()?;
        let late = self.clock.now().since(due);
        self.stats.lateness.record(late);
        // An empty write takes any packet.
        self.write.push(packet).ok();
        while late > COALESCE_AFTER
            && self.egress.packets().front().is_some_and(|next| next.host == host)
            && let Some(EgressPacket { due, host, packet }) = self.egress.packets().pop_front()
        {
            if let Err(packet) = self.write.push(packet) {
                self.egress.packets().push_front(EgressPacket { due, host, packet });
                break;
            }
            self.stats.lateness.record(self.clock.now().since(due));
        }
        self.stats.crossings += 1;
        if let Some(Err(_)) = self.write.pieces(|pieces| self.hosts[host].tun.write(pieces)) {
            self.stats.refused += self.write.packets().len() as u64;
        }
        self.write.clear();
        Some(host)
    }

    fn finish(self, end: Time) -> Emulated<E::Counts> {
        let links = self.network.finish(end, self.scenario.link_plans());
        Emulated { links, flows: self.egress.finish(), stats: self.stats, ended: end }
    }
}
