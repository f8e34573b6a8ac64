//! The state machine: Startup, Drain, ProbeBW and ProbeRTT (section 5.3).

use super::Bbr3;
use super::bounds::UNBOUNDED;
use super::profile::{PROBE_RTT_GAIN, Profile};
use super::state::{Acks, BbrState, Evidence};
use crate::CaState;
use crate::controllers::bbr::common::{Ack, FLOOR, Progress, UNIT, bandwidth_ceil};

// Startup and its end: the pipe is full when bandwidth stops growing, or when losses exceed the
// threshold (section 5.3.1).

/// `StartupFullLossCnt`, `bbr_full_loss_cnt`: ranges lost within a round that end Startup.
const LOST_RANGES: u32 = 6;

impl Bbr3 {
    pub(super) fn check_full_pipe(&mut self, ack: &Ack) {
        if let Some(sample) = ack.sample
            && !sample.app_limited
        {
            let measured = bandwidth_ceil(sample.delivered as u64, sample.interval);
            self.full_pipe.update(self.profile, measured, self.rounds.start());
        }
    }

    /// Ends Startup after a round in recovery with too many losses in several ranges
    /// (`CheckStartupHighLoss`, section 5.3.1.3; `bbr_check_loss_too_high_in_startup`).
    pub(super) fn check_startup_loss(&mut self, ack: &Ack, evidence: Option<Evidence>) {
        if self.full_pipe.reached() || !self.short_term.round_start() {
            return;
        }
        let ranges = std::mem::take(&mut self.lost_ranges).count();
        let too_high = evidence.is_some_and(|evidence| self.is_too_high(&evidence));
        // Without selective acknowledgements only one loss per round trip can be detected, so a
        // single one is enough.
        let enough = if self.selective { ranges >= LOST_RANGES && too_high } else { ranges > 0 };
        if ack.ca_state == CaState::Recovery && enough {
            self.leave_startup_too_high();
        }
    }

    /// Ends Startup because losses or marks were excessive. Sets the long-term bound to the
    /// estimated BDP or to the latest inflight delivered, whichever is larger (section 5.3.1.3,
    /// `bbr_handle_queue_too_high_in_startup`).
    pub(super) fn leave_startup_too_high(&mut self) {
        self.full_pipe.set_reached(true);
        let product = match self.profile {
            Profile::Draft => self.bdp(self.bandwidth(), UNIT),
            Profile::Linux => self.capacity(self.max_bandwidth.get()),
        };
        self.long_term.set(product.max(self.short_term.latest_flight()));
        if self.profile == Profile::Draft {
            self.undo.state = Some(BbrState::Startup);
        }
    }
}

// Drain: empties the queue of Startup (section 5.3.2).

impl Bbr3 {
    /// `CheckStartupDone` and `CheckDrainDone`, `bbr_check_drain`.
    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.state == BbrState::Startup && self.full_pipe.reached() {
            self.enter(BbrState::Drain);
            self.drain_began = self.rounds.count();
            if self.profile == Profile::Linux {
                self.reset_signals();
            }
        }
        if self.state != BbrState::Drain {
            return;
        }
        let patience = self.constants.drain_rounds;
        let overdue =
            patience.is_some_and(|rounds| self.rounds.count() > self.drain_began + rounds);
        let bandwidth = match self.profile {
            Profile::Draft => self.bandwidth(),
            Profile::Linux => self.max_bandwidth.get(),
        };
        if self.flight_at_departure(ack.in_flight) <= self.capacity(bandwidth) || overdue {
            self.start_down();
        }
    }
}

// ProbeBW: DOWN leaves headroom for other flows, CRUISE paces at the estimated bandwidth, REFILL
// fills the pipe for one round, UP probes for more bandwidth (section 5.3.3,
// `bbr_update_cycle_phase`).

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

    /// Starts ProbeBW_REFILL. The first round of the ProbeBW_UP that follows adds 2^`slope` packets
    /// to the long-term bound (`StartProbeBW_REFILL`, `bbr_start_bw_probe_refill`).
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

    /// Tracks which acknowledgements belong to the probe. Raises the long-term bound to the
    /// inflight at which the newest acknowledged packet was sent, unless that caused excessive
    /// loss (`AdaptLongTermModel`, `bbr_adapt_upper_bounds`). Returns true if the state changed.
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

    /// Ends the probe's feedback: all packets sent while probing are acknowledged. Starts the next
    /// probe at once, and returns true, if this probe stopped early as a precaution and did not
    /// cause excessive loss (section 5.3.3.6).
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
        // This takes the inflight before the acknowledgement. The window is at most the bound, so
        // the inflight after an acknowledgement is always below the bound.
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

// ProbeRTT: half a bandwidth-delay product in flight, to drain the queue and measure the round
// trip (section 5.3.4).

impl Bbr3 {
    /// The window of ProbeRTT (`ProbeRTTCwnd`, section 5.6.4.5; `bbr_probe_rtt_cwnd`).
    pub(super) fn probe_rtt_window(&self) -> u32 {
        self.bdp(self.bandwidth(), PROBE_RTT_GAIN).max(FLOOR)
    }

    /// `CheckProbeRTT` and `HandleProbeRTT` (section 5.3.4.3), `bbr_update_min_rtt`.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        let due = self.min_rtt.update(ack);
        if due && !self.idle_restart && self.state != BbrState::ProbeRtt {
            self.window.save(true);
            self.enter(BbrState::ProbeRtt);
            self.probe_rtt.enter(self.counts.delivered);
            self.cycle.stop();
            self.rounds.restart(self.counts.delivered);
        }
        if self.state == BbrState::ProbeRtt {
            self.probe_rtt.limit(ack);
            match self.probe_rtt.progress(ack, self.rounds.start(), self.probe_rtt_window()) {
                Progress::Waiting => {}
                Progress::Emptied => self.rounds.restart(self.counts.delivered),
                Progress::Over => self.leave_probe_rtt(),
            }
        }
        if ack.acked > 0 {
            self.idle_restart = false;
        }
    }

    /// Leaves ProbeRTT. If the pipe was ever full, the next state is ProbeBW_CRUISE: inflight is
    /// small and there is no queue to drain. Otherwise it is Startup (`CheckProbeRTTDone` and
    /// `ExitProbeRTT`, section 5.3.4.4; `bbr_exit_probe_rtt`).
    pub(super) fn leave_probe_rtt(&mut self) {
        self.min_rtt.schedule(self.now);
        self.window.restore();
        self.short_term.clear();
        if self.full_pipe.reached() {
            self.start_down();
            self.start_cruise();
        } else {
            self.enter(BbrState::Startup);
        }
    }
}
