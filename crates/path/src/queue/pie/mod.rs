//! PIE: drops at random at the tail, with a probability that a proportional-integral controller
//! sets by the queueing delay.
//!
//! Left out: switching it on and off with the queue's length (RFC 8033 section 5.3, optional); what
//! Linux `net/sched/sch_pie.c` adds, two points of probability per update above 250 ms.

#[cfg(test)]
mod tests;

use crate::queue::buffer::Buffer;
use crate::queue::ticks::Ticks;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Packet, Queued,
    Verdicts,
};
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Random, Span, Time};
use narrows_wire::Ecn;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "pie",
    summary: "drops or marks arrivals with a probability that follows queueing delay and its trend",
    source: "RFC 8033",
    offers: &[],
    params: &[
        TARGET.spec,
        UPDATE.spec,
        ALPHA.spec,
        BETA.spec,
        BURST.spec,
        MEASURES_DEPARTURES.spec,
        DERANDOMIZE.spec,
        CAP.spec,
        ECN.spec,
        MARK_LIMIT.spec,
    ],
};

const TARGET: Param<Span> = Param::millis(
    "target",
    15.0,
    (0.01, 10_000.0),
    "target delay, QDELAY_REF (RFC 8033 section 4.2)",
);
const UPDATE: Param<Span> = Param::millis(
    "update",
    15.0,
    (0.1, 10_000.0),
    "update interval of the probability, T_UPDATE (section 4.2)",
);
const ALPHA: Param<f64> = Param::number(
    "alpha",
    0.125,
    (0.0, 100.0),
    "Hz",
    "weight of the deviation from the target (section 4.2)",
);
const BETA: Param<f64> = Param::number(
    "beta",
    1.25,
    (0.0, 100.0),
    "Hz",
    "weight of the change of the delay (section 4.2)",
);
const BURST: Param<Span> = Param::millis(
    "burst",
    150.0,
    (0.0, 100_000.0),
    "burst allowance after a quiet time, MAX_BURST (section 4.4)",
);
const MEASURES_DEPARTURES: Param<bool> = Param::choice(
    "delay",
    "timestamp",
    &[("timestamp", false), ("departure-rate", true)],
    "source of the delay: the head packet's wait, or the departure rate (sections 4.3, 5.2)",
);
const DERANDOMIZE: Param<bool> =
    Param::flag("derandomize", true, "limit distances between drops (section 5.4)");
const CAP: Param<bool> = Param::flag(
    "cap",
    true,
    "from 10 % on the probability rises by at most 2 points (section 5.5)",
);
const ECN: Param<bool> = Param::flag(
    "ecn",
    true,
    "mark ECN-capable packets instead of dropping them below `mark_limit` (section 5.1)",
);
const MARK_LIMIT: Param<f64> = Param::number(
    "mark_limit",
    0.1,
    (0.0, 1.0),
    "",
    "probability from which ECN-capable packets are dropped too (section 5.1)",
);

/// Bytes over which a departure rate is measured (section 5.2).
const DQ_THRESHOLD: u64 = 16_384;

/// Bounds of the probability and what the step is divided by below each (section 4.2).
const TUNING: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// A queue under PIE.
#[derive(Clone, Debug)]
pub struct Pie<P> {
    queue: Buffer<P>,
    settings: Settings,
    ticks: Ticks,
    random: Random,
    probability: f64,
    old_delay: Span,
    burst_left: Span,
    /// Sum of the probabilities since the latest drop.
    accumulated: f64,
    departures: Option<Departures>,
    /// The mean packet, as the RFC's MEAN_PKTSIZE: the largest so far.
    largest: Bytes,
}

#[derive(Clone, Debug)]
struct Settings {
    target: Span,
    alpha: f64,
    beta: f64,
    burst: Span,
    derandomize: bool,
    cap: bool,
    ecn: bool,
    mark_limit: f64,
}

/// The measured rate of departures.
#[derive(Clone, Copy, Debug, Default)]
struct Departures {
    /// Since when, and how many bytes left since.
    measuring: Option<(Time, u64)>,
    /// Smoothed seconds in which [`DQ_THRESHOLD`] bytes leave.
    time: Option<f64>,
}

