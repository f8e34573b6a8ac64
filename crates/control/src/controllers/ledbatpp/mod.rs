//! LEDBAT++: a background sender that keeps at most a target of queueing delay and gives way to
//! others.
//!
//! Sources: draft-irtf-iccrg-ledbat-plus-plus-01, sections 4.1 to 4.5; RFC 6817 for the filters of
//! the delay and the reduction on loss.
//!
//! Below the target the window grows by GAIN = 1/min(16, ⌈2·target/base⌉) segments per round trip,
//! never faster than NewReno's; above it each round trip takes w·(delay/target − 1), at most half.
//! Slow start grows by GAIN per segment acknowledged and at first ends at 3/4 of the target. Two
//! round trips later the flow slows down: two packets for two round trips, so that the queue
//! empties and the base can be measured, then slow start back to the window of before. Each
//! slowdown is followed by the next after nine times its duration.
//!
//! From Apple's implementation (`tcp_ledbat.c` in xnu): the way back from a slowdown is slow start
//! with GAIN, too.
//!
//! Ours: a loss on the way back ends the slowdown; after a timeout the first slow start goes on to
//! the threshold only; a window that is not used does not grow; the initial window is the
//! transport's.

mod delay;

use crate::parts::ecn::{ECN, codepoint};
use crate::parts::window::{Window, growth};
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{CaState, Controller, Decision, Feedback, Sent, Tag, Timeout};
use delay::Delay;
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "ledbatpp",
    kernel: None,
    summary: "LEDBAT++: gives way to others, at most a target of queueing delay, with slowdowns that measure the base",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01; RFC 6817",
    basis: Basis::Delay,
    needs: &[],
    numbered: false,
    params: &[TARGET.spec, ECN.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Ledbat::new(setup, params)))),
};

const TARGET: Param<Span> = Param::millis(
    "target",
    60.0,
    (1.0, 1000.0),
    "queueing delay at which the window stops growing (draft, section 4.5)",
);

/// GAIN is at least one over this (section 4.2).
const LEAST_GAIN: u64 = 16;
/// Fewest segments of the window, and those of a slowdown (sections 4.3 and 4.4).
const MIN_WINDOW: f64 = 2.0;
/// Round trips at that window, and from the first slow start to the first slowdown (section 4.4).
const FROZEN: u64 = 2;
/// From the end of a slowdown to the next, in its durations (section 4.4).
const APART: u64 = 9;

/// The phases of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LedbatPhase {
    /// Slow start; the first ends with a queue.
    Climb { first: bool },
    /// Additive increase, multiplicative decrease.
    Settled,
    /// The least window, up to a time.
    Frozen(Time),
}

/// The controller.
#[derive(Clone, Debug)]
struct Ledbat {
    window: Window,
    delay: Delay,
    target: Span,
    phase: LedbatPhase,
    /// When the slowdown in progress began.
    slow_since: Option<Time>,
    /// When the next one begins; never before slow start has ended for the first time.
    next_slowdown: Time,
    /// A full packet, headers included.
    packet: Bytes,
    ecn: Ecn,
}

impl Ledbat {
    fn new(setup: &Setup, params: &Params) -> Ledbat {
        Ledbat {
            window: Window::new(setup),
            delay: Delay::new(),
            target: params.get(&TARGET),
            phase: LedbatPhase::Climb { first: true },
            slow_since: None,
            next_slowdown: Time::NEVER,
            packet: setup.mss + setup.headers,
            ecn: codepoint(params),
        }
    }

    /// 1/min(16, ⌈2·target/base⌉).
    fn gain(&self) -> f64 {
        let base = self.delay.base().map_or(1, |base| base.as_nanos().max(1));
        1.0 / (2 * self.target.as_nanos()).div_ceil(base).clamp(1, LEAST_GAIN) as f64
    }

    /// Slow start is over, in the first or in a later one, by reaching the threshold, by delay or
    /// by loss.
    fn settle(&mut self, now: Time, srtt: Span) {
        if self.next_slowdown == Time::NEVER {
            self.next_slowdown = now + srtt * FROZEN;
        }
        if let Some(began) = self.slow_since.take() {
            self.next_slowdown = now + now.since(began) * APART;
        }
        self.phase = LedbatPhase::Settled;
    }

    fn slow_down(&mut self, now: Time, srtt: Span) {
        self.window.threshold = self.window.cwnd.max(MIN_WINDOW);
        self.window.cwnd = self.window.cwnd.min(MIN_WINDOW);
        self.slow_since = Some(now);
        self.phase = LedbatPhase::Frozen(now + srtt * FROZEN);
    }

