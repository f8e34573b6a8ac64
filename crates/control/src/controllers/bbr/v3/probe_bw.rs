//! ProbeBW: DOWN leaves room to others, CRUISE holds, REFILL fills the pipe, UP looks for more
//! (section 5.3.3, `bbr_update_cycle_phase`).

use super::Bbr3;
use super::cycle::Acks;
use super::long_term::UNBOUNDED;
use super::profile::Profile;
use super::state::{BbrState, Evidence};
use crate::controllers::bbr::common::{Ack, bandwidth_ceil};

impl Bbr3 {
    /// `StartProbeBW_DOWN`, `bbr_start_bw_probe_down`.
    pub(super) fn start_down(&mut self) {
        self.reset_signals();
        self.long_term.stop();
        self.cycle.begin(self.now, &mut self.random);
        self.rounds.restart(self.counts.delivered);
        self.enter(BbrState::Down);
    }

    /// `StartProbeBW_CRUISE`, `bbr_start_bw_probe_cruise`.
    pub(super) fn start_cruise(&mut self) {
        if self.profile == Profile::Linux && self.short_term.flight() != UNBOUNDED {
            self.short_term.lower_flight(self.long_term.get());
        }
        self.enter(BbrState::Cruise);
    }

    /// The first round of the coming probe adds 2^`slope` packets to the bound
    /// (`StartProbeBW_REFILL`, `bbr_start_bw_probe_refill`).
    pub(super) fn start_refill(&mut self, slope: u32) {
        self.short_term.clear();
        self.long_term.prepare(slope);
        self.cycle.precautionary = false;
        self.cycle.acks = Acks::Refilling;
        self.rounds.restart(self.counts.delivered);
        self.enter(BbrState::Refill);
    }

    /// `StartProbeBW_UP`, `bbr_start_bw_probe_up`.
    fn start_up(&mut self, ack: &Ack) {
        self.cycle.probe_sample = true;
        self.cycle.acks = Acks::Starting;
        self.rounds.restart(self.counts.delivered);
        self.full_pipe.restart(measured(ack));
        self.enter(BbrState::Up);
        self.long_term.steepen(self.window.get());
    }

    /// `UpdateProbeBWCyclePhase` (section 5.3.3.9), `bbr_update_cycle_phase`.
    pub(super) fn update_probe_bw(&mut self, ack: &Ack, evidence: Option<Evidence>) {
        if !self.full_pipe.reached() || self.adapt_long_term(ack, evidence) {
            return;
        }
        let state = self.state;
        if matches!(state, BbrState::Down | BbrState::Cruise) && self.probe_if_due(ack) {
            return;
        }
        match state {
            BbrState::Down if self.may_cruise(ack) => self.start_cruise(),
            BbrState::Refill if self.rounds.start() => self.start_up(ack),
            BbrState::Up if self.probe_is_over(ack) => {
                self.cycle.too_high = false;
                self.start_down();
            }
            _ => {}
        }
    }

    /// Follows the acknowledgements of the probe, and raises the long-term bound by flights that
    /// were safe (`AdaptLongTermModel`, `bbr_adapt_upper_bounds`). True if that changed the state.
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
        if self.state == BbrState::Up && self.bound_limits() {
            self.long_term.grow(ack.acked);
            if round {
                self.long_term.steepen(self.window.get());
            }
        }
        false
    }

    /// All packets sent while probing are acknowledged. True if the next probe begins at once,
    /// because this one was precautionary and not too high (section 5.3.3.6).
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

    /// True if the flow is limited by its window, and the window by the long-term bound
    /// (`is_cwnd_limited`).
    fn bound_limits(&self) -> bool {
        self.window.is_limiting(self.counts.delivered) && self.window.get() >= self.long_term.get()
    }

    /// `IsTimeToGoDown` (section 5.3.3.7), `BBR_BW_PROBE_UP` in `bbr_update_cycle_phase`.
    fn probe_is_over(&mut self, ack: &Ack) -> bool {
        // The flight before this acknowledgement: after it, it could never be as large as the
        // bound, which is the window.
        if self.cycle.too_high
            && self.flight_at_departure(ack.in_flight_before) >= self.long_term.get()
        {
            self.cycle.precautionary = true;
            return true;
        }
        if self.bound_limits() {
            self.full_pipe.restart(measured(ack));
            return false;
        }
        self.full_pipe.now()
    }

    /// `IsTimeToProbeBW`, `bbr_check_time_to_probe_bw`.
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

    /// `IsTimeToCruise`, `bbr_check_time_to_cruise`.
    fn may_cruise(&self, ack: &Ack) -> bool {
        let flight = match self.profile {
            Profile::Draft => ack.in_flight,
            Profile::Linux => ack.in_flight_before,
        };
        flight <= self.long_term.with_headroom(self.constants.headroom)
            && flight <= self.capacity(self.max_bandwidth.get())
    }
}

/// The bandwidth of the sample; 0 without one.
fn measured(ack: &Ack) -> u32 {
    ack.sample.map_or(0, |sample| bandwidth_ceil(sample.delivered as u64, sample.interval))
}