impl<P: Packet> Pie<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Pie<P> {
        let settings = Settings {
            target: params.get(&TARGET),
            alpha: params.get(&ALPHA),
            beta: params.get(&BETA),
            burst: params.get(&BURST),
            derandomize: params.get(&DERANDOMIZE),
            cap: params.get(&CAP),
            ecn: params.get(&ECN),
            mark_limit: params.get(&MARK_LIMIT),
        };
        Pie {
            queue: Buffer::new(setup.limit),
            burst_left: settings.burst,
            settings,
            ticks: Ticks::new(params.get(&UPDATE)),
            random: setup.random.clone(),
            probability: 0.0,
            old_delay: Span::ZERO,
            accumulated: 0.0,
            departures: params.get(&MEASURES_DEPARTURES).then(Departures::default),
            largest: Bytes::ZERO,
        }
    }

    fn delay(&self, now: Time) -> Span {
        match &self.departures {
            None => self.queue.sojourn(now),
            Some(departures) => Span::from_secs_f64(
                departures.time.unwrap_or(0.0) * self.queue.bytes().get() as f64
                    / DQ_THRESHOLD as f64,
            ),
        }
    }

    fn update(&mut self, now: Time) {
        while let Some(tick) = self.ticks.due(now) {
            let delay = self.delay(tick);
            self.update_probability(delay);
        }
    }

    /// One period is over (section 4.2).
    fn update_probability(&mut self, delay: Span) {
        let Settings { target, alpha, beta, cap, burst, .. } = self.settings;
        let now = delay.as_secs_f64();
        let old = self.old_delay.as_secs_f64();
        let aim = target.as_secs_f64();
        let divisor = TUNING
            .iter()
            .find(|(bound, _)| self.probability < *bound)
            .map_or(1.0, |(_, divisor)| *divisor);
        let mut step = (alpha * (now - aim) + beta * (now - old)) / divisor;
        if cap && self.probability >= 0.1 {
            step = step.min(0.02);
        }
        self.probability += step;
        if delay.is_zero() && self.old_delay.is_zero() {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_left = self.burst_left.saturating_sub(self.ticks.every());
        let calm = |delay: Span| delay < target / 2;
        if self.probability == 0.0 && calm(delay) && calm(self.old_delay) {
            self.burst_left = burst;
        }
        self.old_delay = delay;
    }

    /// Whether an arrival is to be dropped or marked (sections 4.1 and 5.4).
    fn acts(&mut self) -> bool {
        let calm = self.old_delay < self.settings.target / 2 && self.probability < 0.2;
        if !self.burst_left.is_zero() || calm || self.queue.bytes() <= self.largest * 2 {
            return false;
        }
        if self.settings.derandomize {
            self.accumulated =
                if self.probability == 0.0 { 0.0 } else { self.accumulated + self.probability };
            if self.accumulated < 0.85 {
                return false;
            }
            if self.accumulated >= 8.5 {
                return true;
            }
        }
        self.random.chance(self.probability)
    }
}

impl<P: Packet> Discipline<P> for Pie<P> {
    fn enqueue(&mut self, now: Time, mut packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.update(now);
        if !self.queue.admits(packet.size()) {
            self.accumulated = 0.0;
            return Fate::Dropped(DropReason::Full);
        }
        self.largest = self.largest.max(packet.size());
        let acts = self.acts();
        if acts {
            self.accumulated = 0.0;
            if !self.settings.ecn
                || packet.ecn() == Ecn::NotEct
                || self.probability >= self.settings.mark_limit
            {
                return Fate::Dropped(DropReason::Early);
            }
            packet.set_ecn(Ecn::Ce);
        }
        self.queue.push(now, packet);
        if acts { Fate::Marked } else { Fate::Queued }
    }

    fn dequeue(&mut self, now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.update(now);
        if let Some(departures) = &mut self.departures {
            departures.leave(
                now,
                self.queue.bytes().get(),
                self.queue.head().map_or(0, |head| head.packet.size().get()),
            );
        }
        self.queue.pop()
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }
}

impl Departures {
    /// A packet of `size` leaves a queue of `waiting` bytes (section 5.2). Bytes count from the
    /// second packet on: the first is only beginning to leave.
    fn leave(&mut self, now: Time, waiting: u64, size: u64) {
        let Some((start, gone)) = &mut self.measuring else {
            if waiting >= DQ_THRESHOLD {
                self.measuring = Some((now, size));
            }
            return;
        };
        if *gone >= DQ_THRESHOLD {
            let took = now.since(*start).as_secs_f64() * DQ_THRESHOLD as f64 / *gone as f64;
            const WEIGHT: f64 = 0.25;
            self.time = Some(self.time.map_or(took, |time| took * WEIGHT + time * (1.0 - WEIGHT)));
            self.measuring = (waiting >= DQ_THRESHOLD).then_some((now, size));
        } else if size == 0 {
            self.measuring = None;
        } else {
            *gone += size;
        }
    }
}
