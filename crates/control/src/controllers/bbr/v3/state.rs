//! The state machine: Startup, Drain, ProbeBW and ProbeRTT (section 5.3), and the cycle of probes.

use super::Bbr3;
use super::bounds::UNBOUNDED;
use super::profile::{PROBE_RTT_GAIN, Profile};
use crate::CaState;
use crate::controllers::bbr::common::{Ack, FLOOR, Progress, UNIT, bandwidth_ceil};
use narrows_units::Random;

// The states of BBR, and the events of a packet on its way.

/// The state of the state machine (section 4.1.1).
///
/// ```text
///          +---------+   pipe full   +-------+
///  start ->| Startup |-------------->| Drain |
///          +---------+               +-------+
///               ^                        | queue empty
///     pipe not  |                        v
///     full yet  |    +------+  room  +--------+  due  +--------+  a round  +----+
///               |    | Down |------->| Cruise |------>| Refill |---------->| Up |
///               |    +------+        +--------+       +--------+           +----+
///               |      |  ^                              ^                  |
///               |      |  +------------------------------|------------------+ too high, or full
///               |      +------ due ----------------------+
///          +----------+  over, by Down
///  any --->| ProbeRtt |----------------> Cruise
///   round  +----------+
///   trip
/// ```
///
/// An undo of spurious losses leads back to Startup, or by Refill to Up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BbrState {
    /// Doubles the rate each round until the pipe is full (section 5.3.1).
    Startup,
    /// Empties the queue of Startup (section 5.3.2).
    Drain,
    /// ProbeBW_DOWN: leaves room to others (section 5.3.3.1).
    Down,
    /// ProbeBW_CRUISE: paces at the bandwidth (section 5.3.3.2).
    Cruise,
    /// ProbeBW_REFILL: fills the pipe for a round (section 5.3.3.3).
    Refill,
    /// ProbeBW_UP: looks for more bandwidth (section 5.3.3.4).
    Up,
    /// Keeps the flight small to measure the round trip (section 5.3.4).
    ProbeRtt,
}

impl BbrState {
    /// True if the state machine may go from `before` to this state.
    pub fn may_follow(self, before: BbrState) -> bool {
        use BbrState::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
        match self {
            // From others than ProbeRTT by an undo.
            Startup => before != Startup,
            Drain => before == Startup,
            Down => matches!(before, Drain | Up | ProbeRtt),
            Cruise => before == Down,
            // By an undo from any but UP.
            Refill => !matches!(before, Up | ProbeRtt),
            Up => before == Refill,
            ProbeRtt => before != ProbeRtt,
        }
    }

    /// `IsInAProbeBWState`.
    pub fn is_probe_bw(self) -> bool {
        matches!(self, BbrState::Down | BbrState::Cruise | BbrState::Refill | BbrState::Up)
    }

    /// Accelerates to find more bandwidth (`IsProbingBW`, `bbr_is_probing_bandwidth`).
    pub fn is_probing(self) -> bool {
        matches!(self, BbrState::Startup | BbrState::Refill | BbrState::Up)
    }
}

/// The events between the transmission of a packet and its acknowledgement or loss (`RS` of section
/// 2.3, `struct rate_sample`).
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Packets in flight when it left, itself included (`tx_in_flight`).
    pub flight: u32,
    /// Packets declared lost since.
    pub lost: u32,
    /// The application limited the flow at that time.
    pub app_limited: bool,
    /// Packets delivered since.
    pub delivered: u32,
    /// Packets delivered since with a mark (`delivered_ce`).
    pub marked: u32,
}

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
        let enough = if self.selective { ranges >= LOST_RANGES && too_high } else { ranges > 0 };
        if ack.ca_state == CaState::Recovery && enough {
            self.leave_startup_too_high();
        }
    }

    /// The pipe is more than full (section 5.3.1.3, `bbr_handle_queue_too_high_in_startup`).
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

// ProbeBW: DOWN leaves room to others, CRUISE holds, REFILL fills the pipe, UP looks for more
// (section 5.3.3, `bbr_update_cycle_phase`).

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

    /// Returns to ProbeBW_CRUISE, since the flight is small and there is nothing to drain
    /// (`CheckProbeRTTDone` and `ExitProbeRTT`, section 5.3.4.4; `bbr_exit_probe_rtt`).
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

// The cycle of bandwidth probes (section 5.3.3).

/// The time between probes is this, in µs (section 5.3.3.8, `bbr_bw_probe_base_us`),
const WAIT: u64 = 2_000_000;
/// and up to this more (`bbr_bw_probe_rand_us`),
const WAIT_SPREAD: u64 = 1_000_000;
/// or as many rounds as the flow has packets in flight, at most 62 or 63: a Reno flow of that size
/// has losses as often (`bbr_bw_probe_max_rounds`).
const RENO_ROUNDS: u32 = 63;

/// The relation of acknowledgements to a probe (`ack_phase`, `bbr_ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acks {
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
    /// The relation of acknowledgements to the latest probe.
    pub acks: Acks,
    /// Losses are of packets sent while probing, and not yet answered (`is_bw_probe_sample`,
    /// `bw_probe_samples`).
    pub probe_sample: bool,
    /// The latest probe lost too much (`prev_probe_too_high`).
    pub too_high: bool,
    /// The latest probe stopped at the bound of the one before (`prev_probe_precautionary`, section
    /// 5.3.3.6; `stopped_risky_probe`).
    pub precautionary: bool,
}

impl Cycle {
    /// The longest time to the next probe, in µs (`bw_probe_wait`).
    pub fn wait(&self) -> u64 {
        self.wait
    }

    /// Rounds since the last probe (`rounds_since_probe_up`).
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// A round of the connection began.
    pub fn on_round(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
    }

    /// One round from now, acknowledgements are no longer of a probe (`ACKS_PROBE_STOPPING`).
    pub fn stop(&mut self) {
        self.acks = Acks::Stopping;
    }

    /// `PickProbeWait`, `bbr_pick_probe_wait`.
    pub fn begin(&mut self, now: u64, random: &mut Random) {
        self.rounds = random.below(2) as u32;
        self.wait = WAIT + random.below(WAIT_SPREAD);
        self.began = now;
        self.stop();
    }

    /// `HasElapsedInPhase` or `IsRenoCoexistenceProbeTime`.
    pub fn is_over(&self, now: u64, target: u32) -> bool {
        now > self.began + self.wait || self.rounds >= target.min(RENO_ROUNDS)
    }
}
