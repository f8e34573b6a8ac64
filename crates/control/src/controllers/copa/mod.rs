//! Copa: moves its window towards the rate 1/(δ·d_q) packets per second, d_q being the queueing
//! delay.
//!
//! Sources: Arun and Balakrishnan, "Copa: practical delay-based congestion control for the
//! Internet", NSDI 2018, sections 2 and 3; where it is silent, the authors' implementation
//! (github.com/venkatarun95/genericCC, `markoviancc.cc`, `rtt-window.cc`) and that of QUIC at
//! Facebook (github.com/facebook/mvfst, `Copa.cpp`).
//!
//! Each acknowledgement compares window/RTTstanding with 1/(δ·d_q), d_q = RTTstanding − RTTmin: up
//! to there the window grows by v/(δ·w) per packet acknowledged, above it shrinks as fast. N flows
//! of one path hold a queue that goes between empty and 2.5·N/δ packets once in five round trips.
//! Flows that do not see the queue empty for five round trips take others for senders that fill it,
//! and let 1/δ grow by a packet per round trip and halve on loss.
//!
//! From mvfst: a loss changes nothing in the default mode; a turn ends the speed gathered in the
//! other direction. From genericCC: at least two packets of window; v is at most what doubles the
//! window in a round trip; 1/δ is at least its default.
//!
//! Ours: a window that is not used does not grow; a timeout leaves two packets and slow start
//! begins anew (mvfst leaves the least window after persistent congestion); an echoed mark is a
//! loss.

mod delay;
mod mode;
mod velocity;

use crate::parts::ecn::{ECN, codepoint};
use crate::parts::marks::highest;
use crate::parts::prior::Prior;
use crate::parts::round::Round;
use crate::parts::window::used;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use delay::{Delay, DelayView};
use mode::Mode;
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;
use velocity::{Direction, Velocity};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "copa",
    kernel: None,
    summary: "Copa: towards a rate of one over delta times the queueing delay; competes when others fill the buffer",
    source: "Arun and Balakrishnan, NSDI 2018; github.com/venkatarun95/genericCC; github.com/facebook/mvfst",
    basis: Basis::Delay,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[DELTA.spec, COMPETITIVE.spec, ECN.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Copa::new(setup, params)))),
};

const DELTA: Param<f64> = Param::number(
    "delta",
    0.5,
    (0.001, 10.0),
    "",
    "price of delay in the default mode: one flow keeps at most about 2.5/delta packets queued",
);
const COMPETITIVE: Param<bool> = Param::flag(
    "competitive",
    true,
    "1/delta grows and halves on loss while the queue does not empty (section 2.2); false: never, as in mvfst",
);

/// Fewest packets of the window (genericCC, mvfst).
const MIN_WINDOW: f64 = 2.0;
/// Pacing rate over window per standing round trip (section 2.1).
const PACING_GAIN: f64 = 2.0;

/// The controller.
#[derive(Clone, Debug)]
struct Copa {
    cwnd: f64,
    slow_start: bool,
    velocity: Velocity,
    mode: Mode,
    delay: Delay,
    round: Round,
    /// The round over which the window's movement is judged.
    moves: Round,
    prior: Prior,
    /// The handshake's round trip, until one is measured.
    first_rtt: Span,
    /// A full packet, headers included.
    packet: Bytes,
    ecn: Ecn,
}

impl Copa {
    fn new(setup: &Setup, params: &Params) -> Copa {
        let cwnd = setup.initial_window.get().max(MIN_WINDOW);
        Copa {
            cwnd,
            slow_start: true,
            velocity: Velocity::new(cwnd),
            mode: Mode::new(params.get(&DELTA), params.get(&COMPETITIVE)),
            delay: Delay::new(),
            round: Round::default(),
            moves: Round::default(),
            prior: Prior::default(),
            first_rtt: Span::ZERO,
            packet: setup.mss + setup.headers,
            ecn: codepoint(params),
        }
    }

