//! DualPI2: two queues with coupled marking, so that scalable flows have hardly any delay and
//! classic ones their share.
//!
//! That share is one of windows: with k = 2 a classic window of 1.22/p' stands beside a scalable
//! one of 1/p'. Rates go with the inverse of the round trips, and those of classic flows include
//! the target: beside a Prague flow of 20 ms a CUBIC flow has 34 ms, about the same window, and
//! 0.56 of the rate.
//!
//! Linux `net/sched/sch_dualpi2.c` differs from the RFC, which is followed here: it updates each 16
//! ms with gains of 0.16 and 3.2 Hz, marks low-latency packets above a step of 1 ms and not along a
//! ramp, gives classic packets a weight of 10 %, and draws at random.

#[cfg(test)]
mod tests;

use crate::queue::buffer::Buffer;
use crate::queue::ticks::Ticks;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued,
    Verdicts,
};
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "dualpi2",
    summary: "a low-latency queue for ECT(1) and CE beside a classic one; one PI controller serves both, for equal windows of scalable and classic flows",
    source: "RFC 9332, appendix A",
    offers: &[],
    params: &[
        TARGET.spec,
        RTT_MAX.spec,
        K.spec,
        RAMP_START.spec,
        RAMP_WIDTH.spec,
        RAMP_FLOOR.spec,
        SHIFTED.spec,
        CLASSIC_WEIGHT.spec,
        TIME_SHIFT.spec,
    ],
};

const TARGET: Param<Span> = Param::millis(
    "target",
    15.0,
    (0.01, 10_000.0),
    "target delay of the classic queue (RFC 9332 appendix A.1)",
);
const RTT_MAX: Param<Span> = Param::millis(
    "rtt_max",
    100.0,
    (0.1, 100_000.0),
    "longest usual round trip: sets gains and, with the target, the period (A.1)",
);
const K: Param<f64> = Param::number(
    "k",
    2.0,
    (0.1, 100.0),
    "",
    "coupling: low-latency marking is k times the base probability (section 2.1)",
);
const RAMP_START: Param<Span> = Param::millis(
    "ramp_start",
    0.8,
    (0.0, 10_000.0),
    "delay at which the low-latency queue starts its own marks (A.1: minTh)",
);
const RAMP_WIDTH: Param<Span> = Param::millis(
    "ramp_width",
    0.4,
    (0.0, 10_000.0),
    "width of the ramp up to marking all; 0: a step (A.1: range)",
);
const RAMP_FLOOR: Param<f64> = Param::number(
    "ramp_floor",
    1.0,
    (0.0, 1000.0),
    "packets",
    "least packets left behind for its own marks (A.1: Th_len)",
);
const SHIFTED: Param<bool> = Param::choice(
    "scheduler",
    "wrr",
    &[("wrr", false), ("ts-fifo", true)],
    "weighted priority of low latency, or first come, first served with a time shift (section 4.2.2)",
);
const CLASSIC_WEIGHT: Param<f64> = Param::number(
    "classic_weight",
    6.25,
    (0.0, 100.0),
    "%",
    "wrr: least share of classic packets (A.1: 1/16)",
);
const TIME_SHIFT: Param<Span> = Param::millis(
    "time_shift",
    30.0,
    (0.0, 10_000.0),
    "ts-fifo: head start of low-latency packets (twice the target)",
);

/// Two coupled queues.
#[derive(Clone, Debug)]
pub struct DualPi2<P> {
    backlog: Backlog,
    low: Buffer<P>,
    classic: Buffer<P>,
    settings: Settings,
    ticks: Ticks,
    /// The base probability p'.
    base: f64,
    old_delay: Span,
    /// Likelihoods not yet acted upon.
    low_sum: f64,
    classic_sum: f64,
    /// Byte-percents that the classic queue is behind its weight.
    owed: i64,
}

#[derive(Clone, Debug)]
struct Settings {
    target: Span,
    alpha: f64,
    beta: f64,
    k: f64,
    ramp_start: Span,
    ramp_width: Span,
    ramp_floor: usize,
    scheduler: Scheduler,
}

#[derive(Clone, Copy, Debug)]
enum Scheduler {
    /// The classic weight in hundredths of a percent.
    Weighted(i64),
    Shifted(Span),
}

/// All of the weights together.
const WHOLE: i64 = 10_000;

