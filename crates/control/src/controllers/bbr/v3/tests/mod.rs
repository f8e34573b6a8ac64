//! BBR version 3, worked by hand: a flow whose acknowledgements the tests write.

mod bandwidth;
mod bursts;
mod constants;
mod cycle;
mod long_term;
mod marks;
mod probe_rtt;
mod repair;
mod short_term;
mod startup;

use super::*;
use crate::Choice;
use crate::testing::inspect;
use crate::{Acked, CaState, Congestion, EcnDelta, Lost, RateSample, Totals};
use narrows_units::{Bytes, Rate, Span};
use profile::Fraction;

const PROFILES: [&str; 2] = ["bbr3?profile=draft", "bbr3?profile=linux"];

/// A connection over a path of 1000 packets per 120 ms (100 Mbit/s) and 40 ms: a product of 333.3
/// packets.
struct Flow {
    bbr: Bbr3,
    /// In µs.
    now: u64,
    delivered: u64,
    lost: u64,
}

/// One acknowledgement.
#[derive(Clone, Copy)]
struct Step {
    /// µs since the last.
    after: u64,
    acked: u64,
    /// Packets lost, of those that left with `sent_flight` in flight, and when nothing after
    /// `sent_lost` was lost.
    lost: u64,
    /// The flight, itself included, when the acknowledged or lost packets left.
    sent_flight: u32,
    /// How many had been lost by then, before now.
    lost_since: u64,
    /// The rate sample, packets and µs.
    sample: (u32, u64),
    /// True if the sampled packet was sent after the last acknowledgement.
    round: bool,
    app_limited: bool,
    before: u32,
    flight: u32,
    rtt_us: u64,
    ca_state: CaState,
    congestion: Option<Congestion>,
    marked: u32,
}

const STEP: Step = Step {
    after: 1_000,
    acked: 10,
    lost: 0,
    sent_flight: 300,
    lost_since: 0,
    sample: (1_000, 120_000),
    round: false,
    app_limited: false,
    before: 400,
    flight: 400,
    rtt_us: 40_000,
    ca_state: CaState::Open,
    congestion: None,
    marked: 0,
};
const ROUND: Step = Step { round: true, after: 40_000, ..STEP };

impl Flow {
    /// A probe ends, wherever the flow is: DOWN begins.
    fn end_probe(&mut self) {
        self.bbr.state = BbrState::Up;
        self.bbr.start_down();
    }

    fn new(text: &str) -> Flow {
        Flow::seeded(text, 1)
    }

    fn seeded(text: &str, seed: u64) -> Flow {
        let setup = Setup { seed, ..Setup::default() };
        let bbr = Bbr3::new(&setup, &text.parse::<Choice>().unwrap().params());
        let mut flow = Flow { bbr, now: 1_000_000, delivered: 0, lost: 0 };
        flow.send(1, false);
        flow
    }

    fn time(&self) -> Time {
        Time::from_nanos(self.now * 1_000)
    }

    /// A packet leaves that makes the flight `flight`.
    fn send(&mut self, flight: u32, app_limited: bool) -> Tag {
        self.bbr.on_sent(&Sent {
            app_limited,
            ..Sent::new(self.time(), 0, Bytes::new(1448), flight - 1)
        })
    }

    fn departed(&mut self, step: Step) -> Tag {
        let lost = self.lost - step.lost_since;
        self.bbr.flights.depart(Departure {
            flight: step.sent_flight,
            lost: lost as u32,
            marked: 0,
            app_limited: step.app_limited,
        })
    }