    /// w/RTTstanding ≤ 1/(δ·d_q).
    fn is_below_target(&self, seen: DelayView) -> bool {
        self.cwnd * seen.queueing.as_secs_f64()
            <= self.mode.inverse_delta() * seen.standing.as_secs_f64()
    }

    fn move_window(&mut self, feedback: &Feedback<'_>, seen: DelayView) {
        let below = self.is_below_target(seen);
        if self.slow_start {
            if below {
                self.cwnd += used(feedback, self.cwnd) as f64;
                return;
            }
            self.slow_start = false;
            self.velocity = Velocity::new(self.cwnd);
        }
        if self.velocity.turns(if below { Direction::Up } else { Direction::Down }, self.cwnd) {
            self.moves.begin();
        }
        let inverse_delta = self.mode.inverse_delta();
        let step = self.velocity.at(self.cwnd, inverse_delta) * inverse_delta / self.cwnd;
        let acked = feedback.acked.len() as f64;
        self.cwnd = if below {
            self.cwnd + step * used(feedback, self.cwnd) as f64
        } else {
            (self.cwnd - step * acked).max(MIN_WINDOW)
        };
    }
}

impl Controller for Copa {
    fn on_open(&mut self, open: &Open) {
        self.first_rtt = open.rtt;
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.round.on_sent(sent.number);
        self.moves.on_sent(sent.number);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if let Some(rtt) = feedback.rtt {
            self.delay.sample(feedback.now, rtt, feedback.srtt);
        }
        let Some(seen) = self.delay.seen() else { return };
        self.mode.observe(feedback.now, seen, feedback.srtt);
        if let Some(highest) = highest(feedback) {
            if self.round.ends_with(highest) {
                self.mode.end_round();
            }
            if self.moves.ends_with(highest) && !self.slow_start {
                self.velocity.end_round(self.cwnd);
            }
        }
        if feedback.congestion.is_some() {
            self.mode.lose();
            self.prior.forget();
        }
        self.move_window(feedback, seen);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.prior.collapse(timeout, self.cwnd);
        self.mode.lose();
        (self.cwnd, self.slow_start) = (MIN_WINDOW, true);
    }

    fn on_undo(&mut self, _now: Time) {
        self.cwnd = self.prior.restore(self.cwnd);
    }

    fn decision(&self) -> Decision {
        let rtt = self.delay.seen().map_or(self.first_rtt, |seen| seen.standing);
        let rate = |rtt: Span| {
            Rate::from_bytes_per_sec(
                PACING_GAIN * self.cwnd * self.packet.get() as f64 / rtt.as_secs_f64(),
            )
        };
        Decision {
            window: Segments::new(self.cwnd),
            pacing: (!rtt.is_zero()).then(|| rate(rtt).max(Rate::from_bps(1))),
            quantum: self.packet,
            ecn: self.ecn,
            reduction: Reduction::Immediate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.cwnd);
        visit("inverse_delta", self.mode.inverse_delta());
        visit("competes", f64::from(self.mode.competes()));
        visit("velocity", self.velocity.at(self.cwnd, self.mode.inverse_delta()));
        visit("base_rtt_s", self.delay.least());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acked, at, send, setup};
    use crate::{Choice, Congestion};

    fn copa(text: &str, window: f64) -> Copa {
        Copa::new(&setup(window), &text.parse::<Choice>().unwrap().params())
    }

    /// Acknowledges `numbers` at `ms`, of a flow that its window limits, with this round trip in
    /// milliseconds.
    fn tell(copa: &mut Copa, ms: u64, numbers: std::ops::Range<u64>, rtt: u64) -> f64 {
        let acked = acked(numbers);
        let rtt = Some(Span::from_millis(rtt));
        let srtt = Span::from_millis(100);
        copa.on_feedback(&Feedback { acked: &acked, rtt, srtt, ..Feedback::at(at(ms)) });
        copa.cwnd
    }

    /// After slow start, with a base of 100 ms and a window of 40 packets.
    fn settled(text: &str) -> Copa {
        let mut copa = copa(text, 40.0);
        copa.slow_start = false;
        send(&mut copa, at(0), 0..40);
        tell(&mut copa, 100, 0..0, 100);
        copa
    }

