//! BBR version 1: sends at the measured bottleneck bandwidth, with a window of twice the
//! bandwidth-delay product.
//!
//! Sources: Linux `net/ipv4/tcp_bbr.c`, in its integers; Cardwell et al., "BBR: congestion-based
//! congestion control", ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00.
//! Names in code font are those of `tcp_bbr.c`; sections are those of the draft.
//!
//! Era `linux-6` is the kernel of today. Era `linux-4.15` is without what came after: pacing 1 %
//! below the bandwidth and the estimate of the flight at the next departure (4.20), two more
//! packets of window in the phase that probes (4.19), the window for aggregated acknowledgements
//! (5.1), and that a round trip only as short as the least does not renew it (5.10), without which
//! a lone flow that keeps its queue empty never enters PROBE_RTT. Other repairs of single defects
//! are in both.
//!
//! Deviations:
//! * times are exact to a microsecond where the kernel has ticks of its clock (age of the least
//!   round trip, length of PROBE_RTT);
//! * the kernel paces by payload; the decision counts headers too, at the same packets per second,
//!   and so does the quantum;
//! * how far the next departure is ahead is not known here: the flight at that time is taken as the
//!   flight now, plus the burst that departs if the gain is above 1;
//! * a bandwidth below one unit of the kernel's (0.06 packets/s) counts as one unit, so that pacing
//!   never stops; arithmetic that would wrap saturates;
//! * ECN is not used.

mod era;
mod max_bandwidth;
mod min_rtt;
mod policer;
mod probe_bw;
mod probe_rtt;
mod startup;
#[cfg(test)]
mod tests;
mod window;

use crate::controllers::bbr::common::{
    Ack, BW_SCALE, Counts, ExtraAcked, MaxExtraAcked, Pacing, PacingRule, ProbeRtt, Rounds, UNIT,
    bdp,
};
use crate::parts::micros::micros;
use crate::parts::mutated::{Mutated, Mutation};
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use era::Era;
use max_bandwidth::MaxBandwidth;
use min_rtt::MinRtt;
use narrows_params::{Need, Param, Params};
use narrows_units::{Random, Segments, Time};
use narrows_wire::Ecn;
use policer::{Evidence, Policer, Verdict};
use probe_bw::Cycle;
use startup::FullPipe;
use window::Cwnd;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "bbr",
    kernel: Some("bbr"),
    summary: "BBR version 1: paces at the measured bandwidth, bounds the flight by two BDP",
    source: "Linux net/ipv4/tcp_bbr.c; draft-cardwell-iccrg-bbr-congestion-control-00",
    basis: Basis::Model,
    needs: &[Need::RateSample, Need::Pacing],
    numbered: false,
    params: &[ERA.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Bbr::new(setup, params)))),
};

const ERA: Param<Era> = Param::choice(
    "era",
    "linux-6",
    &[("linux-4.15", Era::Linux4_15), ("linux-6", Era::Linux6)],
    "kernel version; linux-4.15: no 1 % pacing margin, no window for aggregated acknowledgements",
);

/// `bbr_high_gain`, 2/ln 2 in 1/256: the lowest gain that lets the rate double each round trip
/// (section 4.3.2.1).
const HIGH_GAIN: u32 = 256 * 2885 / 1000 + 1;
/// `bbr_drain_gain`, 1 / high gain: drains the queue of STARTUP in a round (section 4.3.3).
const DRAIN_GAIN: u32 = 256 * 1000 / 2885;
/// `bbr_cwnd_gain`, in PROBE_BW: room for delayed and aggregated acknowledgements (section
/// 4.2.3.2).
const WINDOW_GAIN: u32 = 2 * UNIT;
/// `bbr_extra_acked_win_rtts`: rounds of each of two slots, so that the maximum is of the last 5 to
/// 10.
const AGGREGATION_ROUNDS: u32 = 5;
/// The product before any round trip is known (`TCP_INIT_CWND` in `bbr_bdp`).
const UNMEASURED: u32 = 10;

