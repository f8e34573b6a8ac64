//! RED: drops or marks arrivals with a probability that follows the average queue.

use crate::queue::buffer::Buffer;
use crate::queue::ticks::Ticks;
use crate::{Discipline, DisciplineEntry, DisciplineSetup, DropReason, Fate, Limit, Packet, Queued, Verdicts};
use narrows_params::{Param, Params};
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Ecn;

/// The registry line.
pub(crate) const ENTRY: DisciplineEntry = DisciplineEntry {
    name: "red",
    summary: "random early detection: drops or marks arrivals with a probability that follows the average queue; gentle and adaptive forms",
    source: "Floyd and Jacobson 1993; Floyd, Gummadi and Shenker 2001 (adaptive); RFC 3168; ns-2 queue/red.cc (automatic values)",
    offers: &[],
    params: &[
        MIN.spec,
        MAX.spec,
        PERCENT.spec,
        MAX_P.spec,
        WEIGHT.spec,
        RTT.spec,
        TARGET.spec,
        MEAN_PACKET.spec,
        GENTLE.spec,
        ADAPTIVE.spec,
        CLASSIC.spec,
        BYTE_MODE.spec,
        ECN.spec,
        MARK_LIMIT.spec,
    ],
};

const MIN: Param<f64> = Param::number(
    "min",
    0.0,
    (0.0, 1e6),
    "",
    "average from which on packets are dropped or marked, in packets or as `unit` says; 0: half of what leaves in `target`, at least 5 packets",
);
const MAX: Param<f64> = Param::number(
    "max",
    0.0,
    (0.0, 1e6),
    "",
    "average at which the probability is `max_p`, min at least, in the same unit; 0: three times min",
);
const PERCENT: Param<bool> = Param::choice(
    "unit",
    "packets",
    &[("packets", false), ("percent", true)],
    "of min and max: packets of mean size, or percent of the link's buffer",
);
const MAX_P: Param<f64> = Param::number("max_p", 0.1, (0.0, 1.0), "", "the probability there; with adaptive=true the one to begin with");
const WEIGHT: Param<f64> = Param::number(
    "weight",
    0.0,
    (0.0, 1.0),
    "",
    "weight of an arrival in the average; 0: by rate and `rtt`, 1 - exp(-1 / (10 rtt in packets))",
);
const RTT: Param<f64> = Param::number(
    "rtt",
    0.0,
    (0.0, 100_000.0),
    "ms",
    "round trip for the weight; 0: three times the delay of the link and of a packet, at least 100 ms",
);
const TARGET: Param<f64> = Param::number("target", 5.0, (0.01, 10_000.0), "ms", "delay for the automatic min");
const MEAN_PACKET: Param<f64> =
    Param::number("mean_packet", 1500.0, (1.0, 65_535.0), "B", "size of the packets in which min and max count");
const GENTLE: Param<bool> = Param::flag("gentle", true, "from max on the probability rises to 1 at twice max; otherwise it is 1 at once");
const ADAPTIVE: Param<bool> =
    Param::flag("adaptive", false, "max_p follows the average each 0.5 s, to hold it between 0.4 and 0.6 of the way from min to max");
const CLASSIC: Param<bool> = Param::choice(
    "spread",
    "wait",
    &[("wait", false), ("classic", true)],
    "how drops are spaced: none within 1/p packets and then one within as many (ns-2), or uniformly within 1/p",
);
const BYTE_MODE: Param<bool> = Param::flag("byte_mode", true, "the queue counts in bytes, and small packets have less to fear");
const ECN: Param<bool> =
    Param::flag("ecn", true, "mark ECN-capable packets instead of dropping them (RFC 3168), except where everything is dropped");
const MARK_LIMIT: Param<f64> =
    Param::number("mark_limit", 1.0, (0.0, 1.0), "", "probability from which on ECN-capable packets are dropped as well (ns-2: 0.1)");

/// Time between adaptations.
const ADAPT_EVERY: Span = Span::from_millis(500);

/// A queue under RED.
#[derive(Clone, Debug)]
pub struct Red<P> {
    limit: Limit,
    queue: Buffer<P>,
    settings: Settings,
    rate: Option<Rate>,
    values: Values,
    max_p: f64,
    ticks: Option<Ticks>,
    random: Random,
    /// The average queue in packets.
    average: f64,
    /// Packets since the latest drop or mark, in byte mode counted in mean sizes; -1 below min.
    count: f64,
    /// Since when the transmitter has had nothing to send.
    idle: Option<Time>,
}