    fn climb(&mut self, feedback: &Feedback<'_>, first: bool) {
        // 3/4 of the target.
        if first && self.delay.queueing() * 4 > self.target * 3 {
            self.window.threshold = self.window.threshold.min(self.window.cwnd);
        } else {
            self.window.slow_start(growth(feedback) as f64, self.gain());
        }
        if self.window.cwnd >= self.window.threshold {
            self.settle(feedback.now, feedback.srtt);
        }
    }

    /// A round trip's step in proportion to the part of the window that is acknowledged.
    fn step(&mut self, feedback: &Feedback<'_>) {
        let Window { cwnd, .. } = self.window;
        let over = self.delay.queueing().as_secs_f64() / self.target.as_secs_f64() - 1.0;
        let change = if over > 0.0 {
            (self.gain() - cwnd * over).max(-cwnd / 2.0)
                * (feedback.acked.len() as f64 / cwnd).min(1.0)
        } else {
            self.gain() * growth(feedback) as f64 / cwnd
        };
        self.window.cwnd = (cwnd + change).max(MIN_WINDOW.min(cwnd));
    }
}

impl Controller for Ledbat {
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.window.on_sent(sent);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if let Some(rtt) = feedback.rtt {
            self.delay.sample(feedback.now, rtt);
        }
        if let Some(why) = feedback.congestion {
            self.window.reduce(self.window.cwnd / 2.0, why);
            self.settle(feedback.now, feedback.srtt);
            return;
        }
        if matches!(feedback.ca_state, CaState::Recovery | CaState::Cwr) {
            return;
        }
        match self.phase {
            LedbatPhase::Frozen(until) if feedback.now < until => {}
            LedbatPhase::Frozen(_) => self.phase = LedbatPhase::Climb { first: false },
            LedbatPhase::Climb { first } => self.climb(feedback, first),
            LedbatPhase::Settled if feedback.now >= self.next_slowdown => {
                self.slow_down(feedback.now, feedback.srtt)
            }
            LedbatPhase::Settled => self.step(feedback),
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.collapse(timeout, self.window.cwnd / 2.0);
        self.phase = LedbatPhase::Climb { first: false };
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn decision(&self) -> Decision {
        Decision::clocked(self.window.cwnd, self.packet, self.ecn)
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
        visit("gain", self.gain());
        visit("queueing_s", self.delay.queueing().as_secs_f64());
        visit("base_rtt_s", self.delay.base().map_or(f64::NAN, Span::as_secs_f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acked, at, setup};
    use crate::{Choice, Congestion};

    fn ledbat(window: f64) -> Ledbat {
        Ledbat::new(&setup(window), &"ledbatpp".parse::<Choice>().unwrap().params())
    }

    fn tell(ledbat: &mut Ledbat, ms: u64, numbers: std::ops::Range<u64>, rtt: u64) -> f64 {
        let acked = acked(numbers);
        let rtt = Span::from_millis(rtt);
        ledbat.on_feedback(&Feedback {
            acked: &acked,
            rtt: Some(rtt),
            srtt: Span::from_millis(50),
            ..Feedback::at(at(ms))
        });
        ledbat.window.cwnd
    }

    /// A base of 40 ms, and a queue of `queueing` ms in the latest four samples.
    fn settled(window: f64, queueing: u64) -> Ledbat {
        let mut ledbat = ledbat(window);
        ledbat.delay.sample(at(0), Span::from_millis(40));
        (0..4).for_each(|_| ledbat.delay.sample(at(0), Span::from_millis(40 + queueing)));
        ledbat.phase = LedbatPhase::Settled;
        ledbat
    }

    #[test]
    fn the_gain_is_newrenos_from_twice_the_target_on_and_a_sixteenth_at_least() {
        let gains = [200, 120, 119, 40, 8, 7, 1].map(|base| {
            let mut ledbat = ledbat(10.0);
            ledbat.delay.sample(at(0), Span::from_millis(base));
            1.0 / ledbat.gain()
        });
        assert_eq!(gains, [1.0, 1.0, 2.0, 3.0, 15.0, 16.0, 16.0]);
    }

    #[test]
    fn below_the_target_the_window_grows_by_the_gain_and_above_it_shrinks_in_proportion() {
        assert_eq!(tell(&mut settled(30.0, 60), 10, 0..30, 100), 30.0 + 1.0 / 3.0);
        assert_eq!(tell(&mut settled(30.0, 0), 10, 0..15, 40), 30.0 + 0.5 / 3.0);
        // 72 ms are a fifth over the target: 30/5 − 1/3 per round trip.
        let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{value}");
        near(tell(&mut settled(30.0, 72), 10, 0..30, 112), 24.0 + 1.0 / 3.0);
        near(tell(&mut settled(30.0, 72), 10, 0..15, 112), 27.0 + 0.5 / 3.0);
        // 120 ms would take all: half, and of few packets not the last two.
        near(tell(&mut settled(30.0, 120), 10, 0..30, 160), 15.0);
        near(tell(&mut settled(3.0, 120), 10, 0..3, 160), 2.0);
    }

    #[test]
    fn slow_start_grows_by_the_gain_and_ends_at_three_quarters_of_the_target() {
        let mut ledbat = ledbat(12.0);
        assert_eq!(tell(&mut ledbat, 40, 0..12, 40), 16.0);
        for ms in 50..52 {
            tell(&mut ledbat, ms, 12..12, 200);
        }
        assert_eq!(tell(&mut ledbat, 60, 12..15, 200), 17.0, "one of the latest four has no queue");
        tell(&mut ledbat, 61, 15..15, 85);
        assert_eq!(ledbat.phase, LedbatPhase::Climb { first: true }, "45 ms are three quarters");
        for ms in 70..74 {
            tell(&mut ledbat, ms, 15..15, 86);
        }
        assert_eq!(
            (ledbat.phase, ledbat.window.threshold, ledbat.next_slowdown),
            (LedbatPhase::Settled, 17.0, at(173))
        );
    }

    #[test]
    fn a_slowdown_holds_two_packets_for_two_round_trips_and_comes_again_after_nine_times_its_duration()
     {
        let mut ledbat = settled(12.0, 50);
        ledbat.next_slowdown = at(1_000);
        assert!(tell(&mut ledbat, 999, 0..1, 90) > 12.0);
        ledbat.window.cwnd = 6.0;
        assert_eq!((tell(&mut ledbat, 1_000, 1..2, 90), ledbat.window.threshold), (2.0, 6.0));
        assert_eq!(tell(&mut ledbat, 1_099, 2..4, 40), 2.0);
        assert_eq!(tell(&mut ledbat, 1_100, 4..6, 40), 2.0);
        assert_eq!(tell(&mut ledbat, 1_150, 6..9, 40), 3.0);
        // A queue does not end this one.
        (0..4).for_each(|_| ledbat.delay.sample(at(1_160), Span::from_millis(140)));
        assert_eq!(tell(&mut ledbat, 1_200, 9..15, 140), 5.0);
        assert_eq!(tell(&mut ledbat, 1_250, 15..21, 140), 6.0);
        assert_eq!(
            (ledbat.phase, ledbat.next_slowdown),
            (LedbatPhase::Settled, at(1_250 + 9 * 250))
        );
    }

    /// Section 4.4: the first slowdown comes two round trips after slow start has ended, also where
    /// a timeout made it begin again.
    #[test]
    fn a_timeout_in_the_first_slow_start_does_not_bring_a_slowdown_forward() {
        let mut ledbat = ledbat(30.0);
        ledbat.on_timeout(&Timeout::new(at(100), 30, 30, false));
        assert_eq!(
            (ledbat.phase, ledbat.next_slowdown),
            (LedbatPhase::Climb { first: false }, Time::NEVER)
        );
        ledbat.window.cwnd = 14.9;
        tell(&mut ledbat, 500, 0..14, 40);
        assert_eq!((ledbat.phase, ledbat.next_slowdown), (LedbatPhase::Settled, at(600)));
    }

    #[test]
    fn a_loss_halves_and_ends_slow_start() {
        let mut ledbat = ledbat(30.0);
        let lost = Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            srtt: Span::from_millis(50),
            ..Feedback::at(at(100))
        };
        ledbat.on_feedback(&lost);
        assert_eq!(
            (ledbat.window.cwnd, ledbat.phase, ledbat.next_slowdown),
            (15.0, LedbatPhase::Settled, at(200))
        );
        ledbat.slow_down(at(200), Span::from_millis(50));
        ledbat.phase = LedbatPhase::Climb { first: false };
        ledbat.on_feedback(&Feedback { now: at(400), ..lost });
        assert_eq!(
            (ledbat.window.cwnd, ledbat.phase, ledbat.next_slowdown),
            (2.0, LedbatPhase::Settled, at(400 + 9 * 200))
        );
        ledbat.on_timeout(&Timeout::new(at(500), 2, 2, false));
        assert_eq!(
            (ledbat.window.cwnd, ledbat.phase, ledbat.next_slowdown),
            (1.0, LedbatPhase::Climb { first: false }, at(2_200))
        );
    }
}
