//! A model of a connection, which turns operations into calls that a real one could make: it
//! numbers segments in order, delivers or loses each transmission at most once, adds up totals, and
//! reports one reduction per recovery.

use narrows_control::{
    Acked, Basis, CaState, Choice, Congestion, Controller, Decision, EcnDelta, Feedback, Lost,
    Outstanding, RateSample, Reduction, Sent, Setup, Tag, Timeout, Totals,
};
use narrows_params::Need;
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Signal;
use proptest::prelude::*;
use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub enum Operation {
    /// As many segments as the window allows, at most this many.
    Send {
        most: u32,
        limited: bool,
    },
    /// Time passes.
    Wait {
        us: u64,
    },
    /// The oldest segments in flight are acknowledged, and the ones before them lost.
    Acknowledge {
        lost: usize,
        acked: usize,
        mark: bool,
        rtt: bool,
    },
    Timeout,
    Undo,
    Timer,
}

pub fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (1..200u32, any::<bool>()).prop_map(|(most, limited)| Operation::Send { most, limited }),
        2 => prop_oneof![0..100u64, 100..50_000u64, 50_000..5_000_000u64, Just(3_600_000_000)].prop_map(|us| Operation::Wait { us }),
        8 => (prop_oneof![8 => Just(0), 1 => 1..5usize], 0..40usize, prop::bool::weighted(0.02), prop::bool::weighted(0.9))
            .prop_map(|(lost, acked, mark, rtt)| Operation::Acknowledge { lost, acked, mark, rtt }),
        1 => prop_oneof![Just(Operation::Timeout), Just(Operation::Undo), Just(Operation::Timer)],
    ]
}

#[derive(Clone, Copy)]
struct Flying {
    number: u64,
    sent_at: Time,
    tag: Tag,
    delivered: u64,
    delivered_at: Time,
    limited: bool,
}

pub struct Connection {
    text: String,
    pub controller: Box<dyn Controller>,
    needs: Vec<Need>,
    /// Draws random values for the signals that the controller does not need.
    noise: Option<Random>,
    /// The observation on which the controller bases its rate.
    basis: Basis,
    pub now: Time,
    next: u64,
    resend: VecDeque<u64>,
    flight: VecDeque<Flying>,
    delivered_at: Time,
    totals: Totals,
    /// The window was full at the end of the latest burst.
    full: bool,
    srtt: Span,
    ca_state: CaState,
    ended: Option<CaState>,
    /// Recovery lasts until everything below is delivered or lost again.
    recovery_end: u64,
    timeouts: u32,
    /// The largest window before losses, marks and timeouts since the latest congestion began, and
    /// what it may have grown by since it was looked at.
    before_reduction: f64,
    decisions: Vec<Decision>,
}

impl Connection {
    pub fn new(text: &str, setup: &Setup) -> Connection {
        let choice: Choice = text.parse().unwrap();
        Connection {
            text: text.to_owned(),
            controller: choice.build(setup).unwrap(),
            needs: choice.needs(),
            noise: None,
            basis: choice.entry().basis(),
            now: Time::ZERO + Span::from_secs(3),
            next: 0,
            resend: VecDeque::new(),
            flight: VecDeque::new(),
            delivered_at: Time::ZERO,
            totals: Totals::default(),
            full: false,
            srtt: Span::ZERO,
            ca_state: CaState::Open,
            ended: None,
            recovery_end: 0,
            timeouts: 0,
            before_reduction: 0.0,
            decisions: Vec::new(),
        }
    }

    fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// The same connection, with random values for the signals that the controller does not need.
    pub fn with_noise(self, seed: u64) -> Connection {
        Connection { noise: Some(Random::stream(seed, "noise")), ..self }
    }

