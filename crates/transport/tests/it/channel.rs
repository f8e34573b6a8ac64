//! A sender and a receiver over a channel that loses, delays, reorders and repeats: everything
//! arrives, once.

use crate::common::Rig;
use narrows_control::Reduction;
use narrows_transport::{
    Ack, AckFormat, Data, LossDetection, Receiver, RecoveryAlgorithm, Transport,
};
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Ecn;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Channel {
    seed: u64,
    segments: u64,
    window: f64,
    pacing: Option<u64>,
    immediate: bool,
    ecn: bool,
    ack_every: u32,
    receive_window: Option<u64>,
    detection: LossDetection,
    recovery: RecoveryAlgorithm,
    numbered: bool,
    sack: bool,
    timestamps: bool,
    gro_us: u64,
    probes: bool,
    frto: bool,
    undo: bool,
    loss: f64,
    ack_loss: f64,
    repeated: f64,
    marked: f64,
    delay_ms: u64,
    jitter_ms: u64,
    /// The application pauses for so long after each ten segments.
    pause_ms: u64,
}

fn channel() -> impl Strategy<Value = Channel> {
    let detection =
        prop::sample::select(vec![LossDetection::Rack, LossDetection::Dupack, LossDetection::Fack]);
    let recovery = prop::sample::select(vec![
        RecoveryAlgorithm::Prr,
        RecoveryAlgorithm::Rfc9937,
        RecoveryAlgorithm::RateHalving,
        RecoveryAlgorithm::Pipe,
        RecoveryAlgorithm::Reno,
    ]);
    let options =
        (any::<bool>(), any::<bool>(), any::<bool>(), prop_oneof![Just(0u64), 1u64..20_000]);
    let repair = (detection, recovery, options, any::<bool>(), any::<bool>(), any::<bool>());
    let transport = (any::<bool>(), any::<bool>(), 1u32..9, prop::option::of(1u64..30), repair);
    let network = (
        0.0..0.5f64,
        0.0..0.5f64,
        0.0..0.1f64,
        0.0..0.2f64,
        1u64..100,
        prop_oneof![Just(0u64), 1u64..150],
    );
    let source = (
        any::<u64>(),
        1u64..200,
        0.3..60.0f64,
        prop::option::of(100u64..100_000),
        prop_oneof![3 => Just(0u64), 1 => 1u64..2000],
    );
    (transport, network, source).prop_map(|(transport, network, source)| {
        let (
            immediate,
            ecn,
            ack_every,
            receive_window,
            (detection, recovery, options, probes, frto, undo),
        ) = transport;
        let (numbered, sack, timestamps, gro_us) = options;
        let (loss, ack_loss, repeated, marked, delay_ms, jitter_ms) = network;
        let (seed, segments, window, pacing, pause_ms) = source;
        Channel {
            seed,
            segments,
            window,
            pacing,
            immediate,
            ecn,
            ack_every,
            receive_window,
            detection,
            recovery,
            numbered,
            sack,
            timestamps,
            gro_us,
            probes,
            frto,
            undo,
            loss,
            ack_loss,
            repeated,
            marked,
            delay_ms,
            jitter_ms,
            pause_ms,
        }
    })
}

enum Event {
    Write,
    Data(Data, Ecn),
    Ack(Ack),
}

struct World {
    channel: Channel,
    random: Random,
    rig: Rig,
    receiver: Receiver,
    agenda: BTreeMap<(Time, u64), Event>,
    events: u64,
    written: u64,
    highest: u64,
}

impl World {
    fn new(channel: Channel) -> World {
        let transport = Transport {
            ack_every: channel.ack_every,
            receive_window: channel.receive_window.map(|segments| Bytes::new(1448 * segments)),
            loss_detection: channel.detection,
            recovery: channel.recovery,
            acks: if channel.numbered { AckFormat::Numbered } else { AckFormat::Cumulative },
            sack: channel.sack || channel.numbered,
            timestamps: channel.timestamps,
            gro: Span::from_micros(channel.gro_us),
            tail_loss_probe: channel.probes,
            frto: channel.frto,
            undo: channel.undo,
            max_rto: Span::from_secs(10),
            ..Transport::default()
        };
        let rig = Rig::with(channel.window, &transport);
        rig.decide(|decision| {
            decision.pacing = channel.pacing.map(Rate::from_kbps);
            decision.reduction =
                if channel.immediate { Reduction::Immediate } else { Reduction::Transport };
            decision.ecn = if channel.ecn { Ecn::Ect0 } else { Ecn::NotEct };
        });
        let random = Random::stream(channel.seed, "channel");
        World {
            receiver: Receiver::new(&transport),
            channel,
            random,
            rig,
            agenda: BTreeMap::new(),
            events: 0,
            written: 0,
            highest: 0,
        }
    }

    fn at(&mut self, time: Time, event: Event) {
        self.events += 1;
        self.agenda.insert((time, self.events), event);
    }

