//! One list of packets goes through the simulator and through the emulator's network. In both, each
//! packet comes to the same links at the same times with the same marks, and the same link drops it
//! or it arrives. The links' records are equal too. The emulator's clock wakes up late, as real
//! clocks do.

use crate::torture::scenarios;
use narrows_live::{Identity, Load, Transit};
use narrows_measure::Record;
use narrows_network::{LinkEvent, Network, Visitor};
use narrows_params::Need;
use narrows_path::Packet;
use narrows_scenario::Scenario;
use narrows_transport::{Content, Observer, Point, Seen, Sender};
use narrows_units::{Bytes, Random, Time};
use narrows_wire::{Ecn, Header};
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// Number of random networks.
const NETWORKS: usize = 150;

/// An event of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    at: Time,
    what: What,
    flow: u32,
    back: bool,
    /// Size and ECN code point. `None` if the packet was dropped.
    seen: Option<(Bytes, Ecn)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Sent,
    Entering(usize),
    Leaving(usize),
    Dropped(usize),
    Delivered,
}

/// Records all events of the simulator.
struct Log<'a> {
    scenario: &'a Scenario,
    events: Vec<Event>,
}

impl Observer for Log<'_> {
    fn on_packet(&mut self, seen: &Seen) {
        // A flow with a controller sends requests as datagrams: their data is not acknowledged.
        let back = match seen.content {
            Content::Ack(..) => true,
            Content::Data(_) => false,
            Content::Datagram(_) => self.scenario.flows[seen.flow].controller.is_some(),
        };
        let what = match seen.point {
            Point::Sender if back => What::Delivered,
            Point::Receiver if !back => What::Delivered,
            Point::Sender | Point::Receiver => What::Sent,
            Point::Entering(link) => What::Entering(link),
            Point::Leaving(link) => What::Leaving(link),
            Point::Dropped(link) => What::Dropped(link),
        };
        let known = !matches!(what, What::Dropped(_));
        self.events.push(Event {
            at: seen.at,
            what,
            flow: seen.flow as u32,
            back,
            seen: known.then_some((seen.size, seen.ecn)),
        });
    }

    fn on_sender(&mut self, _: Time, _: usize, _: &Sender) {}
}

/// A packet without content.
#[derive(Debug)]
struct Plain {
    size: Bytes,
    ecn: Ecn,
    /// ECN code point that the sender set.
    sent: Ecn,
}

impl Packet for Plain {
    fn size(&self) -> Bytes {
        self.size
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
    fn sent_ecn(&self) -> Ecn {
        self.sent
    }
    fn flow(&self) -> u64 {
        unreachable!("whoever carries it knows its flow")
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

type Emulated = Network<Transit<Plain>>;

/// Compares the events of the emulator's network with the simulator's log, and sends the packets
/// that the log has sent.
struct Replay<'a> {
    log: &'a [Event],
    /// Number of the log's events that have happened again.
    done: usize,
    first_difference: Option<String>,
}

impl Replay<'_> {
    fn happens(&mut self, event: Event) {
        let expected = self.log.get(self.done);
        if self.first_difference.is_none() && expected != Some(&event) {
            self.first_difference =
                Some(format!("event {}: emulated {event:?}, simulated {expected:?}", self.done));
        }
        self.done += 1;
    }

    /// Returns the next event of the log if it is a sent packet.
    fn next_sent(&self) -> Option<Event> {
        self.log.get(self.done).copied().filter(|event| event.what == What::Sent)
    }

    /// Returns the time at which the next packet is sent, if nothing differs until then.
    fn next_sending(&self) -> Time {
        let rest = self.log.get(self.done..).unwrap_or_default();
        rest.iter().find(|event| event.what == What::Sent).map_or(Time::NEVER, |sent| sent.at)
    }

    fn send(&mut self, network: &mut Emulated, event: Event) {
        self.done += 1;
        let (size, ecn) = event.seen.expect("a packet that was seen");
        let identity = Identity { flow: event.flow, back: event.back, load: Load::default() };
        let transit = Transit::new(network, event.at, Plain { size, ecn, sent: ecn }, identity);
        network.enter(event.at, transit, self);
    }
}

impl Visitor<Transit<Plain>> for Replay<'_> {
    fn delivered(
        &mut self,
        network: &mut Emulated,
        at: Time,
        _link: usize,
        transit: Transit<Plain>,
    ) {
        let Identity { flow, back, .. } = transit.identity;
        self.happens(Event {
            at,
            what: What::Delivered,
            flow,
            back,
            seen: Some((transit.size(), transit.ecn())),
        });
        // Packets that the receiver sends in response leave at once.
        while let Some(sent) = self.next_sent().filter(|sent| sent.at == at) {
            self.send(network, sent);
        }
    }