    pub fn run(mut self, operations: &[Operation]) -> Vec<Decision> {
        self.check();
        for operation in operations {
            match *operation {
                Operation::Send { most, limited } => self.send(most, limited),
                Operation::Wait { us } => self.now += Span::from_micros(us),
                Operation::Acknowledge { lost, acked, mark, rtt } => {
                    self.acknowledge(lost, acked, mark, rtt)
                }
                Operation::Timeout => self.timeout(),
                Operation::Undo => self.undo(),
                Operation::Timer => {
                    if let Some(due) = self.controller.next_timer() {
                        self.now = self.now.max(due);
                        self.controller.on_timer(self.now);
                    }
                }
            }
            self.check();
        }
        self.decisions
    }

    fn check(&mut self) {
        let decision = self.controller.decision();
        let window = decision.window.get();
        assert!(window.is_finite() && window >= 1.0, "{}: a window of {window}", self.text);
        assert!(decision.pacing.is_none_or(|rate| !rate.is_zero()), "{} paced at zero", self.text);
        assert!(decision.quantum.get() > 0);
        self.controller.inspect(&mut |name, _| assert!(!name.is_empty()));
        self.decisions.push(decision);
    }

    pub fn send(&mut self, most: u32, limited: bool) {
        for _ in 0..most {
            let in_flight = self.flight.len() as u32;
            if in_flight >= self.controller.decision().window.whole() {
                break;
            }
            let again = self.resend.pop_front();
            let number = again.unwrap_or(self.next);
            self.next = self.next.max(number + 1);
            let mut sent = Sent::new(self.now, number, Bytes::new(1448), in_flight);
            sent.retransmission = again.is_some();
            sent.app_limited = !limited;
            sent.rto = Span::from_millis(200);
            let mut tag = self.controller.on_sent(&sent);
            if let Some(noise) = &mut self.noise
                && !self.needs.contains(&Need::Tags)
            {
                tag = Tag(noise.bits() as u32);
            }
            self.totals.sent += 1;
            if in_flight == 0 {
                self.delivered_at = self.now;
            }
            let delivered = self.totals.delivered;
            let delivered_at = self.delivered_at;
            self.flight.push_back(Flying {
                number,
                sent_at: self.now,
                tag,
                delivered,
                delivered_at,
                limited,
            });
        }
        self.full = self.flight.len() as u32 >= self.controller.decision().window.whole();
    }

    pub fn acknowledge(&mut self, lost: usize, acked: usize, mark: bool, rtt: bool) {
        let before = self.flight.len() as u32;
        let lost: Vec<Lost> = (0..lost.min(self.flight.len()))
            .filter_map(|_| self.flight.pop_front())
            .map(|flying| Lost {
                number: flying.number,
                bytes: Bytes::new(1448),
                sent_at: flying.sent_at,
                tag: flying.tag,
            })
            .collect();
        let newest = acked
            .checked_sub(1)
            .and_then(|last| self.flight.get(last.min(self.flight.len().saturating_sub(1))))
            .copied();
        let acked: Vec<Acked> = (0..acked.min(self.flight.len()))
            .filter_map(|_| self.flight.pop_front())
            .map(|flying| Acked {
                number: flying.number,
                bytes: Bytes::new(1448),
                sent_at: flying.sent_at,
                rtt: self.now.since(flying.sent_at),
                tag: flying.tag,
                app_limited: !flying.limited,
                window_limited: flying.limited,
            })
            .collect();
        self.resend.extend(lost.iter().map(|lost| lost.number));
        self.totals.lost += lost.len() as u64;
        self.totals.delivered += acked.len() as u64;
        let congestion = self.step_recovery(&acked, !lost.is_empty(), mark);

        let mut feedback = self.feedback();
        feedback.acked = &acked;
        feedback.lost = &lost;
        feedback.in_flight_before = before;
        feedback.ended = self.ended.take();
        feedback.congestion = congestion;
        feedback.ecn = EcnDelta { ce: mark as u32, echo: mark, ..EcnDelta::default() };
        if let Some(newest) = newest {
            let sample = self.now.since(newest.sent_at);
            if rtt {
                self.srtt = if self.srtt.is_zero() { sample } else { (self.srtt * 7 + sample) / 8 };
                feedback.rtt = Some(sample);
            }
            let interval = self.now.since(newest.delivered_at);
            feedback.rate = (self.needs(Need::RateSample) && !interval.is_zero()).then(|| {
                let mut rate = RateSample::over(
                    (self.totals.delivered - newest.delivered) as u32,
                    interval,
                    newest.delivered,
                );
                (rate.app_limited, rate.ack_delayed) = (!newest.limited, acked.len() == 1);
                rate
            });
            self.delivered_at = self.now;
        }
        feedback.srtt = self.srtt;
        feedback.signal = self.signal(newest.is_some());
        if let Some(mut noise) = self.noise.take() {
            self.scramble(&mut feedback, &mut noise);
            self.noise = Some(noise);
        }

        let window = self.controller.decision();
        if congestion.is_some() {
            self.before_reduction = 0.0;
        }
        if !lost.is_empty() || mark {
            self.before_reduction =
                self.before_reduction.max(window.window.get() + acked.len() as f64);
        }
        self.controller.on_feedback(&feedback);
        self.check_growth(&window, &acked);
    }

