//! BBR version 3: version 1's model, bounded by what losses tell, and probing for bandwidth at
//! longer and random intervals.
//!
//! Sources: draft-ietf-ccwg-bbr-06 (`profile=draft`), whose text of 3 August 2026 makes state
//! machine and pseudocode binding and otherwise changes words; github.com/google/bbr, branch v3,
//! `net/ipv4/tcp_bbr.c` (`profile=linux`). They differ in constants (`profile.rs`) and in details
//! named where they are. ECN (`ecn=true`) is the kernel's only. Sections and names in CamelCase are
//! those of the draft, names that begin with `bbr_` those of the kernel.
//!
//! Deviations:
//! * packets and microseconds in both profiles, as the kernel has them;
//! * bounds and window to return to are saved once, when a recovery begins, before its losses
//!   change them. The kernel saves after the first losses were judged. The draft's `NoteLoss` saves
//!   again at the first loss after each reset of `is_loss_in_round`, which the response to a probe
//!   that went too high resets: the next lost packet would forget the state to return to;
//! * that a probe stops at the bound of the one before is judged by the flight before the
//!   acknowledgement, as the kernel does: the draft's flight after it is below the window and so
//!   below the bound, and the precaution of section 5.3.3.6 would never act;
//! * `InflightAtLoss` is never below the flight before the packet, and its losses are rounded up,
//!   as the kernel does;
//! * a timeout does not say which transmissions it gives up: they are judged together, by the
//!   flight at that time;
//! * an acknowledgement without a valid rate sample (section 4.1.2.3) begins no round and changes
//!   no estimate but the round trip, as in the kernel;
//! * `bw` is the smaller of `max_bw` and `bw_shortterm` at every moment: both documents renew it at
//!   the end of an acknowledgement;
//! * the kernel paces by payload; the decision counts headers too, at the same packets per second,
//!   and so does the quantum;
//! * how far the next departure is ahead is not known here: the flight at that time is taken as the
//!   flight now, plus, in the kernel's profile, the burst that departs if the gain is above 1;
//! * the kernel's fast path for flows limited by the application, its protective load balancing and
//!   its request for immediate acknowledgements are left out.

mod bounds;
mod machine;
mod model;
mod profile;
mod response;
mod signals;
mod state;
#[cfg(test)]
mod tests;

use crate::controllers::bbr::common::{
    Ack, BW_SCALE, Counts, ExtraAcked, FLOOR, Pacing, PacingRule, ProbeRtt, Rounds, UNIT,
    bandwidth_ceil, bdp,
};
use crate::parts::micros::micros;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use bounds::{LongTerm, ShortTerm, UNBOUNDED, Undo};
use model::{Aggregation, FullPipe, Latest, LostRanges, MaxBandwidth, MinRtt};
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::{Random, Segments, Time};
use narrows_wire::Ecn;
use profile::{Constants, Profile, UP_WINDOW_GAIN, WINDOW_GAIN};
use signals::{Departure, Flights, Marks};
use state::{BbrState, Cwnd, Cycle, Evidence};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "bbr3",
    kernel: None,
    summary: "BBR version 3: paces at the measured bandwidth, bounds bandwidth and flight by losses, probes every 2 to 3 s or 62 to 63 rounds",
    source: "draft-ietf-ccwg-bbr-06; github.com/google/bbr, branch v3, net/ipv4/tcp_bbr.c",
    basis: Basis::Model,
    needs: &[Need::RateSample, Need::BroadAppLimits, Need::Pacing, Need::Tags],
    numbered: false,
    params: &[PROFILE.spec, ECN.spec],
    build: Build::Function(build),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "draft",
    &[("draft", Profile::Draft), ("linux", Profile::Linux)],
    "draft: draft-ietf-ccwg-bbr; linux: the kernel of google/bbr, branch v3",
);
const ECN: Param<bool> = Param::flag(
    "ecn",
    false,
    "send ECT(0) and answer the share of marks on paths up to 5 ms (profile linux)",
)
.needing(Need::EcnCounts);

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    if params.get(&PROFILE) == Profile::Draft {
        params.refuse(&ECN, "left out with profile=draft, which has no answer to marks")?;
    }
    Ok(Built::new(Bbr3::new(setup, params)))
}