#[derive(Clone, Debug)]
struct Settings {
    min: f64,
    max: f64,
    /// Min and max are percent of the buffer.
    of_buffer: bool,
    weight: f64,
    /// Seconds; 0 for the automatic value.
    rtt: f64,
    /// The link's, in seconds.
    delay: f64,
    target: f64,
    mean_packet: f64,
    gentle: bool,
    classic: bool,
    byte_mode: bool,
    ecn: bool,
    mark_limit: f64,
}

/// What follows from the settings and the link's rate.
#[derive(Clone, Copy, Debug)]
struct Values {
    min: f64,
    max: f64,
    weight: f64,
    /// Packets of mean size that the link sends per second.
    packets_per_second: f64,
}

impl<P: Packet> Red<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Red<P> {
        let settings = Settings {
            min: params.get(&MIN),
            max: params.get(&MAX),
            of_buffer: params.get(&PERCENT),
            weight: params.get(&WEIGHT),
            rtt: params.get(&RTT) / 1e3,
            delay: setup.delay.as_secs_f64(),
            target: params.get(&TARGET) / 1e3,
            mean_packet: params.get(&MEAN_PACKET),
            gentle: params.get(&GENTLE),
            classic: params.get(&CLASSIC),
            byte_mode: params.get(&BYTE_MODE),
            ecn: params.get(&ECN),
            mark_limit: params.get(&MARK_LIMIT),
        };
        Red {
            limit: setup.limit,
            queue: Buffer::default(),
            rate: setup.rate,
            values: Values::new(&settings, setup.rate, setup.limit),
            settings,
            max_p: params.get(&MAX_P),
            ticks: params.get(&ADAPTIVE).then(|| Ticks::new(ADAPT_EVERY)),
            random: setup.random.clone(),
            average: 0.0,
            count: -1.0,
            idle: Some(Time::ZERO),
        }
    }

    fn update(&mut self, now: Time) {
        while let Some(tick) = self.ticks.as_mut().and_then(|ticks| ticks.due(now)) {
            self.decay_until(tick);
            self.adapt();
        }
    }

    /// Adaptive RED: additive increase and multiplicative decrease of `max_p`.
    fn adapt(&mut self) {
        let Values { min, max, packets_per_second, .. } = self.values;
        let part = 0.4 * (max - min);
        // The window in 1000-byte packets that a flow of 100 ms has alone.
        let window = packets_per_second * self.settings.mean_packet / 1000.0 * 0.1;
        let least = (1.0 / window).min(0.01);
        if self.average < min + part && self.max_p > least {
            self.max_p = (self.max_p * 0.9).max(least);
        } else if self.average > max - part && self.max_p < 0.5 {
            self.max_p = (self.max_p + (self.max_p / 4.0).min(0.01)).min(0.5);
        }
    }

    /// The average after an arrival at `now`; the time without packets counts as so many arrivals at an empty queue.
    fn average_in(&mut self, now: Time) {
        self.decay_until(now);
        self.idle = None;
        let queue =
            if self.settings.byte_mode { self.queue.bytes().get() as f64 / self.settings.mean_packet } else { self.queue.packets() as f64 };
        self.average += self.values.weight * (queue - self.average);
    }

    /// If the transmitter is idle, packets of mean size could have left until `now`.
    fn decay_until(&mut self, now: Time) {
        if let Some(since) = &mut self.idle {
            let idle = now.since(std::mem::replace(since, now));
            self.average *= libm::pow(1.0 - self.values.weight, idle.as_secs_f64() * self.values.packets_per_second);
        }
    }

    /// The probability by the average alone, and whether everything is dropped.
    fn base_probability(&self) -> f64 {
        let Values { min, max, .. } = self.values;
        let (average, max_p) = (self.average, self.max_p);
        if average < min {
            0.0
        } else if average < max {
            max_p * (average - min) / (max - min)
        } else if self.settings.gentle && average < 2.0 * max {
            max_p + (1.0 - max_p) * (average - max) / max
        } else {
            1.0
        }
    }

    /// The probability for this packet, spread over those since the latest drop or mark.
    fn spread(&self, base: f64, size: f64) -> f64 {
        let product = self.count * base;
        let spread = match self.settings.classic {
            true if product < 1.0 => base / (1.0 - product),
            false if product < 1.0 => 0.0,
            false if product < 2.0 => base / (2.0 - product),
            // Due, whatever its size.
            _ => return 1.0,
        };
        if self.settings.byte_mode { spread * size / self.settings.mean_packet } else { spread }
    }
}

