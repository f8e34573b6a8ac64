//! A sender driven by hand, its controller a script.
#![allow(dead_code)]

use narrows_control::{
    Acked, CaState, Congestion, Controller, Decision, EcnDelta, Fault, Feedback, Open, Outstanding,
    RateSample, Reduction, Sent, Tag, Timeout,
};
use narrows_transport::{Ack, Block, Blocks, Data, Sender, Signals, Transport};
use narrows_units::{Bytes, Segments, Span, Time};
use narrows_wire::{Ecn, Signal};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// `ms` milliseconds after the start.
pub fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// The feedback that a controller was told by one acknowledgement.
#[derive(Clone, Debug)]
pub struct Heard {
    pub acked: Vec<Acked>,
    pub lost: Vec<u64>,
    pub rtt: Option<Span>,
    pub rate: Option<RateSample>,
    pub ecn: EcnDelta,
    pub signal: Option<Signal>,
    pub ca_state: CaState,
    pub congestion: Option<Congestion>,
    pub una: u64,
    pub next: u64,
    pub outstanding: Outstanding,
    pub window: u32,
    pub cwnd_limited: bool,
    pub most_outstanding: u32,
    pub undone: bool,
    pub ended: Option<CaState>,
    pub probe_loss: bool,
    pub resent_acked: bool,
    pub duplicate: bool,
}

/// A controller that decides what it was told to and writes down what it hears.
#[derive(Debug)]
pub struct Script {
    pub decision: Decision,
    /// The window after a reduction.
    pub reduced: f64,
    pub heard: Vec<Heard>,
    pub sent: Vec<Sent>,
    pub timeouts: Vec<Timeout>,
    pub opened: Option<Open>,
    pub closed: Vec<Time>,
    /// Tags of what was acknowledged and what was lost.
    pub fates: Vec<(u32, bool)>,
    /// Each event tells which segments were delivered, so that the flight can be counted here too.
    counted: bool,
    pub undone: u32,
    /// Why it cannot go on.
    pub fault: Option<Fault>,
    /// Everything below this has been acknowledged.
    pub acknowledged: u64,
    /// For each outstanding segment that SACK does not cover: presumed lost, retransmission in
    /// flight.
    model: BTreeMap<u64, (bool, bool)>,
}

impl Script {
    /// The flight as the events tell it.
    pub fn flight(&self) -> u32 {
        self.model.values().map(|(lost, resent)| !lost as u32 + *resent as u32).sum()
    }

    pub fn reductions(&self) -> Vec<Congestion> {
        self.heard.iter().filter_map(|heard| heard.congestion).collect()
    }
}

struct Scripted(Arc<Mutex<Script>>);

impl Controller for Scripted {
    fn on_open(&mut self, open: &Open) {
        self.0.lock().unwrap().opened = Some(*open);
    }

    fn on_close(&mut self, now: Time) {
        self.0.lock().unwrap().closed.push(now);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        let mut script = self.0.lock().unwrap();
        let state = script.model.entry(sent.number).or_default();
        // A probe repeats what is not presumed lost, and takes no second place.
        state.1 |= sent.retransmission && state.0;
        script.sent.push(*sent);
        Tag(script.sent.len() as u32)
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let mut script = self.0.lock().unwrap();
        script.fates.extend(feedback.acked.iter().map(|acked| (acked.tag.0, true)));
        script.fates.extend(feedback.lost.iter().map(|lost| (lost.tag.0, false)));
        for acked in feedback.acked {
            let removed = script.model.remove(&acked.number);
            assert!(
                removed.is_some() || !script.counted,
                "an acknowledged segment was outstanding"
            );
        }
        for lost in feedback.lost {
            let counted = script.counted;
            match script.model.get_mut(&lost.number) {
                Some(state) => *state = (true, false),
                None => assert!(!counted, "a lost segment was outstanding"),
            }
        }
        script.acknowledged = script
            .model
            .keys()
            .next()
            .copied()
            .unwrap_or(script.sent.iter().map(|sent| sent.number + 1).max().unwrap_or(0));
        if feedback.congestion.is_some() {
            script.decision.window = Segments::new(script.reduced);
        }
        script.heard.push(Heard {
            acked: feedback.acked.to_vec(),
            lost: feedback.lost.iter().map(|lost| lost.number).collect(),
            rtt: feedback.rtt,
            rate: feedback.rate,
            ecn: feedback.ecn,
            signal: feedback.signal,
            ca_state: feedback.ca_state,
            congestion: feedback.congestion,
            una: feedback.una,
            next: feedback.next,
            outstanding: feedback.outstanding,
            window: feedback.window,
            cwnd_limited: feedback.cwnd_limited,
            most_outstanding: feedback.most_outstanding,
            undone: feedback.undone,
            ended: feedback.ended,
            probe_loss: feedback.probe_loss,
            resent_acked: feedback.resent_acked,
            duplicate: feedback.duplicate,
        });
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let mut script = self.0.lock().unwrap();
        script.timeouts.push(*timeout);
        script.decision.window = Segments::new(1.0);
    }