    fn dropped(&mut self, at: Time, link: usize, Identity { flow, back, .. }: Identity) {
        self.happens(Event { at, what: What::Dropped(link), flow, back, seen: None });
    }

    fn seen(&mut self, at: Time, crossing: LinkEvent, transit: &Transit<Plain>) {
        let Identity { flow, back, .. } = transit.identity;
        let what = match crossing {
            LinkEvent::Entering(link) => What::Entering(link),
            LinkEvent::Leaving(link) => What::Leaving(link),
        };
        self.happens(Event { at, what, flow, back, seen: Some((transit.size(), transit.ecn())) });
    }
}

/// Draws a random scenario whose packets an emulator can carry. It has no headers for routers; no
/// handshakes, which observers do not see; and no connections that come and go.
fn drawn(random: &mut Random) -> Option<Scenario> {
    let drawn = scenarios::draw(random);
    let read = |name: &Path| {
        let found = drawn.traces.iter().find(|(own, _)| Path::new(own) == name);
        found.map(|(_, text)| text.clone()).ok_or_else(|| Error::from(ErrorKind::NotFound))
    };
    let mut scenario = narrows_scenario::parse(&drawn.toml, "random.toml", &read).ok()?;
    let headers = [Need::LoadCode, Need::StampedRate, Need::Delta];
    let writes = |flow: &narrows_scenario::Flow| {
        flow.controller
            .iter()
            .any(|choice| headers.iter().any(|need| choice.needs().contains(need)))
    };
    if scenario.icn.is_some()
        || scenario.flows.iter().any(|flow| writes(flow) || flow.workload.opens_connections())
    {
        return None;
    }
    Arc::make_mut(&mut scenario.flows)
        .iter_mut()
        .for_each(|flow| Arc::make_mut(&mut flow.transport).handshake = false);
    Some(scenario)
}

/// Sends the log's packets into the emulator's network, which is also advanced at random times in
/// between.
fn replay(
    scenario: &Scenario,
    log: &[Event],
    random: &mut Random,
) -> (Vec<String>, Option<String>) {
    let mut network: Emulated = scenario.network();
    let mut replay = Replay { log, done: 0, first_difference: None };
    let end = Time::ZERO + scenario.duration;
    let (mut sample_at, mut warmup, mut now) =
        (Time::ZERO + scenario.interval, Time::ZERO + scenario.warmup, Time::ZERO);
    loop {
        let due = replay.next_sending().min(sample_at).min(warmup).min(end);
        if random.chance(0.3) && due > now {
            now = now + random.span_below(due.since(now));
            network.advance(now, &mut replay);
            continue;
        }
        now = due;
        network.advance_to_sample(now, &mut replay);
        if let Some(sent) = replay.next_sent().filter(|sent| sent.at == now) {
            replay.send(&mut network, sent);
        } else if sample_at == now {
            network.sample(now);
            sample_at += scenario.interval;
        } else if warmup == now {
            network.end_warmup(now);
            warmup = Time::NEVER;
        } else if now == end {
            network.advance(end, &mut replay);
            break;
        }
    }
    if replay.done != log.len() {
        replay.first_difference.get_or_insert(format!(
            "{} of {} events happened",
            replay.done,
            log.len()
        ));
    }
    (
        network.finish(end, scenario.link_plans()).iter().map(|link| format!("{link:?}")).collect(),
        replay.first_difference,
    )
}

fn recorded(record: &Record) -> Vec<String> {
    record.links.iter().map(|link| format!("{link:?}")).collect()
}

#[test]
fn the_simulator_and_the_emulator_do_the_same_to_each_packet() {
    let mut random = Random::stream(1, "differential");
    let (mut networks, mut packets, mut drops) = (0, 0, 0);
    while networks < NETWORKS {
        let Some(scenario) = drawn(&mut random) else { continue };
        let mut log = Log { scenario: &scenario, events: Vec::new() };
        let Ok(record) = narrows_sim::run_observed(
            &scenario,
            narrows_sim::Progress::heard_by(&mut |_| true),
            &mut log,
        ) else {
            continue;
        };
        let (links, difference) = replay(&scenario, &log.events, &mut random);
        assert_eq!(difference, None, "network {networks}:\n{}", scenario.to_toml());
        assert_eq!(links, recorded(&record), "network {networks}:\n{}", scenario.to_toml());
        networks += 1;
        packets += log.events.iter().filter(|event| event.what == What::Sent).count();
        drops += log.events.iter().filter(|event| matches!(event.what, What::Dropped(_))).count();
    }
    println!("{networks} networks, {packets} packets, {drops} of them dropped");
    assert!(packets > 10_000 && drops > 500, "{packets} packets and {drops} drops show little");
}