/// The mode of the state machine.
///
/// ```text
///          +---------+  pipe full  +-------+  queue empty  +---------+
///  start ->| Startup |------------>| Drain |-------------->| ProbeBw |
///          +---------+             +-------+               +---------+
///               ^                                               ^
///               | pipe not full yet                   pipe full |
///               |              +----------+                     |
///               +--------------| ProbeRtt |---------------------+
///                              +----------+
///                     any other mode, after 10 s without a lower round trip
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Doubles the rate each round until the pipe is full (section 4.3.2).
    Startup,
    /// Drains the queue of STARTUP (section 4.3.3).
    Drain,
    /// Paces at the bandwidth, and probes for more in cycles (section 4.3.4).
    ProbeBw,
    /// Empties the pipe to measure its round trip (section 4.3.5).
    ProbeRtt,
}

impl Mode {
    /// True if the state machine may go from `before` to this mode.
    fn may_follow(self, before: Mode) -> bool {
        match self {
            Mode::Startup => before == Mode::ProbeRtt,
            Mode::Drain => before == Mode::Startup,
            Mode::ProbeBw => before != Mode::Startup,
            Mode::ProbeRtt => before != Mode::ProbeRtt,
        }
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Bbr {
    era: Era,
    mode: Mode,
    /// Gains of pacing and window in 1/256.
    pacing_gain: u32,
    window_gain: u32,
    max_bandwidth: MaxBandwidth,
    rounds: Rounds,
    full_pipe: FullPipe,
    cycle: Cycle,
    min_rtt: MinRtt,
    probe_rtt: ProbeRtt,
    policer: Policer,
    extra_acked: ExtraAcked,
    aggregation: MaxExtraAcked,
    window: Cwnd,
    pacing: Pacing,
    /// Sending began again after idleness, and nothing was delivered since.
    idle_restart: bool,
    counts: Counts,
    started: bool,
    random: Random,
    mutated: Mutated,
}

impl Bbr {
    /// The state machine moves.
    fn enter(&mut self, mode: Mode) {
        debug_assert!(mode.may_follow(self.mode), "from {:?} to {mode:?}", self.mode);
        self.mode = mode;
    }

    /// A controller at the start of a connection.
    pub fn new(setup: &Setup, params: &Params) -> Bbr {
        Bbr::mutant(setup, params, Mutated::default())
    }

    /// One that may have a published fault.
    pub(crate) fn mutant(setup: &Setup, params: &Params, mutated: Mutated) -> Bbr {
        let era = params.get(&ERA);
        let window = setup.initial_window.whole().max(1);
        let rule = PacingRule {
            unit: UNIT,
            first_gain: HIGH_GAIN,
            percent: if era == Era::Linux6 { 99 } else { 100 },
            lone_segments: true,
        };
        Bbr {
            era,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            max_bandwidth: MaxBandwidth::new(),
            rounds: Rounds::default(),
            full_pipe: FullPipe::default(),
            cycle: Cycle::default(),
            min_rtt: MinRtt::new(0, era == Era::Linux4_15 || mutated.has(Mutation::EqualRtt)),
            probe_rtt: ProbeRtt::default(),
            policer: Policer::default(),
            extra_acked: ExtraAcked::default(),
            aggregation: MaxExtraAcked::default(),
            window: Cwnd::new(window),
            pacing: Pacing::new(setup, rule, window),
            idle_restart: false,
            counts: Counts::default(),
            started: false,
            random: Random::stream(setup.seed, "bbr"),
            mutated,
        }
    }

    /// Time begins with the first event.
    fn start(&mut self, now: Time) {
        if !self.started {
            self.started = true;
            let now = micros(now);
            self.min_rtt.refresh(now);
            self.extra_acked.restart(now);
            self.counts.delivered_at = now;
            self.policer.reset(self.counts);
        }
    }

    /// The bandwidth in use (`bbr_bw`).
    fn bandwidth(&self) -> u32 {
        self.policer.bandwidth().unwrap_or(self.max_bandwidth.get())
    }

    /// `gain` times the bandwidth-delay product in packets, rounded up (`bbr_bdp`).
    fn bdp(&self, bandwidth: u32, gain: u32) -> u32 {
        self.min_rtt.get().map_or(UNMEASURED, |rtt| bdp(bandwidth, rtt, gain))
    }

    /// Adds room for packets held in hosts: three bursts, rounded up to a pair, and two packets in
    /// the phase that probes (`bbr_quantization_budget`).
    fn quantized(&self, packets: u32) -> u32 {
        let packets = packets.saturating_add(3 * self.pacing.burst());
        let even = packets.saturating_add(1) & !1;
        let probes = self.era == Era::Linux6 && self.mode == Mode::ProbeBw && self.cycle.probes();
        if probes { even.saturating_add(2) } else { even }
    }

    /// The flight at `gain` (`bbr_inflight`).
    fn flight_at(&self, gain: u32) -> u32 {
        self.quantized(self.bdp(self.max_bandwidth.get(), gain))
    }

    /// The flight when the next burst departs (`bbr_packets_in_net_at_edt`).
    fn flight_at_departure(&self, in_flight: u32) -> u32 {
        let departs = self.era == Era::Linux6 && self.pacing_gain > UNIT;
        if departs { in_flight + self.pacing.burst() } else { in_flight }
    }

    /// `bbr_reset_probe_bw_mode`.
    fn enter_probe_bw(&mut self) {
        self.enter(Mode::ProbeBw);
        self.cycle.start(&mut self.random, self.counts.delivered_at);
    }

    /// `bbr_update_bw` (section 4.1.1).
    fn update_bandwidth(&mut self, ack: &Ack) {
        self.rounds.update(ack);
        if self.rounds.start() {
            self.window.on_round();
        }
        if let Some(sample) = ack.sample {
            self.look_for_policer(self.rounds.start(), ack.losses, sample.app_limited);
            self.max_bandwidth.update(ack, self.rounds.count());
        }
    }

    /// `bbr_lt_bw_sampling`.
    fn look_for_policer(&mut self, round_start: bool, losses: u32, app_limited: bool) {
        let evidence = Evidence {
            counts: self.counts,
            round_start,
            losses,
            app_limited,
            probing: self.mode == Mode::ProbeBw,
        };
        match self.policer.update(evidence, |bandwidth| self.pacing.payload_rate(bandwidth, UNIT)) {
            Verdict::Policed => self.pacing_gain = UNIT,
            Verdict::Expired => self.enter_probe_bw(),
            Verdict::Unchanged => {}
        }
    }

    /// `bbr_update_cycle_phase` (section 4.3.4.3).
    fn advance_cycle(&mut self, ack: &Ack) {
        if self.mode == Mode::ProbeBw && self.phase_is_over(ack) {
            self.cycle.advance(self.counts.delivered_at);
        }
    }

    /// `bbr_is_next_cycle_phase` (section 4.3.4.3).
    fn phase_is_over(&self, ack: &Ack) -> bool {
        let full_length = self
            .min_rtt
            .get()
            .is_some_and(|rtt| self.cycle.elapsed(self.counts.delivered_at) > rtt as u64);
        if self.pacing_gain == UNIT {
            return full_length;
        }
        let flight = self.flight_at_departure(ack.in_flight_before);
        if self.pacing_gain > UNIT {
            // Until the flight reaches the gain; losses mean that it does not fit.
            full_length && (ack.losses > 0 || flight >= self.flight_at(self.pacing_gain))
        } else {
            full_length || flight <= self.flight_at(UNIT)
        }
    }

    /// `bbr_check_full_bw_reached` (section 4.3.2.2).
    fn check_full_pipe(&mut self, ack: &Ack) {
        let limited = ack.sample.is_none_or(|sample| sample.app_limited);
        if self.rounds.start() && !limited {
            self.full_pipe.on_round(self.max_bandwidth.get());
        }
    }

    /// `bbr_check_drain` (section 4.3.3).
    fn check_drain(&mut self, ack: &Ack) {
        if self.mode == Mode::Startup && self.full_pipe.reached() {
            self.enter(Mode::Drain);
        }
        if self.mode == Mode::Drain
            && self.flight_at_departure(ack.in_flight) <= self.flight_at(UNIT)
        {
            self.enter_probe_bw();
        }
    }

    /// `bbr_update_gains`.
    fn set_gains(&mut self) {
        (self.pacing_gain, self.window_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw if self.policer.bandwidth().is_some() => (UNIT, WINDOW_GAIN),
            Mode::ProbeBw => (self.cycle.gain(), WINDOW_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }

    /// `bbr_set_cwnd` (section 4.2.3).
    fn set_window(&mut self, ack: &Ack, bandwidth: u32) {
        let full = self.full_pipe.reached();
        let mut target = self.bdp(bandwidth, self.window_gain);
        if self.era == Era::Linux6 && full {
            target = target.saturating_add(self.aggregation.extra(bandwidth));
        }
        if self.window.update(ack, self.quantized(target), full) {
            self.rounds.restart(self.counts.delivered);
        }
        if self.mode == Mode::ProbeRtt {
            self.window.hold_low();
        }
    }
}

impl Controller for Bbr {
    /// `bbr_init`.
    fn on_open(&mut self, open: &Open) {
        self.start(open.now);
        let rtt = open.rtt.as_micros().max(1);
        self.min_rtt.open(micros(open.now), u32::try_from(rtt).unwrap_or(u32::MAX));
        self.pacing.on_first_rtt(self.window.get(), rtt);
    }

    /// `bbr_cwnd_event`, `CA_EVENT_TX_START` (section 4.3.4.4).
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.start(sent.now);
        if sent.in_flight == 0 && self.mutated.has(Mutation::Forgets) {
            self.max_bandwidth = MaxBandwidth::new();
        }
        if sent.in_flight == 0 && (sent.app_limited || self.probe_rtt.limits(self.counts.delivered))
        {
            let now = micros(sent.now);
            self.idle_restart = true;
            self.extra_acked.restart(now);
            match self.mode {
                Mode::ProbeBw => self.pacing.set(self.bandwidth(), UNIT, true),
                Mode::ProbeRtt
                    if self.probe_rtt.is_over(now) && !self.mutated.has(Mutation::IdleProbe) =>
                {
                    self.leave_probe_rtt(now)
                }
                _ => {}
            }
        }
        Tag::default()
    }

    /// `bbr_main` and `bbr_update_model`; `bbr_ssthresh` where a recovery begins.
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.start(feedback.now);
        let mut ack = Ack::new(feedback, self.counts.delivered_at);
        if let Some(sample) = &mut ack.sample {
            sample.app_limited |= self.probe_rtt.limits(sample.prior_delivered);
            sample.app_limited &= !self.mutated.has(Mutation::Unlimited);
        }
        self.counts = ack.counts;
        if feedback.congestion.is_some() {
            self.window.save(self.mode == Mode::ProbeRtt);
        }
        self.update_bandwidth(&ack);
        if self.era == Era::Linux6
            && let Some(extra) = self.extra_acked.update(&ack, self.bandwidth(), self.window.get())
        {
            self.aggregation.update(extra, self.rounds.start(), AGGREGATION_ROUNDS);
        }
        self.advance_cycle(&ack);
        self.check_full_pipe(&ack);
        self.check_drain(&ack);
        self.update_min_rtt(&ack);
        self.set_gains();
        let bandwidth = self.bandwidth();
        self.pacing.on_first_rtt(self.window.get(), ack.srtt);
        self.pacing.set(bandwidth, self.pacing_gain, self.full_pipe.reached());
        self.set_window(&ack, bandwidth);
    }

    /// `bbr_set_state`, `TCP_CA_Loss`: a timeout ends a round, and growth is measured anew.
    fn on_timeout(&mut self, timeout: &Timeout) {
        self.start(timeout.now);
        if !timeout.repeated {
            self.window.save(self.mode == Mode::ProbeRtt);
        }
        self.window.collapse(timeout.in_flight_after);
        self.full_pipe.on_timeout();
        self.counts.lost += timeout.lost as u64;
        self.look_for_policer(true, 1, false);
    }

    /// `bbr_undo_cwnd`.
    fn on_undo(&mut self, _now: Time) {
        if self.mutated.has(Mutation::UndoKeeps) {
            return;
        }
        self.full_pipe.on_undo();
        self.policer.reset(self.counts);
    }

    fn decides_in_flight(&self) -> bool {
        false
    }

    fn decision(&self) -> Decision {
        Decision {
            window: Segments::new(self.window.get() as f64),
            pacing: Some(self.pacing.rate()),
            quantum: self.pacing.quantum(),
            ecn: Ecn::NotEct,
            reduction: Reduction::Immediate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window.get() as f64);
        visit("bandwidth_packets_s", self.bandwidth() as f64 * (1e6 / (1u64 << BW_SCALE) as f64));
        visit("min_rtt_s", self.min_rtt.get().map_or(f64::NAN, |rtt| rtt as f64 / 1e6));
        visit("mode", self.mode as u8 as f64);
        visit("pacing_gain", self.pacing_gain as f64 / UNIT as f64);
        visit("cwnd_gain", self.window_gain as f64 / UNIT as f64);
        visit("rounds", self.rounds.count() as f64);
        visit("policed", self.policer.bandwidth().is_some() as u8 as f64);
    }
}