    fn on_undo(&mut self, _now: Time) {
        let mut script = self.0.lock().unwrap();
        script.undone += 1;
        for state in script.model.values_mut() {
            state.0 = false;
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.0.lock().unwrap().fault.clone()
    }

    fn decision(&self) -> Decision {
        self.0.lock().unwrap().decision
    }

    fn inspect(&self, _visit: &mut dyn FnMut(&'static str, f64)) {}
}

/// A sender and the script of its controller.
pub struct Rig {
    pub sender: Sender,
    pub script: Arc<Mutex<Script>>,
    stamps: BTreeMap<u64, Time>,
    acknowledged: u64,
    echo: Time,
}

impl Rig {
    /// A sender with this window, as Linux has it, with endless data.
    pub fn new(window: f64) -> Rig {
        let mut rig = Rig::with(window, &Transport::default());
        rig.sender.write(u64::MAX);
        rig
    }

    /// A rig paced from its first segment on.
    pub fn paced(window: f64) -> Rig {
        let mut rig = Rig::with(window, &Transport { unpaced_start: 0, ..Transport::default() });
        rig.sender.write(u64::MAX);
        rig
    }

    /// A sender with nothing to send yet.
    pub fn with(window: f64, transport: &Transport) -> Rig {
        Rig::build(window, transport, true)
    }

    /// A rig for a controller that needs no delivery rates.
    pub fn unsampled(window: f64) -> Rig {
        Rig::build(window, &Transport::default(), false)
    }

    /// The same for a controller that wants application limits to be looked for after every burst.
    pub fn broad(window: f64) -> Rig {
        Rig::signalled(window, &Transport::default(), true, true)
    }

    fn build(window: f64, transport: &Transport, sample_rates: bool) -> Rig {
        Rig::signalled(window, transport, sample_rates, false)
    }

    fn signalled(window: f64, transport: &Transport, sample_rates: bool, broad: bool) -> Rig {
        let decision = Decision {
            window: Segments::new(window),
            pacing: None,
            quantum: transport.mss,
            ecn: Ecn::NotEct,
            reduction: Reduction::Transport,
        };
        let script = Script {
            decision,
            reduced: window / 2.0,
            heard: Vec::new(),
            sent: Vec::new(),
            timeouts: Vec::new(),
            opened: None,
            closed: Vec::new(),
            fates: Vec::new(),
            counted: transport.sack && transport.acks == narrows_transport::AckFormat::Cumulative,
            undone: 0,
            fault: None,
            acknowledged: 0,
            model: BTreeMap::new(),
        };
        let script = Arc::new(Mutex::new(script));
        Rig {
            sender: Sender::new(
                transport.clone(),
                Box::new(Scripted(script.clone())),
                Signals { rates: sample_rates, broad_app_limits: broad, outstanding: true },
            ),
            script,
            stamps: BTreeMap::new(),
            acknowledged: 0,
            echo: Time::ZERO,
        }
    }

    /// Takes effect with the next event.
    pub fn window(&self, window: f64) {
        self.script.lock().unwrap().decision.window = Segments::new(window);
    }

    pub fn decide(&self, change: impl FnOnce(&mut Decision)) {
        change(&mut self.script.lock().unwrap().decision);
    }

    /// An event that says nothing: the controller is asked for its decision.
    pub fn ack_nothing(&mut self) {
        let next = self.acknowledged;
        self.deliver(Time::ZERO, Ack { next, window: u32::MAX, ..Ack::default() });
    }

    /// Sends what may leave at `now`.
    pub fn send(&mut self, now: Time) -> Vec<Data> {
        let mut all = Vec::new();
        while let Ok((data, _)) = self.sender.transmit(now) {
            self.stamps.insert(data.number, data.stamp);
            all.push(data);
            assert!(all.len() < 10_000, "it never stops sending");
        }
        self.check();
        all
    }

    /// The numbers of what leaves at `ms`.
    pub fn numbers(&mut self, ms: u64) -> Vec<u64> {
        self.send(at(ms)).iter().map(|data| data.number).collect()
    }

    /// An acknowledgement of all below `next`, echoing the first segment that it acknowledges anew.
    pub fn ack(&mut self, ms: u64, next: u64) -> Heard {
        self.sack(ms, next, &[])
    }

    /// An acknowledgement with SACK blocks.
    pub fn sack(&mut self, ms: u64, next: u64, blocks: &[(u64, u64)]) -> Heard {
        if next > self.acknowledged {
            self.echo = self.stamps[&self.acknowledged];
            self.acknowledged = next;
        }
        self.deliver(
            at(ms),
            Ack {
                next,
                echo: self.echo,
                window: u32::MAX,
                blocks: ranges(blocks),
                ..Ack::default()
            },
        )
        .expect("it was heard")
    }

    /// An acknowledgement whose first block is a duplicate.
    pub fn dsack(&mut self, ms: u64, next: u64, blocks: &[(u64, u64)]) -> Heard {
        self.acknowledged = self.acknowledged.max(next);
        let ack = Ack {
            next,
            echo: self.echo,
            window: u32::MAX,
            duplicate: true,
            blocks: ranges(blocks),
            ..Ack::default()
        };
        self.deliver(at(ms), ack).expect("it was heard")
    }

    /// Any acknowledgement.
    pub fn deliver(&mut self, now: Time, ack: Ack) -> Option<Heard> {
        let before = self.script.lock().unwrap().heard.len();
        self.sender.on_ack(now, &ack);
        self.check();
        self.script.lock().unwrap().heard.get(before).cloned()
    }

    /// Runs the timers that are due up to `ms`, each at its time, sending what it releases. Returns
    /// what was sent when.
    pub fn run_until(&mut self, ms: u64) -> Vec<(Time, u64)> {
        let mut sent = Vec::new();
        while let Some(due) = self.sender.next_timer().filter(|due| *due <= at(ms)) {
            self.on_timer(due);
            sent.extend(self.send(due).iter().map(|data| (due, data.number)));
        }
        sent
    }

    /// Timers are due. A timeout tells the controller how many segments it gives up, and the sender
    /// which.
    pub fn on_timer(&mut self, now: Time) {
        let before = self.script.lock().unwrap().timeouts.len();
        self.sender.on_timer(now);
        let mut script = self.script.lock().unwrap();
        if script.timeouts.len() > before {
            for lost in self.sender.newly_lost() {
                script.model.insert(lost.number, (true, false));
            }
            assert!(
                !script.counted || script.timeouts[before].in_flight_after == script.flight(),
                "segments in flight after a timeout"
            );
        }
        drop(script);
        self.check();
    }

    fn check(&self) {
        self.sender.check();
        let script = self.script.lock().unwrap();
        if script.counted {
            assert_eq!(self.sender.in_flight(), script.flight(), "segments in flight");
        }
    }
}

/// SACK blocks, the newest first: first segment and one past the last.
pub fn ranges(blocks: &[(u64, u64)]) -> Blocks {
    blocks.iter().map(|&(start, end)| Block { start, end }).collect()
}

/// `count` full segments.
pub fn segments(count: u64) -> Bytes {
    Transport::default().mss * count
}