impl Values {
    fn new(settings: &Settings, rate: Option<Rate>, limit: Limit) -> Values {
        // No queue forms where packets leave at once.
        let bytes = rate.map_or(f64::MAX, |rate| rate.bytes_per_sec());
        let packets_per_second = bytes / settings.mean_packet;
        let automatic = |value: f64, otherwise: f64| if value == 0.0 { otherwise } else { value };
        let unit = match limit {
            _ if !settings.of_buffer => 1.0,
            Limit::None => f64::MAX,
            Limit::Bytes(bytes) => bytes.get() as f64 / settings.mean_packet / 100.0,
            Limit::Packets(packets) => packets as f64 / 100.0,
        };
        let min = automatic(settings.min * unit, (settings.target * packets_per_second / 2.0).max(5.0));
        let rtt = automatic(settings.rtt, (3.0 * (settings.delay + 1.0 / packets_per_second)).max(0.1));
        Values {
            min,
            max: automatic(settings.max * unit, 3.0 * min).max(min),
            weight: automatic(settings.weight, -libm::expm1(-1.0 / (10.0 * rtt * packets_per_second))),
            packets_per_second,
        }
    }
}

impl<P: Packet> Discipline<P> for Red<P> {
    fn enqueue(&mut self, now: Time, mut packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.update(now);
        self.average_in(now);
        if !self.queue.admits(self.limit, packet.size()) {
            self.count = 0.0;
            return Fate::Dropped(DropReason::Full);
        }
        let base = self.base_probability();
        let size = packet.size().get() as f64;
        if base == 0.0 {
            self.count = -1.0;
        } else {
            self.count += if self.settings.byte_mode { size / self.settings.mean_packet } else { 1.0 };
        }
        let acts = base >= 1.0 || (base > 0.0 && self.random.chance(self.spread(base, size)));
        if acts {
            self.count = 0.0;
            if !self.settings.ecn || packet.ecn() == Ecn::NotEct || base >= self.settings.mark_limit {
                return Fate::Dropped(DropReason::Early);
            }
            packet.set_ecn(Ecn::Ce);
        }
        self.queue.push(now, packet);
        if acts { Fate::Marked } else { Fate::Queued }
    }

    fn dequeue(&mut self, now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.update(now);
        let head = self.queue.pop();
        if head.is_none() {
            self.idle.get_or_insert(now);
        }
        head
    }

    fn bytes(&self) -> Bytes {
        self.queue.bytes()
    }

