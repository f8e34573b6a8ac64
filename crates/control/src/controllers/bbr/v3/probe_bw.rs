//! ProbeBW: DOWN leaves room to others, CRUISE holds, REFILL fills the pipe, UP looks for more.

use super::long_term::UNBOUNDED;
use super::profile::Profile;
use super::{Bbr3, Evidence, State};
use crate::controllers::bbr::common::{Ack, bandwidth_ceil};
use narrows_units::Random;

/// The time between probes is this, in µs,
const WAIT: u64 = 2_000_000;
/// and up to this more,
const WAIT_SPREAD: u64 = 1_000_000;
/// or as many rounds as the flow has packets in flight, but no more than these, or one fewer: a Reno flow of that size would have a loss as often.
const RENO_ROUNDS: u32 = 63;

/// What acknowledgements say of a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Acks {
    /// Nothing.
    #[default]
    Init,
    /// The pipe is being filled.
    Refilling,
    /// The probe has begun; acknowledgements are still of what was sent before.
    Starting,
    /// They are of the probe.
    Feedback,
    /// The probe is over; they are still of it.
    Stopping,
}

/// The cycle of probing.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// When it began, and how long to wait, in µs.
    began: u64,
    wait: u64,
    /// Rounds since the last probe.
    rounds: u32,
    acks: Acks,
    /// Losses are of packets sent while probing, and not yet answered.
    pub probe_sample: bool,
    /// The latest probe lost too much.
    pub too_high: bool,
    /// The latest probe stopped at the bound that the one before had set.
    precautionary: bool,
}

impl Cycle {
    /// A round of the connection began.
    pub fn on_round(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
    }

    /// What comes back is no longer of a probe, a round from now.
    pub fn stop(&mut self) {
        self.acks = Acks::Stopping;
    }

    fn begin(&mut self, now: u64, random: &mut Random) {
        self.rounds = random.below(2) as u32;
        self.wait = WAIT + random.below(WAIT_SPREAD);
        self.began = now;
        self.stop();
    }

    fn is_over(&self, now: u64, target: u32) -> bool {
        now > self.began + self.wait || self.rounds >= target.min(RENO_ROUNDS)
    }
}

impl Bbr3 {
    pub(super) fn start_down(&mut self) {
        self.reset_signals();
        self.long_term.stop();
        self.cycle.begin(self.now, &mut self.random);
        self.rounds.restart(self.counts.delivered);
        self.state = State::Down;
    }

    pub(super) fn start_cruise(&mut self) {
        if self.profile == Profile::Linux && self.short_term.flight() != UNBOUNDED {
            self.short_term.lower_flight(self.long_term.get());
        }
        self.state = State::Cruise;
    }

    /// The first round of the probe to come adds 2^`slope` packets to the bound.
    pub(super) fn start_refill(&mut self, slope: u32) {
        self.short_term.clear();
        self.long_term.prepare(slope);
        self.cycle.precautionary = false;
        self.cycle.acks = Acks::Refilling;
        self.rounds.restart(self.counts.delivered);
        self.state = State::Refill;
    }

    fn start_up(&mut self, ack: &Ack) {
        self.cycle.probe_sample = true;
        self.cycle.acks = Acks::Starting;
        self.rounds.restart(self.counts.delivered);
        self.full_pipe.restart(measured(ack));
        self.state = State::Up;
        self.long_term.steepen(self.window.get());
    }

    pub(super) fn update_probe_bw(&mut self, ack: &Ack, evidence: Option<Evidence>) {
        if !self.full_pipe.reached() || self.adapt_long_term(ack, evidence) {
            return;
        }
        let state = self.state;
        if matches!(state, State::Down | State::Cruise) && self.probe_if_due(ack) {
            return;
        }
        match state {
            State::Down if self.may_cruise(ack) => self.start_cruise(),
            State::Refill if self.rounds.start() => self.start_up(ack),
            State::Up if self.probe_is_over(ack) => {
                self.cycle.too_high = false;
                self.start_down();
            }
            _ => {}
        }
    }

    /// Follows what the acknowledgements say of the probe, and raises the long-term bound by what was safe. True if that changed the state.
    fn adapt_long_term(&mut self, ack: &Ack, evidence: Option<Evidence>) -> bool {
        let round = self.rounds.start();
        if self.cycle.acks == Acks::Starting && round {
            self.cycle.acks = Acks::Feedback;
        }
        if self.cycle.acks == Acks::Stopping && round && self.end_feedback(ack) {
            return true;
        }
        let Some(evidence) = evidence else { return false };
        if self.is_too_high(&evidence) {
            if self.profile == Profile::Linux && self.cycle.probe_sample {
                self.answer_too_high(evidence.flight, evidence.app_limited);
            }
            return false;
        }
        if self.long_term.get() == UNBOUNDED {
            return false;
        }
        self.long_term.raise_to(evidence.flight);
        if self.state == State::Up && self.bound_limits() {
            self.long_term.grow(ack.acked);
            if round {
                self.long_term.steepen(self.window.get());
            }
        }
        false
    }

    /// All that was sent while probing is acknowledged. True if the next probe begins at once: this one was precautionary, and nothing was wrong.
    fn end_feedback(&mut self, ack: &Ack) -> bool {
        self.cycle.probe_sample = false;
        self.cycle.acks = Acks::Init;
        if !self.state.is_probe_bw() {
            return false;
        }
        if ack.sample.is_some_and(|sample| !sample.app_limited) {
            self.max_bandwidth.advance();
        }
        let again = self.cycle.precautionary && !self.cycle.too_high;
        if again {
            self.start_refill(0);
        }
        again
    }

    /// True if the flow uses all of its window, and that is as large as the long-term bound lets it be.
    fn bound_limits(&self) -> bool {
        self.window.is_limiting(self.counts.delivered) && self.window.get() >= self.long_term.get()
    }

    fn probe_is_over(&mut self, ack: &Ack) -> bool {
        // The flight before this acknowledgement: after it, it could never be as large as the bound, which is the window.
        if self.cycle.too_high && self.flight_at_departure(ack.in_flight_before) >= self.long_term.get() {
            self.cycle.precautionary = true;
            return true;
        }
        if self.bound_limits() {
            self.full_pipe.restart(measured(ack));
            return false;
        }
        self.full_pipe.now()
    }

    fn probe_if_due(&mut self, ack: &Ack) -> bool {
        let slope = if self.should_reprobe(ack) {
            (self.long_term.get() / 2).max(1).ilog2()
        } else if self.cycle.is_over(self.now, self.target_flight()) {
            0
        } else {
            return false;
        };
        self.start_refill(slope);
        true
    }

    fn may_cruise(&self, ack: &Ack) -> bool {
        let flight = match self.profile {
            Profile::Draft => ack.in_flight,
            Profile::Linux => ack.in_flight_before,
        };
        flight <= self.long_term.with_headroom(self.constants.headroom) && flight <= self.capacity(self.max_bandwidth.get())
    }
}

/// The bandwidth of the sample; 0 without one.
fn measured(ack: &Ack) -> u32 {
    ack.sample.map_or(0, |sample| bandwidth_ceil(sample.delivered as u64, sample.interval))
}