/// Size that the kernel adds to a burst at a round trip of zero, in bytes; half of it per 512 µs
/// (`bbr_tso_rtt_shift` of 9 in `bbr_tso_segs_generic`).
const SHORT_RTT_BURST: u64 = 65_536;

/// The controller.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    profile: Profile,
    constants: &'static Constants,
    state: BbrState,
    /// In µs.
    now: u64,
    rounds: Rounds,
    counts: Counts,
    flights: Flights,
    max_bandwidth: MaxBandwidth,
    full_pipe: FullPipe,
    lost_ranges: LostRanges,
    drain_began: u32,
    cycle: Cycle,
    loss_in_cycle: bool,
    short_term: ShortTerm,
    long_term: LongTerm,
    undo: Undo,
    min_rtt: MinRtt,
    probe_rtt: ProbeRtt,
    extra_acked: ExtraAcked,
    aggregation: Aggregation,
    marks: Option<Marks>,
    window: Cwnd,
    pacing: Pacing,
    /// Sending began again after idleness, and nothing was delivered since.
    idle_restart: bool,
    /// More than one loss per round trip can be detected (`has_selective_acks`).
    selective: bool,
    /// The latest rate sample.
    latest: Latest,
    started: bool,
    random: Random,
}

impl Bbr3 {
    /// The state machine moves.
    fn enter(&mut self, state: BbrState) {
        debug_assert!(state.may_follow(self.state), "from {:?} to {state:?}", self.state);
        self.state = state;
    }

    /// A controller at the start of a connection.
    pub fn new(setup: &Setup, params: &Params) -> Bbr3 {
        let profile = params.get(&PROFILE);
        let constants = profile.constants();
        let window = setup.initial_window.whole().max(1);
        let rule = PacingRule {
            unit: constants.unit,
            first_gain: constants.startup_pacing,
            percent: 99,
            lone_segments: false,
        };
        Bbr3 {
            profile,
            constants,
            state: BbrState::Startup,
            now: 0,
            rounds: Rounds::default(),
            counts: Counts::default(),
            flights: Flights::new(),
            max_bandwidth: MaxBandwidth::default(),
            full_pipe: FullPipe::default(),
            lost_ranges: LostRanges::default(),
            drain_began: 0,
            cycle: Cycle::default(),
            loss_in_cycle: false,
            short_term: ShortTerm::new(),
            long_term: LongTerm::new(),
            undo: Undo::new(),
            min_rtt: MinRtt::new(profile, 0),
            probe_rtt: ProbeRtt::default(),
            extra_acked: ExtraAcked::default(),
            aggregation: Aggregation::new(profile),
            marks: params.get(&ECN).then(Marks::new),
            window: Cwnd::new(window),
            pacing: Pacing::new(setup, rule, window),
            idle_restart: false,
            selective: true,
            latest: Latest::default(),
            started: false,
            random: Random::stream(setup.seed, "bbr3"),
        }
    }

    /// Time begins with the first event.
    fn step(&mut self, now: Time) {
        self.now = micros(now);
        if !self.started {
            self.started = true;
            self.min_rtt = MinRtt::new(self.profile, self.now);
            self.extra_acked.restart(self.now);
            self.counts.delivered_at = self.now;
        }
    }

    /// The bandwidth in use (`BoundBWForModel`, `bbr_bw`).
    fn bandwidth(&self) -> u32 {
        self.max_bandwidth.get().min(self.short_term.bandwidth())
    }

    /// `gain` times the bandwidth-delay product in packets, rounded up; the initial window before
    /// any round trip is known (`BDPMultiple`, `bbr_bdp`).
    fn bdp(&self, bandwidth: u32, gain: u32) -> u32 {
        self.min_rtt.get().map_or(self.window.initial(), |rtt| bdp(bandwidth, rtt, gain))
    }