    fn packets(&self) -> usize {
        self.queue.packets()
    }

    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.update(now);
        self.decay_until(now);
        self.rate = rate;
        self.values = Values::new(&self.settings, rate, self.limit);
    }

    fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
        self.values = Values::new(&self.settings, self.rate, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{Bench, Small, ms, us};

    fn red(text: &str) -> Bench<Red<Small>> {
        Bench::new(text, Red::new)
    }

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{value}, expected {expected}");
    }

    #[test]
    fn automatic_values_follow_rate_and_delay() {
        // 10 Mbit/s are 833.3 packets of 1500 B per second; a delay of 10 ms gives the least round trip, 100 ms.
        let values = red("red").queue.values;
        close(values.packets_per_second, 1e7 / 12_000.0);
        close(values.min, 5.0);
        close(values.max, 15.0);
        close(values.weight, 1.0 - libm::exp(-1.0 / (10.0 * 0.1 * 1e7 / 12_000.0)));
        // At 5 Gbit/s min is half of 5 ms: 1041.7 packets; a weight of 0.002 would average over 1.2 ms only.
        let fast = Values::new(&red("red?rtt=80").queue.settings, Some(Rate::from_mbps(5000)), Limit::None);
        close(fast.min, 5e9 / 12_000.0 * 0.005 / 2.0);
        close(fast.max, 3.0 * fast.min);
        assert!((1.0 / fast.weight / (0.8 * 5e9 / 12_000.0) - 1.0).abs() < 1e-3, "ten round trips of 80 ms: {}", fast.weight);
        // Twice the packet, half of the packets per second, the same bytes.
        let coarse = Values::new(&red("red?mean_packet=3000").queue.settings, Some(Rate::from_mbps(5000)), Limit::None);
        close(coarse.min * 2.0, fast.min);
        // At 10 Mbit/s a packet takes 1.2 ms: with a delay of 50 ms the round trip is 153.6 ms, 128 packets.
        let far = Values::new(&Settings { delay: 0.05, ..red("red").queue.settings }, Some(Rate::from_mbps(10)), Limit::None);
        close(far.weight, 1.0 - libm::exp(-1.0 / 1280.0));
        let set = red("red?min=20&max=60&weight=0.002").queue.values;
        assert_eq!((set.min, set.max, set.weight), (20.0, 60.0, 0.002));
        // A quarter and a half of 120 packets, of 300 000 B, and of whatever the buffer becomes.
        let mut parts = red("red?min=25&max=50&unit=percent").queue;
        for (limit, min) in [(Limit::Packets(120), 30.0), (Limit::Bytes(Bytes::new(300_000)), 50.0), (Limit::None, f64::INFINITY)] {
            parts.set_limit(limit);
            assert_eq!((parts.values.min, parts.values.max >= 2.0 * min), (min, true));
        }
    }

    #[test]
    fn the_average_follows_the_queue_by_its_weight_and_sees_what_waits_before_the_arrival() {
        let mut bench = red("red?weight=0.25&byte_mode=false");
        bench.queue.idle = None;
        let averages: Vec<f64> = (0..4)
            .map(|_| {
                bench.offer(ms(0), 100, Ecn::NotEct);
                bench.queue.average
            })
            .collect();
        for (value, expected) in averages.iter().zip([0.0, 0.25, 0.6875, 1.265625]) {
            close(*value, expected);
        }
        // In byte mode 100 B are a fifteenth of a mean packet.
        let mut bench = red("red?weight=0.25");
        for _ in 0..2 {
            bench.offer(ms(0), 100, Ecn::NotEct);
        }
        close(bench.queue.average, 0.25 / 15.0);
    }

    #[test]
    fn the_average_decays_while_idle_as_if_packets_had_come() {
        let mut bench = red("red?weight=0.01");
        bench.queue.average = 12.0;
        bench.queue.idle = None;
        assert!(bench.take(ms(100)).is_none());
        assert!(bench.take(ms(150)).is_none(), "asked again, it is idle since 100 ms");
        bench.offer(ms(220), 1500, Ecn::NotEct);
        // 120 ms are 100 packets, and the arrival itself finds nothing.
        close(bench.queue.average, 12.0 * libm::pow(0.99, 101.0));
        // A change of rate counts each part of the idle time at its own rate.
        let mut bench = red("red?weight=0.01");
        bench.queue.average = 12.0;
        bench.queue.idle = Some(ms(100));
        bench.queue.set_rate(ms(160), Some(Rate::from_mbps(20)));
        bench.offer(ms(190), 1500, Ecn::NotEct);
        close(bench.queue.average, 12.0 * libm::pow(0.99, 101.0));
    }

    #[test]
    fn the_probability_by_hand() {
        let at = |text: &str, average: f64| Red { average, ..red(text).queue }.base_probability();
        let text = "red?min=5&max=15&max_p=0.1";
        for (average, expected) in [(4.9, 0.0), (5.0, 0.0), (10.0, 0.05), (15.0, 0.1), (22.5, 0.55), (29.999_999_999, 1.0), (30.0, 1.0)] {
            close(at(text, average), expected);
        }
        let abrupt = "red?min=5&max=15&max_p=0.1&gentle=false";
        for (average, expected) in [(10.0, 0.05), (14.999_999_999, 0.1), (15.0, 1.0)] {
            close(at(abrupt, average), expected);
        }
    }

    #[test]
    fn the_spread_by_hand() {
        let at = |text: &str, count: f64, size: f64| Red { count, ..red(text).queue }.spread(0.05, size);
        let classic = "red?spread=classic&byte_mode=false";
        for (count, expected) in [(0.0, 0.05), (10.0, 0.1), (19.0, 1.0), (20.0, 1.0)] {
            close(at(classic, count, 1500.0), expected);
        }
        let wait = "red?byte_mode=false";
        for (count, expected) in [(0.0, 0.0), (19.0, 0.0), (20.0, 0.05), (30.0, 0.1), (39.0, 1.0), (40.0, 1.0)] {
            close(at(wait, count, 1500.0), expected);
        }
        // A small packet has less to fear, until one is due.
        for (count, expected) in [(30.0, 0.05), (40.0, 1.0)] {
            close(at("red", count, 750.0), expected);
        }
    }

    /// Gaps between drops at an average that stays.
    fn gaps(text: &str, average: f64) -> Vec<usize> {
        let mut bench = red(text);
        bench.queue.values.weight = 0.0;
        bench.queue.idle = None;
        bench.queue.average = average;
        let drops: Vec<usize> = (0..60_000).filter(|_| bench.offer(ms(0), 1500, Ecn::NotEct) != Fate::Queued).collect();
        drops.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn drops_are_spread_uniformly() {
        // p = 0.05: classic within 20 packets, on average 10; "wait" from 20 to 40, on average 30.
        for (text, range, mean) in [("red?min=5&max=15&spread=classic", 1..=20, 10.5), ("red?min=5&max=15", 20..=40, 30.0)] {
            let gaps = gaps(text, 10.0);
            assert!(gaps.iter().all(|gap| range.contains(gap)), "{text}: {gaps:?}");
            let measured = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
            assert!((measured / mean - 1.0).abs() < 0.05, "{text}: {measured}");
        }
    }

    #[test]
    fn the_first_drop_after_entering_the_band_waits_for_the_inverse_of_the_probability() {
        let mut bench = red("red?min=5&max=15");
        bench.queue.values.weight = 0.0;
        bench.queue.idle = None;
        bench.queue.average = 10.0;
        let first = (0..).find(|_| bench.offer(ms(0), 1500, Ecn::NotEct) != Fate::Queued).unwrap();
        assert!((20..=40).contains(&first), "{first}");
        // Below min the count begins anew.
        bench.queue.average = 1.0;
        bench.offer(ms(0), 1500, Ecn::NotEct);
        assert_eq!(bench.queue.count, -1.0);
    }

    #[test]
    fn marks_up_to_the_limit_and_drops_above_all_thresholds_even_of_capable_packets() {
        let first = |text: &str, average: f64, ecn: Ecn| {
            let mut bench = red(text);
            bench.queue.values.weight = 0.0;
            bench.queue.idle = None;
            bench.queue.average = average;
            (0..1000).map(|_| bench.offer(us(0), 1500, ecn)).find(|fate| *fate != Fate::Queued)
        };
        let text = "red?min=5&max=15";
        assert_eq!(first(text, 4.0, Ecn::Ect0), None);
        assert_eq!(first(text, 12.0, Ecn::Ect0), Some(Fate::Marked));
        assert_eq!(first(text, 25.0, Ecn::Ect1), Some(Fate::Marked));
        assert_eq!(first(text, 12.0, Ecn::NotEct), Some(Fate::Dropped(DropReason::Early)));
        assert_eq!(first(text, 30.0, Ecn::Ect0), Some(Fate::Dropped(DropReason::Early)));
        assert_eq!(first("red?min=5&max=15&gentle=false", 15.0, Ecn::Ect0), Some(Fate::Dropped(DropReason::Early)));
        assert_eq!(first("red?min=5&max=15&mark_limit=0.1", 16.0, Ecn::Ect0), Some(Fate::Dropped(DropReason::Early)));
        assert_eq!(first("red?min=5&max=15&mark_limit=0.1", 14.0, Ecn::Ect0), Some(Fate::Marked));
        assert_eq!(first("red?min=5&max=15&ecn=false", 12.0, Ecn::Ect0), Some(Fate::Dropped(DropReason::Early)));
    }

    #[test]
    fn the_adaptive_form_moves_max_p_each_half_second() {
        let after = |average: f64, max_p: f64, periods: u64| {
            let mut queue = Red { average, max_p, idle: None, ..red("red?adaptive=true&min=5&max=15").queue };
            queue.update(ms(500 * periods));
            queue.max_p
        };
        close(after(8.9, 0.1, 1), 0.09);
        close(after(8.9, 0.1, 2), 0.081);
        close(after(10.0, 0.1, 9), 0.1);
        close(after(11.1, 0.1, 1), 0.11);
        close(after(11.1, 0.02, 1), 0.025);
        close(after(11.1, 0.495, 5), 0.5);
        // A flow of 100 ms has 125 packets of 1000 B at 10 Mbit/s.
        close(after(1.0, 0.1, 100), 1.0 / 125.0);
        close(after(1.0, 0.005, 100), 0.005);
        // Idle from the start: the average is below 9 well before the first adaptation.
        let mut idle = Red { average: 14.0, ..red("red?adaptive=true&min=5&max=15&weight=0.01").queue };
        idle.update(ms(500));
        close(idle.max_p, 0.09);
        close(idle.average, 14.0 * libm::pow(0.99, 0.5 * 1e7 / 12_000.0));
        let mut fixed = Red { average: 11.1, idle: None, ..red("red?min=5&max=15").queue };
        fixed.update(ms(5000));
        close(fixed.max_p, 0.1);
    }
}