    /// The first segment not acknowledged.
    fn oldest(&self) -> u64 {
        self.resend
            .iter()
            .copied()
            .chain(self.flight.iter().map(|flying| flying.number))
            .min()
            .unwrap_or(self.next)
    }

    /// How the connection stands.
    fn feedback(&self) -> Feedback<'static> {
        let mut feedback = Feedback::at(self.now);
        feedback.in_flight = self.flight.len() as u32;
        (feedback.una, feedback.next) = (self.oldest(), self.next);
        let packets = (self.next - feedback.una) as u32;
        feedback.outstanding =
            Outstanding { packets, lost: self.resend.len() as u32, ..Outstanding::default() };
        feedback.window = self.controller.decision().window.whole();
        feedback.cwnd_limited = self.full;
        feedback.most_outstanding = packets;
        feedback.totals = self.totals;
        feedback.srtt = self.srtt;
        feedback.ca_state = self.ca_state;
        feedback
    }

    /// The signal of routers, different each time, for a controller that needs it.
    fn signal(&self, acknowledged: bool) -> Option<Signal> {
        let step = self.totals.delivered;
        let signal = match () {
            () if self.needs(Need::StampedRate) => {
                Signal::Rate(Rate::from_kbps(100 + step * 7919 % 100_000))
            }
            () if self.needs(Need::LoadCode) => Signal::Load((step * 31 % 256) as u8),
            () if self.needs(Need::Delta) => Signal::Delta((step * 7919 % 2_000_001) as f64 - 1e6),
            () => return None,
        };
        acknowledged.then_some(signal)
    }

    /// Replaces the signals that the controller does not need by random values.
    fn scramble(&self, feedback: &mut Feedback<'_>, noise: &mut Random) {
        let mut draw = |below: u64| noise.bits() % below;
        if !self.needs(Need::RateSample) {
            let mut rate = RateSample::over(
                draw(1000) as u32,
                Span::from_micros(1 + draw(1_000_000)),
                draw(1000),
            );
            (rate.app_limited, rate.ack_delayed) = (draw(2) == 0, draw(2) == 0);
            feedback.rate = Some(rate);
        }
        if !self.needs(Need::EcnCounts) {
            (feedback.ecn.ect0, feedback.ecn.ect1, feedback.ecn.ce) =
                (draw(9) as u32, draw(9) as u32, draw(9) as u32);
        }
        if !self
            .needs
            .iter()
            .any(|need| matches!(need, Need::StampedRate | Need::LoadCode | Need::Delta))
        {
            feedback.signal = Some(match draw(3) {
                0 => Signal::Rate(Rate::from_kbps(draw(1_000_000))),
                1 => Signal::Load(draw(256) as u8),
                _ => Signal::Delta(draw(1_000_000) as f64),
            });
        }
    }

    /// Window-based controllers grow by segments that the window had limited, not in recovery, and
    /// at most by as many as were acknowledged; but not where routers say how much.
    fn check_growth(&self, before: &Decision, acked: &[Acked]) {
        let after = self.controller.decision();
        // A jump is to what was saved.
        let jumps = self.text.contains("resume");
        if after.reduction == Reduction::Immediate || self.needs(Need::Delta) || jumps {
            return;
        }
        // Of some the whole acknowledgement counts, as bursts filled the window, or half of it in
        // slow start.
        let burst = self.needs(Need::Outstanding) || self.text.contains("growth=");
        let limited = acked.iter().filter(|acked| burst || acked.window_limited).count();
        let repairing = matches!(self.ca_state, CaState::Recovery | CaState::Cwr);
        // Rapid Start triples.
        let each = if self.text.contains("start=rapid") { 2.0 } else { 1.0 };
        let allowed = if repairing { 0.0 } else { limited as f64 * each };
        let floor = if repairing { 2.0 } else { 0.0 };
        let most = (before.window.get() + allowed).max(floor);
        // CUBIC catches up with Reno's window in the Reno-friendly region; a delay-based controller
        // takes the growth of a round trip at any time in it.
        let catches_up = if self.basis == Basis::Delay { 2.0 } else { 1.5 };
        let most = if limited > 0 { most * catches_up + 1.0 } else { most };
        assert!(
            after.window.get() <= most + 1e-9,
            "{}: {} after {} with {limited} of {} limited",
            self.text,
            after.window,
            before.window,
            acked.len()
        );
    }

    fn step_recovery(&mut self, acked: &[Acked], lost: bool, mark: bool) -> Option<Congestion> {
        let oldest = self.oldest();
        if self.ca_state != CaState::Open && oldest >= self.recovery_end {
            self.ended = Some(std::mem::replace(&mut self.ca_state, CaState::Open));
        }
        if !acked.is_empty() {
            self.timeouts = 0;
        }
        match (self.ca_state, lost, mark) {
            (CaState::Open | CaState::Disorder, true, _) => {
                self.ca_state = CaState::Recovery;
                self.recovery_end = self.next;
                Some(Congestion::Loss)
            }
            (CaState::Open | CaState::Disorder, false, true) => {
                self.ca_state = CaState::Cwr;
                self.recovery_end = self.next;
                Some(Congestion::Mark)
            }
            (CaState::Cwr, true, _) => {
                self.ca_state = CaState::Recovery;
                None
            }
            _ => None,
        }
    }

    fn timeout(&mut self) {
        if self.flight.is_empty() {
            return;
        }
        let repeated =
            matches!(self.ca_state, CaState::Recovery | CaState::Cwr) || self.timeouts > 0;
        let lost = self.flight.len() as u32;
        self.totals.lost += lost as u64;
        self.resend.extend(self.flight.drain(..).map(|flying| flying.number));
        self.ca_state = CaState::Loss;
        self.recovery_end = self.next;
        self.timeouts += 1;
        let window = self.controller.decision().window.get();
        self.before_reduction = if repeated { self.before_reduction.max(window) } else { window };
        self.controller.on_timeout(&Timeout::new(self.now, lost, lost, repeated));
    }

    fn undo(&mut self) {
        // Reductions for marks are never undone.
        if matches!(self.ca_state, CaState::Recovery | CaState::Loss) {
            self.ca_state = CaState::Open;
            let window = self.controller.decision().window.get();
            self.controller.on_undo(self.now);
            let after = self.controller.decision().window.get();
            let most = window.max(self.before_reduction);
            // Models of the path and routers make windows of their own, and who answers the amount
            // of marks may have reduced nothing for one.
            let own =
                matches!(self.basis, Basis::Model | Basis::Routers) || self.needs(Need::EcnCounts);
            assert!(
                own || after <= most + 1.0,
                "{}: undo makes {window} {after}, and it was {most} before",
                self.text
            );
            let mut feedback = self.feedback();
            feedback.undone = true;
            self.controller.on_feedback(&feedback);
        }
    }
}