    /// Makes room for packets held in hosts: at least three bursts, and two packets more in
    /// ProbeBW_UP (`QuantizationBudget`, `bbr_quantization_budget`).
    fn quantized(&self, packets: u32) -> u32 {
        let packets = packets.max(3 * self.pacing.burst()).max(FLOOR);
        if self.state == BbrState::Up { packets.saturating_add(2) } else { packets }
    }

    /// The flight that fills the path at `bandwidth` without a queue (`Inflight(1.0)`,
    /// `bbr_inflight`).
    fn capacity(&self, bandwidth: u32) -> u32 {
        self.quantized(self.bdp(bandwidth, UNIT))
    }

    /// The flight to aim at: the bdp, unless the window is less (`TargetInflight`,
    /// `bbr_target_inflight`).
    fn target_flight(&self) -> u32 {
        let bdp = self.bdp(self.bandwidth(), UNIT);
        let target = if self.profile == Profile::Linux { self.quantized(bdp) } else { bdp };
        target.min(self.window.get())
    }

    /// The flight when the next burst departs (`bbr_packets_in_net_at_edt`).
    fn flight_at_departure(&self, in_flight: u32) -> u32 {
        let departs = self.profile == Profile::Linux && self.pacing_gain() > self.constants.unit;
        if departs { in_flight + self.pacing.burst() } else { in_flight }
    }

    /// Section 5.6.1, `bbr_update_gains`.
    fn pacing_gain(&self) -> u32 {
        match self.state {
            BbrState::Startup => self.constants.startup_pacing,
            BbrState::Drain => self.constants.drain_pacing,
            BbrState::Down => self.constants.down_pacing,
            BbrState::Cruise | BbrState::Refill | BbrState::ProbeRtt => self.constants.unit,
            BbrState::Up => self.constants.up_pacing,
        }
    }

    /// Section 5.6.1, `bbr_update_gains`.
    fn window_gain(&self) -> u32 {
        match self.state {
            BbrState::Up => UP_WINDOW_GAIN,
            BbrState::ProbeRtt if self.profile == Profile::Draft => profile::PROBE_RTT_GAIN,
            BbrState::ProbeRtt => UNIT,
            _ => WINDOW_GAIN,
        }
    }

    /// The events since the latest of the acknowledged packets left.
    fn evidence(&self, feedback: &Feedback<'_>, ack: &Ack) -> Option<Evidence> {
        let newest = feedback.acked.iter().max_by_key(|acked| acked.sent_at)?;
        let departure = self.flights.get(newest.tag)?;
        Some(Evidence {
            flight: departure.flight,
            lost: (self.counts.lost as u32).wrapping_sub(departure.lost),
            app_limited: ack.sample.is_some_and(|sample| sample.app_limited),
            delivered: ack.sample.map_or(0, |sample| sample.delivered),
            marked: self
                .marks
                .as_ref()
                .map_or(0, |marks| marks.total.wrapping_sub(departure.marked)),
        })
    }

    /// Forgets losses, deliveries and marks of before: a state begins that responds to them
    /// (`ResetCongestionSignals`, `bbr_reset_congestion_signals`).
    fn reset_signals(&mut self) {
        self.short_term.reset_signals();
        self.loss_in_cycle = false;
        if let Some(marks) = &mut self.marks {
            marks.reset();
        }
    }

    /// `SetPacingRate` (section 5.6.2), `bbr_set_pacing_rate`, `bbr_tso_segs_generic`.
    fn set_pacing(&mut self, ack: &Ack) {
        self.pacing.on_first_rtt(self.window.get(), ack.srtt);
        self.pacing.set(self.bandwidth(), self.pacing_gain(), self.full_pipe.reached());
        if self.profile == Profile::Linux {
            let halvings = self.min_rtt.get().map_or(64, |rtt| rtt >> 9);
            self.pacing.allow(SHORT_RTT_BURST.checked_shr(halvings).unwrap_or(0));
        }
    }
}