    fn ack(&mut self, step: Step) {
        let tag = self.departed(step);
        self.now += step.after;
        let prior_delivered = if step.round { self.delivered } else { 0 };
        self.delivered += step.acked;
        // Every other segment: as many ranges as losses.
        let lost: Vec<Lost> = (0..step.lost)
            .map(|lost| Lost {
                number: 2 * (self.lost + lost),
                bytes: Bytes::new(1448),
                sent_at: Time::ZERO,
                tag,
            })
            .collect();
        self.lost += step.lost;
        let one = |number| Acked {
            number,
            bytes: Bytes::new(1448),
            sent_at: Time::ZERO,
            rtt: Span::ZERO,
            tag,
            app_limited: step.app_limited,
            window_limited: true,
        };
        self.bbr.on_feedback(&Feedback {
            acked: &(0..step.acked).map(one).collect::<Vec<Acked>>(),
            lost: &lost,
            rtt: Some(Span::from_micros(step.rtt_us)),
            rate: Some(RateSample {
                app_limited: step.app_limited,
                ..RateSample::over(step.sample.0, Span::from_micros(step.sample.1), prior_delivered)
            }),
            in_flight_before: step.before,
            in_flight: step.flight,
            totals: Totals { sent: 0, delivered: self.delivered, lost: self.lost },
            ecn: EcnDelta { ce: step.marked, ..EcnDelta::default() },
            srtt: Span::from_micros(step.rtt_us),
            ca_state: step.ca_state,
            congestion: step.congestion,
            ..Feedback::at(self.time())
        });
    }

    fn window(&self) -> u32 {
        self.bbr.window.get()
    }

    fn gains(&self) -> (u32, u32) {
        (self.bbr.pacing_gain(), self.bbr.window_gain())
    }

    fn bounds(&self) -> (u32, u32) {
        (self.bbr.long_term.get(), self.bbr.short_term.flight())
    }

    /// Through Startup and Drain into `state`, with no bounds.
    fn reach(text: &str, state: BbrState) -> Flow {
        let mut flow = Flow::new(text);
        if state == BbrState::Startup {
            return flow;
        }
        for _ in 0..4 {
            flow.ack(Step { acked: 200, flight: 1_000, ..ROUND });
        }
        assert_eq!(flow.bbr.state, BbrState::Drain);
        if state == BbrState::Drain {
            return flow;
        }
        flow.bbr.start_down();
        flow.ack(STEP);
        assert_eq!(flow.bbr.state, BbrState::Down);
        if state == BbrState::Down {
            return flow;
        }
        // The round after Drain ends the cycle of the maximum filter; this keeps a sample in
        // either.
        flow.ack(Step { before: 300, flight: 300, ..ROUND });
        assert_eq!(flow.bbr.state, BbrState::Cruise);
        if state == BbrState::Cruise {
            return flow;
        }
        flow.ack(Step { after: 3_000_001, ..STEP });
        assert_eq!(flow.bbr.state, BbrState::Refill);
        if state == BbrState::Refill {
            return flow;
        }
        flow.ack(Step { sent_flight: 400, ..ROUND });
        assert_eq!(flow.bbr.state, BbrState::Up);
        flow
    }

    /// In `state`, with a long-term bound.
    fn bounded(text: &str, state: BbrState, bound: u32) -> Flow {
        let mut flow = Flow::reach(text, state);
        flow.bbr.long_term.set(bound);
        flow.ack(Step { after: 0, before: 0, flight: 500, ..STEP });
        flow
    }
}

/// A gain is this number, but for what 1/256 cannot express.
fn near(gain: f64, number: f64) {
    assert!((gain - number).abs() <= 1.0 / 256.0, "{gain} is not {number}");
}

/// A round of recovery in which `count` acknowledgements bring a loss each, of `flight` packets in
/// flight.
fn lossy_startup(text: &str, count: u64, flight: u32) -> Flow {
    let mut flow = Flow::new(text);
    flow.ack(Step { sample: (500, 120_000), ..ROUND });
    let repairing = Step { ca_state: CaState::Recovery, sample: (700, 120_000), ..STEP };
    for loss in 0..count {
        flow.ack(Step {
            lost: 1,
            congestion: (loss == 0).then_some(Congestion::Loss),
            ..repairing
        });
        assert_eq!(flow.bbr.state, BbrState::Startup, "not within the round");
    }
    flow.ack(Step { round: true, sent_flight: flight, lost_since: count, ..repairing });
    flow
}

/// A round with loss that delivers `delivered` packets, at half the bandwidth.
fn lossy_round(flow: &mut Flow, delivered: u32) {
    let step = Step { sample: (delivered, 240_000), ca_state: CaState::Recovery, ..STEP };
    flow.ack(Step { lost: 1, sent_flight: 300, ..step });
    flow.ack(Step { round: true, after: 100, ..step });
}
