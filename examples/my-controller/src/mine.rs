//! A controller to begin with: it grows while the queue is short, and yields once it is long.
//!
//! The queueing delay is the round trip beyond the least one seen. While it is below a target, the window doubles in each round trip up to a threshold and then
//! grows by some segments; above the target it is lowered by a part, once in a round trip; so it is after a loss.

use narrows::control::{
    Basis, Build, Built, Controller, Decision, Entry, Feedback, Setup, Timeout,
};
use narrows::params::{Param, Params};
use narrows::units::{Bytes, Span, Time};
use narrows::wire::Ecn;

/// The line of the registry: `mine`, `"mine?target=10&decrease=0.5"`.
pub static ENTRY: Entry = Entry {
    name: "mine",
    kernel: None,
    summary: "grows while the queueing delay is below a target, yields above it",
    source: "the example of this repository",
    basis: Basis::Delay,
    needs: &[],
    numbered: false,
    params: &[TARGET.spec, INCREASE.spec, DECREASE.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Mine::new(setup, params)))),
};

const TARGET: Param<Span> =
    Param::millis("target", 5.0, (0.1, 1000.0), "queueing delay up to which the window grows");
const INCREASE: Param<f64> = Param::number(
    "increase",
    1.0,
    (0.01, 100.0),
    "segments",
    "growth per round trip beyond the threshold",
);
const DECREASE: Param<f64> =
    Param::number("decrease", 0.2, (0.01, 0.9), "", "part of the window that a reduction takes");

/// The least window, in segments.
const LEAST: f64 = 2.0;

struct Mine {
    /// In segments, as is `threshold`, from which on growth is slow.
    window: f64,
    threshold: f64,
    /// Window and threshold before the latest reduction.
    before: (f64, f64),
    least_rtt: Span,
    /// No reduction for delay comes before this time.
    next_reduction: Time,
    target: Span,
    increase: f64,
    decrease: f64,
    /// A packet with its headers.
    packet: Bytes,
}

impl Mine {
    fn new(setup: &Setup, params: &Params) -> Mine {
        let window = setup.initial_window.get();
        Mine {
            window,
            threshold: f64::INFINITY,
            before: (window, f64::INFINITY),
            least_rtt: Span::MAX,
            next_reduction: Time::ZERO,
            target: params.get(&TARGET),
            increase: params.get(&INCREASE),
            decrease: params.get(&DECREASE),
            packet: setup.mss + setup.headers,
        }
    }

    fn reduce(&mut self, now: Time, rtt: Span) {
        self.before = (self.window, self.threshold);
        self.window = (self.window * (1.0 - self.decrease)).max(LEAST);
        self.threshold = self.window;
        self.next_reduction = now + rtt;
    }
}

impl Controller for Mine {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if feedback.congestion.is_some() {
            return self.reduce(feedback.now, feedback.srtt);
        }
        let Some(rtt) = feedback.rtt else { return };
        self.least_rtt = self.least_rtt.min(rtt);
        if rtt > self.least_rtt + self.target {
            if feedback.now >= self.next_reduction {
                self.reduce(feedback.now, rtt);
            }
            return;
        }
        // A window that nothing fills says nothing of the path, and does not grow.
        let acked = feedback.acked.iter().filter(|acked| acked.window_limited).count() as f64;
        self.window +=
            if self.window < self.threshold { acked } else { self.increase * acked / self.window };
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.reduce(timeout.now, Span::ZERO);
        }
        self.window = 1.0;
    }

    fn on_undo(&mut self, _: Time) {
        (self.window, self.threshold) = self.before;
    }

    fn decision(&self) -> Decision {
        Decision::clocked(self.window, self.packet, Ecn::NotEct)
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("ssthresh", self.threshold);
    }
}