impl Controller for Bbr3 {
    /// `OnInit` (section 5.2.1), `bbr_init`.
    fn on_open(&mut self, open: &Open) {
        self.step(open.now);
        self.selective = open.selective || self.profile == Profile::Linux;
        let rtt = open.rtt.as_micros().max(1);
        self.min_rtt.open(u32::try_from(rtt).unwrap_or(u32::MAX));
        self.pacing.on_first_rtt(self.window.get(), rtt);
    }

    /// `HandleRestartFromIdle` (section 5.4.1), `bbr_cwnd_event`.
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.step(sent.now);
        let held_back = self.probe_rtt.limits(self.counts.delivered);
        if sent.in_flight == 0 && (sent.app_limited || held_back) {
            self.idle_restart = true;
            match self.profile {
                Profile::Draft => self.extra_acked.restart_time(self.now),
                Profile::Linux => self.extra_acked.restart(self.now),
            }
            if self.state.is_probe_bw() {
                self.pacing.set(self.bandwidth(), self.constants.unit, self.full_pipe.reached());
            } else if self.state == BbrState::ProbeRtt && self.probe_rtt.is_over(self.now) {
                self.leave_probe_rtt();
            }
        }
        self.window.on_sent(sent.in_flight, self.counts.delivered);
        self.flights.depart(Departure {
            flight: sent.in_flight + 1,
            lost: self.counts.lost as u32,
            marked: self.marks.as_ref().map_or(0, |marks| marks.total),
            app_limited: sent.app_limited || held_back,
        })
    }

    /// `UpdateOnACK` (section 5.2.3), `bbr_main` and `bbr_update_model`.
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.step(feedback.now);
        let mut ack = Ack::new(feedback, self.counts.delivered_at);
        if let Some(sample) = &mut ack.sample {
            sample.app_limited |= self.probe_rtt.limits(sample.prior_delivered);
        }
        self.counts = ack.counts;
        if feedback.undone && self.state == BbrState::Refill {
            // The undo began it before this acknowledgement was counted.
            self.rounds.restart(self.counts.delivered);
        }
        self.take_losses(feedback);
        self.rounds.update(&ack);
        if self.rounds.start() {
            self.cycle.on_round();
        }
        self.take_marks(feedback.ecn.ce);
        let evidence = self.evidence(feedback, &ack);
        let measured =
            ack.sample.map_or(0, |sample| bandwidth_ceil(sample.delivered as u64, sample.interval));
        self.latest.take(&ack, measured);
        self.short_term.update(&ack, measured);
        self.adapt_short_term(&ack, measured);
        self.update_aggregation(&ack);
        self.check_startup_loss(&ack, evidence);
        self.check_full_pipe(&ack);
        self.check_drain(&ack);
        self.update_probe_bw(&ack, evidence);
        self.check_probe_rtt(&ack);
        self.set_pacing(&ack);
        self.set_window(&ack);
        self.short_term.advance(&ack, measured);
        self.note_marks(evidence);
    }

    /// `OnEnterRTO` (section 5.6.4.4), `bbr_set_state`.
    fn on_timeout(&mut self, timeout: &Timeout) {
        self.step(timeout.now);
        if !timeout.repeated {
            self.save();
        }
        self.counts.lost += timeout.lost as u64;
        self.note_loss();
        let evidence = Evidence {
            flight: timeout.in_flight,
            lost: timeout.lost,
            app_limited: false,
            delivered: 0,
            marked: 0,
        };
        if self.cycle.probe_sample && self.is_too_high(&evidence) {
            self.answer_too_high(evidence.flight, evidence.app_limited);
        }
        let before = self.window.collapse(timeout.in_flight_after + 1);
        if self.profile == Profile::Linux {
            if !self.state.is_probing() {
                self.short_term.bound_flight(before);
            }
            self.full_pipe.restart(0);
        }
    }

    /// `HandleSpuriousLossDetection` (section 5.5.11.2), `bbr_undo_cwnd`.
    fn on_undo(&mut self, now: Time) {
        self.step(now);
        self.take_back();
    }

    fn decision(&self) -> Decision {
        Decision {
            window: Segments::new(self.window.get() as f64),
            pacing: Some(self.pacing.rate()),
            quantum: self.pacing.quantum(),
            ecn: if self.marks.is_some() { Ecn::Ect0 } else { Ecn::NotEct },
            reduction: Reduction::Immediate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.show(visit);
    }
}