    #[test]
    fn slow_start_doubles_until_the_rate_exceeds_its_target() {
        let mut copa = copa("copa", 10.0);
        assert_eq!(tell(&mut copa, 100, 0..10, 100), 20.0);
        assert_eq!(tell(&mut copa, 200, 10..30, 100), 40.0);
        // 2/(5 ms) = 400 packets/s; 40 in 105 ms are 381.
        assert_eq!(tell(&mut copa, 300, 30..31, 105), 41.0);
        // 42 in 105 ms are 400, 43 are 410: down by 2/43.
        assert_eq!(tell(&mut copa, 301, 31..33, 105), 43.0);
        assert!(copa.slow_start);
        assert_eq!(tell(&mut copa, 302, 33..34, 105), 43.0 - 2.0 / 43.0);
        assert!(!copa.slow_start);
    }

    #[test]
    fn the_window_moves_by_the_inverse_of_delta_per_round_trip() {
        // 40 in 104 ms are 385; the target is 2/(4 ms) = 500 packets/s.
        assert_eq!(tell(&mut settled("copa"), 200, 0..20, 104), 40.0 + 20.0 * 2.0 / 40.0);
        // 2/(6 ms) = 333.
        assert_eq!(tell(&mut settled("copa"), 200, 0..20, 106), 40.0 - 20.0 * 2.0 / 40.0);
        // With δ = 0.1: 10/(6 ms) = 1667.
        assert_eq!(
            tell(&mut settled("copa?delta=0.1"), 200, 0..20, 106),
            40.0 + 20.0 * 10.0 / 40.0
        );
        // No queue: up at any rate.
        assert_eq!(tell(&mut settled("copa?delta=10"), 200, 0..20, 100), 40.0 + 20.0 * 0.1 / 40.0);
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut copa = settled("copa");
        let acked = [crate::testing::acked_one(0, false)];
        copa.on_feedback(&Feedback { acked: &acked, in_flight_before: 3, ..Feedback::at(at(200)) });
        assert_eq!(copa.cwnd, 40.0);
    }

    #[test]
    fn it_paces_at_two_windows_per_standing_round_trip() {
        let mut copa = copa("copa", 10.0);
        assert_eq!(copa.decision().pacing, None);
        copa.on_open(&Open::new(at(50), Span::from_millis(50)));
        // 2 · 10 · 1500 B in 50 ms.
        assert_eq!(copa.decision().pacing, Some(Rate::from_kbps(4_800)));
        tell(&mut copa, 100, 0..0, 100);
        assert_eq!(copa.decision().pacing, Some(Rate::from_kbps(2_400)));
    }

    #[test]
    fn losses_count_in_competition_only_and_a_timeout_leaves_two_packets() {
        let mut copa = settled("copa");
        let lost = Feedback {
            congestion: Some(Congestion::Loss),
            srtt: Span::from_millis(100),
            ..Feedback::at(at(150))
        };
        copa.on_feedback(&lost);
        assert_eq!((copa.cwnd, copa.mode.inverse_delta()), (40.0, 2.0));
        // A queue of 60 ms for more than 500 ms, at round trips of 160 ms; three rounds end.
        for (ms, first) in [(300, 40), (700, 41), (860, 42), (1_020, 43)] {
            send(&mut copa, at(ms - 1), first..first + 1);
            tell(&mut copa, ms, first..first + 1, 160);
        }
        assert!(copa.mode.competes());
        let before = copa.mode.inverse_delta();
        assert!(before > 3.0, "{before}");
        copa.on_feedback(&Feedback { now: at(1_030), ..lost });
        assert_eq!(copa.mode.inverse_delta(), (before / 2.0).max(2.0));
        let window = copa.cwnd;
        copa.on_timeout(&Timeout::new(at(2_000), 40, 40, false));
        assert_eq!((copa.cwnd, copa.slow_start), (2.0, true));
        copa.on_undo(at(2_100));
        assert_eq!(copa.cwnd, window);
    }
}
