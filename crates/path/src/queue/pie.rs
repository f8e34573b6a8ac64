//! PIE: drops at random at the tail, with a probability that a proportional-integral controller sets by the queueing delay.
//!
//! Left out: switching it on and off with the queue's length (RFC 8033 section 5.3, optional); what Linux `net/sched/sch_pie.c` adds, two points of probability per update
//! above 250 ms.

use crate::queue::buffer::Buffer;
use crate::queue::ticks::Ticks;
use crate::{Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued, Verdicts};
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Ecn;

/// The registry line.
pub(crate) const ENTRY: DisciplineEntry = DisciplineEntry {
    name: "pie",
    summary: "drops or marks arrivals with a probability that follows the queueing delay and its trend",
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

const TARGET: Param<Span> = Param::millis("target", 15.0, (0.01, 10_000.0), "the delay aimed at, QDELAY_REF (RFC 8033 section 4.2)");
const UPDATE: Param<Span> =
    Param::millis("update", 15.0, (0.1, 10_000.0), "time between updates of the probability, T_UPDATE (section 4.2)");
const ALPHA: Param<f64> = Param::number("alpha", 0.125, (0.0, 100.0), "Hz", "weight of the deviation from the target (section 4.2)");
const BETA: Param<f64> = Param::number("beta", 1.25, (0.0, 100.0), "Hz", "weight of the change of the delay (section 4.2)");
const BURST: Param<Span> = Param::millis("burst", 150.0, (0.0, 100_000.0), "burst let through after a quiet time, MAX_BURST (section 4.4)");
const MEASURES_DEPARTURES: Param<bool> = Param::choice(
    "delay",
    "timestamp",
    &[("timestamp", false), ("departure-rate", true)],
    "how the delay is known: by the wait of the packet at the head, or by the rate at which packets leave (sections 4.3, 5.2)",
);
const DERANDOMIZE: Param<bool> = Param::flag("derandomize", true, "no two drops too near to each other or too far apart (section 5.4)");
const CAP: Param<bool> = Param::flag("cap", true, "a probability of 10 % or more rises by 2 points at once at most (section 5.5)");
const ECN: Param<bool> =
    Param::flag("ecn", true, "mark ECN-capable packets instead of dropping them while the probability is below `mark_limit` (section 5.1)");
const MARK_LIMIT: Param<f64> =
    Param::number("mark_limit", 0.1, (0.0, 1.0), "", "probability from which on ECN-capable packets are dropped as well (section 5.1)");

/// Bytes over which a departure rate is measured (section 5.2).
const DQ_THRESHOLD: u64 = 16_384;

/// Bounds of the probability and what the step is divided by below each (section 4.2).
const TUNING: [(f64, f64); 6] = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// A queue under PIE.
#[derive(Clone, Debug)]
pub struct Pie<P> {
    limit: Limit,
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
            limit: setup.limit,
            queue: Buffer::default(),
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
            Some(departures) => Span::from_secs_f64(departures.time.unwrap_or(0.0) * self.queue.bytes().get() as f64 / DQ_THRESHOLD as f64),
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
        let (now, old, aim) = (delay.as_secs_f64(), self.old_delay.as_secs_f64(), target.as_secs_f64());
        let divisor = TUNING.iter().find(|(bound, _)| self.probability < *bound).map_or(1.0, |(_, divisor)| *divisor);
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
            self.accumulated = if self.probability == 0.0 { 0.0 } else { self.accumulated + self.probability };
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
        if !self.queue.admits(self.limit, packet.size()) {
            self.accumulated = 0.0;
            return Fate::Dropped(DropReason::Full);
        }
        self.largest = self.largest.max(packet.size());
        let acts = self.acts();
        if acts {
            self.accumulated = 0.0;
            if !self.settings.ecn || packet.ecn() == Ecn::NotEct || self.probability >= self.settings.mark_limit {
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
            departures.leave(now, self.queue.bytes().get(), self.queue.head().map_or(0, |head| head.packet.size().get()));
        }
        self.queue.pop()
    }

    fn bytes(&self) -> Bytes {
        self.queue.bytes()
    }

    fn packets(&self) -> usize {
        self.queue.packets()
    }

    fn set_rate(&mut self, _now: Time, _rate: Option<Rate>) {}

    fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }
}