impl<P: Packet> DualPi2<P> {
    /// Empty queues.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> DualPi2<P> {
        let target = params.get(&TARGET);
        let rtt_max = params.get(&RTT_MAX);
        let every = target.min(rtt_max / 3).max(Span::from_micros(1));
        let seconds = rtt_max.as_secs_f64();
        let settings = Settings {
            target,
            alpha: 0.1 * every.as_secs_f64() / (seconds * seconds),
            beta: 0.3 / seconds,
            k: params.get(&K),
            ramp_start: params.get(&RAMP_START),
            ramp_width: params.get(&RAMP_WIDTH),
            ramp_floor: params.get(&RAMP_FLOOR) as usize,
            scheduler: if params.get(&SHIFTED) {
                Scheduler::Shifted(params.get(&TIME_SHIFT))
            } else {
                Scheduler::Weighted((params.get(&CLASSIC_WEIGHT) * 100.0) as i64)
            },
        };
        DualPi2 {
            backlog: Backlog::new(setup.limit),
            low: Buffer::new(Limit::None),
            classic: Buffer::new(Limit::None),
            settings,
            ticks: Ticks::new(every),
            base: 0.0,
            old_delay: Span::ZERO,
            low_sum: 0.0,
            classic_sum: 0.0,
            owed: 0,
        }
    }

    fn update(&mut self, now: Time) {
        while let Some(tick) = self.ticks.due(now) {
            self.update_base(self.low.sojourn(tick).max(self.classic.sojourn(tick)));
        }
    }

    /// The PI controller, once per period.
    fn update_base(&mut self, delay: Span) {
        let Settings { target, alpha, beta, .. } = self.settings;
        let now = delay.as_secs_f64();
        let old = self.old_delay.as_secs_f64();
        let aim = target.as_secs_f64();
        self.base = (self.base + alpha * (now - aim) + beta * (now - old)).clamp(0.0, 1.0);
        self.old_delay = delay;
    }

    /// The probability for classic packets: the square of the base, because their rate goes with
    /// the inverse root.
    fn classic_probability(&self) -> f64 {
        self.base * self.base
    }

    /// The probability that the classic queue lends to low-latency packets.
    fn coupled_probability(&self) -> f64 {
        self.base * self.settings.k
    }

    /// The probability of the low-latency queue itself, of a packet that has waited so long.
    fn native_probability(&self, waited: Span) -> f64 {
        let Settings { ramp_start, ramp_width, ramp_floor, .. } = self.settings;
        if self.low.packets() < ramp_floor || waited <= ramp_start {
            return 0.0;
        }
        let above = waited.saturating_sub(ramp_start);
        if above >= ramp_width { 1.0 } else { above.as_secs_f64() / ramp_width.as_secs_f64() }
    }

    /// Whether the next packet comes from the low-latency queue.
    fn low_is_next(&self) -> bool {
        let (Some(low), Some(classic)) = (self.low.head(), self.classic.head()) else {
            return !self.low.is_empty();
        };
        match self.settings.scheduler {
            Scheduler::Weighted(_) => self.owed <= 0,
            Scheduler::Shifted(shift) => low.at <= classic.at + shift,
        }
    }

    /// A packet was served while the other queue may have been waiting.
    fn charge(&mut self, low: bool, size: Bytes) {
        let Scheduler::Weighted(classic_weight) = self.settings.scheduler else { return };
        let size = size.get() as i64;
        if self.low.is_empty() || self.classic.is_empty() {
            self.owed = 0;
        } else if low {
            self.owed += size * classic_weight;
        } else {
            self.owed -= size * (WHOLE - classic_weight);
        }
    }

    /// A low-latency packet on its way out; `None` if it is dropped.
    fn judge_low(
        &mut self,
        mut head: Queued<P>,
        now: Time,
        verdicts: &mut Verdicts<P>,
    ) -> Option<Queued<P>> {
        let coupled = self.coupled_probability();
        if coupled < 1.0 {
            let native = self.native_probability(now.since(head.at));
            if recurs(&mut self.low_sum, coupled.max(native)) {
                verdicts.mark(&mut head.packet);
            }
            return Some(head);
        }
        // Overload: marks alone would not do, so both queues drop alike (appendix A.2).
        let classic = self.classic_probability();
        if recurs(&mut self.low_sum, classic) {
            verdicts.drop(head.packet, DropReason::Early);
            return None;
        }
        verdicts.mark(&mut head.packet);
        Some(head)
    }

    /// Judges a classic packet on its way out; `None` if it is dropped.
    fn judge_classic(
        &mut self,
        mut head: Queued<P>,
        verdicts: &mut Verdicts<P>,
    ) -> Option<Queued<P>> {
        let classic = self.classic_probability();
        if recurs(&mut self.classic_sum, classic) {
            // Overload from min(1/k², 1) on (appendix A.1: p_Cmax).
            let overload = self.base >= 1.0 || self.coupled_probability() >= 1.0;
            if head.packet.ecn() == Ecn::NotEct || overload {
                verdicts.drop(head.packet, DropReason::Early);
                return None;
            }
            verdicts.mark(&mut head.packet);
        }
        Some(head)
    }
}

/// True as often as the likelihoods add up to, without randomness (appendix A.1).
fn recurs(sum: &mut f64, likelihood: f64) -> bool {
    *sum += likelihood;
    if *sum > 1.0 {
        *sum -= 1.0;
        return true;
    }
    false
}

impl<P: Packet> Discipline<P> for DualPi2<P> {
    fn enqueue(&mut self, now: Time, packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.update(now);
        if !self.backlog.admits(packet.size()) {
            return Fate::Dropped(DropReason::Full);
        }
        self.backlog.add(packet.size());
        match packet.ecn() {
            Ecn::Ect1 | Ecn::Ce => self.low.push(now, packet),
            Ecn::NotEct | Ecn::Ect0 => self.classic.push(now, packet),
        }
        Fate::Queued
    }

    fn dequeue(&mut self, now: Time, verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.update(now);
        loop {
            let low = self.low_is_next();
            let head = if low { self.low.pop() } else { self.classic.pop() }?;
            let size = head.packet.size();
            self.backlog.remove(size);
            let judged = if low {
                self.judge_low(head, now, verdicts)
            } else {
                self.judge_classic(head, verdicts)
            };
            if judged.is_some() {
                self.charge(low, size);
                return judged;
            }
        }
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }
}