// The inner state by name, for traces. Names are the draft's (section 2) in this project's words,
// with the unit at their end; no unit stands for packets, rounds, a gain or a truth (0 or 1). A
// bound that is not set and a value of the other profile are not a number.

impl Bbr3 {
    /// Shows each value to `visit`.
    pub(super) fn show(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("state", self.state as u8 as f64);
        visit("rounds", self.rounds.count() as f64);
        visit("round_start", truth(self.rounds.start()));
        visit("pacing_gain", self.pacing_gain() as f64 / self.constants.unit as f64);
        visit("cwnd_gain", self.window_gain() as f64 / UNIT as f64);
        visit("cwnd", self.window.get() as f64);
        self.show_model(visit);
        self.show_probing(visit);
        self.show_undo(visit);
        visit("idle_restart", truth(self.idle_restart));
        visit(
            "ecn_alpha",
            self.marks.as_ref().map_or(f64::NAN, |marks| marks.alpha() as f64 / UNIT as f64),
        );
    }

    /// Section 2.9 and the samples that it is made of.
    fn show_model(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("delivery_rate_packets_s", rate(self.latest.bandwidth));
        visit("app_limited", truth(self.latest.app_limited));
        visit("bandwidth_packets_s", rate(self.bandwidth()));
        visit("max_bandwidth_packets_s", rate(self.max_bandwidth.get()));
        visit("bandwidth_shortterm_packets_s", rate(self.short_term.bandwidth()));
        visit("inflight_shortterm", bound(self.short_term.flight()));
        visit("inflight_longterm", bound(self.long_term.get()));
        visit("bandwidth_latest_packets_s", rate(self.short_term.latest_bandwidth()));
        visit("inflight_latest", self.short_term.latest_flight() as f64);
        visit("min_rtt_s", seconds(self.min_rtt.get()));
        visit("probe_rtt_min_delay_s", seconds(self.min_rtt.recent()));
        visit("extra_acked", self.aggregated(self.bandwidth()) as f64);
    }

    /// Sections 2.13 and 2.14.
    fn show_probing(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("full_bw_count", self.full_pipe.rounds() as f64);
        visit("full_bw_now", truth(self.full_pipe.now()));
        visit("full_bw_reached", truth(self.full_pipe.reached()));
        visit("drain_start_round", self.drain_began as f64);
        visit("bw_probe_wait_s", self.cycle.wait() as f64 / 1e6);
        visit("rounds_since_probe", self.cycle.rounds() as f64);
        visit("probe_sample", truth(self.cycle.probe_sample));
        visit("prev_probe_too_high", truth(self.cycle.too_high));
        visit("prev_probe_precautionary", truth(self.cycle.precautionary));
    }

    /// Section 2.15.
    fn show_undo(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("undo_state", self.undo.state.map_or(f64::NAN, |state| state as u8 as f64));
        visit("undo_bandwidth_shortterm_packets_s", rate(self.undo.bandwidth));
        visit("undo_inflight_shortterm", bound(self.undo.flight));
        visit("undo_inflight_longterm", bound(self.undo.long_term));
    }
}

fn truth(is: bool) -> f64 {
    is as u8 as f64
}

fn rate(bandwidth: u32) -> f64 {
    if bandwidth == UNBOUNDED {
        f64::NAN
    } else {
        bandwidth as f64 * (1e6 / (1u64 << BW_SCALE) as f64)
    }
}

fn bound(packets: u32) -> f64 {
    if packets == UNBOUNDED { f64::NAN } else { packets as f64 }
}

fn seconds(micros: Option<u32>) -> f64 {
    micros.map_or(f64::NAN, |micros| micros as f64 / 1e6)
}