impl Departures {
    /// A packet of `size` leaves a queue of `waiting` bytes (section 5.2). Bytes count from the second packet on: the first is only beginning to leave.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{Bench, Small, ms, us};

    fn pie(text: &str) -> Bench<Pie<Small>> {
        Bench::new(text, Pie::new)
    }

    /// A queue with a delay history, without packets.
    fn at(probability: f64, old_ms: u64) -> Pie<Small> {
        Pie { probability, old_delay: Span::from_millis(old_ms), ..pie("pie").queue }
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-12 * expected.abs().max(1e-6)
    }

    #[test]
    fn each_row_of_the_tuning_table_divides_the_step() {
        // 35 ms after 25 ms: 0.125 · 0.020 + 1.25 · 0.010 = 0.015.
        let rows = [(5e-7, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (5e-2, 2.0), (0.5, 1.0)];
        for (probability, divisor) in rows {
            let mut queue = at(probability, 25);
            queue.update_probability(Span::from_millis(35));
            assert!(close(queue.probability, probability + 0.015 / divisor), "{probability}: {}", queue.probability);
        }
        // The bounds belong to the row above.
        for (row, (bound, _)) in TUNING.iter().enumerate() {
            let divisor = TUNING.get(row + 1).map_or(1.0, |(_, divisor)| *divisor);
            let mut queue = at(*bound, 25);
            queue.update_probability(Span::from_millis(35));
            assert!(close(queue.probability, bound + 0.015 / divisor), "{bound}: {}", queue.probability);
        }
    }

    #[test]
    fn a_high_probability_rises_by_two_points_at_once_at_most() {
        let mut queue = at(0.3, 15);
        queue.update_probability(Span::from_millis(115));
        assert!(close(queue.probability, 0.32));
        queue.settings.cap = false;
        queue.update_probability(Span::from_millis(215));
        assert!(close(queue.probability, 0.32 + 0.125 * 0.2 + 1.25 * 0.1));
    }

    #[test]
    fn the_probability_decays_without_delay_and_stays_within_its_bounds() {
        let mut queue = at(0.5, 0);
        queue.update_probability(Span::ZERO);
        assert!(close(queue.probability, (0.5 - 0.125 * 0.015) * 0.98));
        let mut queue = at(0.0, 40);
        queue.update_probability(Span::ZERO);
        assert_eq!(queue.probability, 0.0);
        let mut queue = at(0.999, 0);
        queue.settings.cap = false;
        queue.update_probability(Span::from_secs(2));
        assert_eq!(queue.probability, 1.0);
    }

    #[test]
    fn a_burst_is_let_through_after_a_quiet_time() {
        let mut queue = pie("pie").queue;
        assert_eq!(queue.burst_left, Span::from_millis(150));
        for _ in 0..10 {
            assert!(!queue.burst_left.is_zero());
            queue.update_probability(Span::from_millis(100));
        }
        assert!(queue.burst_left.is_zero());
        // Quiet: two delays below half of the target and no probability left.
        queue.probability = 0.0;
        queue.update_probability(Span::from_millis(5));
        assert!(queue.burst_left.is_zero());
        queue.probability = 0.0;
        queue.update_probability(Span::from_millis(5));
        assert_eq!(queue.burst_left, Span::from_millis(150));
    }

    /// A standing queue of `packets`, with this probability and no burst left.
    fn standing(text: &str, probability: f64) -> Bench<Pie<Small>> {
        let mut bench = pie(text);
        for _ in 0..10 {
            bench.offer(ms(0), 1000, Ecn::NotEct);
        }
        bench.queue.burst_left = Span::ZERO;
        bench.queue.probability = probability;
        bench.queue.old_delay = Span::from_millis(20);
        bench
    }

    #[test]
    fn drops_keep_their_distance() {
        let mut bench = standing("pie", 0.1);
        let drops: Vec<usize> = (0..4000).filter(|_| bench.offer(ms(1), 1000, Ecn::NotEct) != Fate::Queued).collect();
        let gaps: Vec<usize> = drops.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Never below 8.5 packets, never above 85.
        assert!(gaps.iter().all(|gap| (9..=85).contains(gap)), "{gaps:?}");
        // Eight let through, then a geometric wait of ten on average.
        let mean = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
        assert!((16.0..20.0).contains(&mean), "{mean}");
        let mut bench = standing("pie?derandomize=false", 0.1);
        let drops: Vec<usize> = (0..4000).filter(|_| bench.offer(ms(1), 1000, Ecn::NotEct) != Fate::Queued).collect();
        assert!((340..460).contains(&drops.len()) && drops.windows(2).any(|pair| pair[1] - pair[0] == 1), "{}", drops.len());
    }

    #[test]
    fn marks_below_the_limit_and_drops_above() {
        let fates = |text, probability, ecn| {
            let mut bench = standing(text, probability);
            let mut fates: Vec<Fate> = (0..200).map(|_| bench.offer(ms(1), 1000, ecn)).filter(|fate| *fate != Fate::Queued).collect();
            fates.dedup();
            fates
        };
        assert_eq!(fates("pie", 0.099, Ecn::Ect0), [Fate::Marked]);
        assert_eq!(fates("pie", 0.1, Ecn::Ect0), [Fate::Dropped(DropReason::Early)]);
        assert_eq!(fates("pie", 0.05, Ecn::NotEct), [Fate::Dropped(DropReason::Early)]);
        assert_eq!(fates("pie?ecn=false", 0.05, Ecn::Ect0), [Fate::Dropped(DropReason::Early)]);
        assert_eq!(fates("pie?mark_limit=1", 0.5, Ecn::Ect1), [Fate::Marked]);
    }

    #[test]
    fn a_small_queue_or_a_small_delay_is_left_alone() {
        let mut bench = standing("pie", 1.0);
        bench.queue.queue = Buffer::default();
        // The fourth arrival finds more than two packets.
        let fates = [0; 4].map(|_| bench.offer(ms(1), 1000, Ecn::NotEct));
        assert_eq!(fates, [Fate::Queued, Fate::Queued, Fate::Queued, Fate::Dropped(DropReason::Early)]);
        let mut bench = standing("pie", 0.19);
        bench.queue.old_delay = Span::from_millis(7);
        assert!((0..500).all(|_| bench.offer(ms(1), 1000, Ecn::NotEct) == Fate::Queued));
    }

    #[test]
    fn updates_come_at_their_times_however_late_it_is_looked_at() {
        let mut late = pie("pie");
        late.offer(ms(0), 1000, Ecn::NotEct);
        let mut often = late.clone();
        for now in 1..=100 {
            often.queue.update(ms(now));
        }
        late.queue.update(ms(100));
        // Head of the queue at 15, 30 ... 90 ms; the first step is divided by 2048.
        assert_eq!((late.queue.probability, late.queue.old_delay), (often.queue.probability, Span::from_millis(90)));
        assert!(late.queue.probability > 0.0);
    }

    #[test]
    fn the_departure_rate_is_measured_over_a_long_queue() {
        let mut bench = pie("pie?delay=departure-rate");
        for _ in 0..60 {
            bench.offer(ms(0), 1000, Ecn::NotEct);
        }
        // A packet of 1000 B each 0.8 ms: 10 Mbit/s.
        for packet in 0..40 {
            bench.take(us(800 * packet));
        }
        assert_eq!(bench.queue.queue.bytes(), Bytes::new(20_000));
        let delay = bench.queue.delay(ms(32)).as_secs_f64();
        assert!((delay - 0.016).abs() < 1e-9, "{delay}");
    }
}