    fn arrival(&mut self, now: Time) -> Time {
        let jitter = Span::from_millis(self.channel.jitter_ms);
        let jitter = if jitter.is_zero() { jitter } else { self.random.span_below(jitter) };
        now + Span::from_millis(self.channel.delay_ms) + jitter
    }

    fn write(&mut self, now: Time) {
        let rest = self.channel.segments - self.written;
        if self.channel.pause_ms == 0 || rest <= 10 {
            // The last segment has a single byte.
            self.rig.sender.write_message(Bytes::new(1448 * (rest - 1) + 1));
            self.rig.sender.finish();
            self.written += rest;
        } else {
            self.rig.sender.write(10);
            self.written += 10;
            self.at(now + Span::from_millis(self.channel.pause_ms), Event::Write);
        }
    }

    fn send(&mut self, now: Time) {
        for data in self.rig.send(now) {
            assert!(
                data.number <= self.highest && data.number < self.written,
                "it sends what exists, in order"
            );
            assert_eq!(data.retransmission, data.number < self.highest);
            self.highest = self.highest.max(data.number + 1);
            let copies = 1 + self.random.chance(self.channel.repeated) as u32;
            for _ in 0..copies {
                if !self.random.chance(self.channel.loss) {
                    let marked = self.channel.ecn
                        && !data.retransmission
                        && self.random.chance(self.channel.marked);
                    let arrival = self.arrival(now);
                    self.at(arrival, Event::Data(data, if marked { Ecn::Ce } else { Ecn::NotEct }));
                }
            }
        }
    }

    fn acknowledge(&mut self, now: Time, ack: Option<Ack>) {
        let Some(ack) = ack else { return };
        if !self.random.chance(self.channel.ack_loss) {
            let arrival = self.arrival(now);
            self.at(arrival, Event::Ack(ack));
        }
    }

    fn on_event(&mut self, now: Time, event: Event) {
        match event {
            Event::Write => self.write(now),
            Event::Data(data, ecn) => {
                let ack = self.receiver.on_data(now, &data, ecn, None);
                self.acknowledge(now, ack);
            }
            Event::Ack(ack) => {
                self.rig.deliver(now, ack);
            }
        }
    }

    /// Runs until everything is acknowledged; the virtual time that took.
    fn run(&mut self) -> Time {
        self.write(Time::ZERO);
        let mut now = Time::ZERO;
        loop {
            self.send(now);
            if self.rig.sender.is_done() {
                return now;
            }
            let event = self.agenda.first_key_value().map(|((time, _), _)| *time);
            let timer = self.rig.sender.next_timer();
            let outstanding = if self.channel.numbered {
                self.rig.sender.in_flight() > 0
            } else {
                self.highest > self.acknowledged()
            };
            assert!(timer.is_some() || !outstanding, "data outstanding and no timer");
            let due = [event, timer, self.rig.sender.ready_at(now), self.receiver.next_timer()];
            let next = due.into_iter().flatten().min().expect("something is due");
            assert!(next >= now || timer == Some(next), "time goes on");
            now = now.max(next);
            self.events += 1;
            assert!(self.events < 200_000, "it does not end");
            if event.is_some_and(|time| time <= now) {
                let (_, event) = self.agenda.pop_first().expect("an event");
                self.on_event(now, event);
            } else if timer.is_some_and(|time| time <= now) {
                self.rig.on_timer(now);
            } else {
                let ack = self.receiver.on_timer(now);
                self.acknowledge(now, ack);
            }
            // The window comes back after each reduction, as a controller's would.
            if self.events.is_multiple_of(20) {
                self.rig.window(self.channel.window);
            }
        }
    }

    fn acknowledged(&self) -> u64 {
        self.rig.script.lock().unwrap().acknowledged
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn every_transfer_completes_and_every_segment_is_acknowledged_once(channel in channel()) {
        let mut world = World::new(channel.clone());
        world.run();
        let script = world.rig.script.lock().unwrap();
        if channel.numbered {
            // Each transmission has at most one fate.
            let mut fates: Vec<u32> = script.fates.iter().map(|(tag, _)| *tag).collect();
            fates.sort_unstable();
            prop_assert!(fates.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(world.rig.sender.is_done());
            prop_assert_eq!(world.receiver.goodput(), Bytes::new(1448 * (channel.segments - 1) + 1));
            return Ok(());
        }
        let mut acked: Vec<u64> = script.heard.iter().flat_map(|heard| heard.acked.iter().map(|acked| acked.number)).collect();
        acked.sort_unstable();
        prop_assert_eq!(acked, (0..channel.segments).collect::<Vec<_>>());
        prop_assert_eq!(world.receiver.goodput(), Bytes::new(1448 * (channel.segments - 1) + 1));
        prop_assert_eq!(world.rig.sender.in_flight(), 0);
        prop_assert_eq!(world.rig.sender.next_timer(), None);
        let counters = world.rig.sender.counters();
        prop_assert_eq!(counters.sent, channel.segments + counters.retransmitted);
        if channel.loss == 0.0 && channel.jitter_ms == 0 {
            prop_assert_eq!(counters.recoveries, 0);
        }
    }
}
