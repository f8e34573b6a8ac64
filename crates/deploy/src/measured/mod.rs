//! The numbers of the connections of one arm in one period.

mod kept;

use crate::experiment::{Metric, Unit};
use narrows_measure::{FlowRecord, Histogram, Transfer};
use narrows_units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Connections that got fewer bytes acknowledged count for timeouts and round trips only. The bound
/// is ours.
const SMALLEST: u64 = 10_000;

/// Largest number of a period that is kept.
const LARGEST: u64 = 1 << 52;
/// Largest logarithm of a time in seconds or of a rate in bytes per second: 2^64 ns are e^24 s, and
/// 2^64 bytes in a nanosecond e^66 bytes per second.
const LOGARITHM: f64 = 66.0;

/// Completion of a connection that the kernel reports as 0: it counts ticks of 1 to 10 ms.
const LESS_THAN_A_TICK: Span = Span::from_millis(1);

/// True if a connection with so many bytes counts for more than timeouts and round trips.
pub(crate) fn is_judged(bytes: u64) -> bool {
    bytes >= SMALLEST
}

/// Measurements of the connections of one arm that began in a period. Their size does not depend on
/// the number of connections.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Sums over connections that are large enough, by class of size.
    classes: BTreeMap<u32, Sums>,
    /// Completion of these connections.
    #[serde(with = "kept")]
    completion: Histogram,
    /// Number of all connections.
    connections: u64,
    /// Number and sum of the logarithms of the rates of flows that always have data.
    rates: (f64, f64),
    #[serde(with = "kept")]
    rtt: Histogram,
    /// Bytes that all connections of the arm got acknowledged meanwhile.
    acked: u64,
    sent: u64,
    again: u64,
    timeouts: u64,
}

/// Sums over the connections of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    count: f64,
    /// Logarithms of completion in seconds and of goodput in bytes per second.
    logarithms: [f64; 2],
    /// Squares of these logarithms.
    squares: [f64; 2],
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.count += other.count;
        self.logarithms.iter_mut().zip(other.logarithms).for_each(|(sum, own)| *sum += own);
        self.squares.iter_mut().zip(other.squares).for_each(|(sum, own)| *sum += own);
    }
}

/// Returns the class of a size: powers of four.
fn class(bytes: u64) -> u32 {
    bytes.max(1).ilog2() / 2
}

/// Means of the logarithms of completion and of goodput in each class of sizes, which are powers of
/// four.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classes(BTreeMap<u32, [f64; 2]>);

impl Classes {
    /// Returns the means over these measurements.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Classes {
        let mut sums: BTreeMap<u32, Sums> = BTreeMap::new();
        for (class, own) in all.into_iter().flat_map(|own| &own.classes) {
            sums.entry(*class).or_default().add(*own);
        }
        let mean = |(class, own): (u32, Sums)| (class, own.logarithms.map(|sum| sum / own.count));
        Classes(sums.into_iter().map(mean).collect())
    }

    /// Returns the means of a class, or of its nearest neighbour.
    fn near(&self, class: u32) -> [f64; 2] {
        let distance = |own: &&u32| own.abs_diff(class);
        let nearest = self.0.keys().min_by_key(distance);
        nearest.map_or([0.0; 2], |class| self.0[class])
    }
}

impl Measured {
    /// Adds a connection that was closed: the bytes that it got acknowledged, the time in which it
    /// had something to send, and its timeouts.
    pub fn add_connection(&mut self, bytes: u64, busy: Span, timeouts: u64) {
        self.connections += 1;
        self.timeouts += timeouts;
        if !is_judged(bytes) {
            return;
        }
        let busy = if busy.is_zero() { LESS_THAN_A_TICK } else { busy };
        let seconds = libm::log(busy.as_secs_f64());
        let rate = libm::log(bytes as f64) - seconds;
        let logarithms = [seconds, rate];
        let own = Sums { count: 1.0, logarithms, squares: logarithms.map(|own| own * own) };
        self.classes.entry(class(bytes)).or_default().add(own);
        self.completion.record(busy);
    }

    /// Adds bytes that were sent, those that were sent again among them, or packets.
    pub fn add_sent(&mut self, sent: u64, again: u64) {
        self.sent += sent;
        self.again += again;
    }

    /// Adds bytes that connections of the arm got acknowledged.
    pub fn add_acked(&mut self, acked: u64) {
        self.acked += acked;
    }

    /// True if its numbers can be those of a period. Sums over all periods then stay below the
    /// largest number that there is.
    pub fn is_plausible(&self) -> bool {
        let numbers = [self.connections, self.acked, self.sent, self.again, self.timeouts];
        let class = |(class, own): (&u32, &Sums)| {
            let within = |own: &f64, most: f64| own.is_finite() && own.abs() <= most;
            let logarithms = own.logarithms.iter().all(|sum| within(sum, LOGARITHM * own.count));
            *class <= u64::BITS / 2
                && (1.0..=LARGEST as f64).contains(&own.count)
                && logarithms
                && own.squares.iter().all(|sum| within(sum, LOGARITHM * LOGARITHM * own.count))
        };
        numbers.iter().all(|own| *own <= LARGEST)
            && self.rates == (0.0, 0.0)
            && self.classes.iter().all(class)
    }

    /// Returns the bytes that connections of the arm got acknowledged.
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// Returns the number of connections, small ones among them.
    pub fn connections(&self) -> u64 {
        self.connections
    }

    /// Returns the round trips.
    pub fn round_trips(&self) -> &Histogram {
        &self.rtt
    }

    /// Adds round trips.
    pub fn add_round_trips(&mut self, round_trips: &Histogram) {
        self.rtt.merge(round_trips);
    }

    /// Adds a simulated flow: its transfers that began from `from` until before `until`, its
    /// counts, and its round trips. `length` is the time in which it was to send.
    pub fn add(&mut self, flow: &FlowRecord, from: Time, until: Time, length: Span) {
        let counts = |own: &&Transfer| own.start >= from && own.start < until;
        match &flow.transfers {
            Some(transfers) => {
                for own in transfers.list.iter().filter(counts) {
                    self.add_connection(own.size.get(), own.took, 0);
                }
            }
            None => {
                let bytes = flow.steady.goodput.get() as f64;
                self.rates.0 += 1.0;
                self.rates.1 += libm::log(bytes.max(1.0) / length.as_secs_f64());
            }
        }
        self.add_round_trips(&flow.rtt);
        self.add_sent(flow.steady.sent, flow.steady.retransmitted);
        self.timeouts += flow.steady.timeouts;
    }

    /// Adds what was measured elsewhere.
    pub fn merge(&mut self, other: &Measured) {
        for (class, own) in &other.classes {
            self.classes.entry(*class).or_default().add(*own);
        }
        self.completion.merge(&other.completion);
        self.connections += other.connections;
        self.rates.0 += other.rates.0;
        self.rates.1 += other.rates.1;
        self.rtt.merge(&other.rtt);
        self.acked += other.acked;
        self.sent += other.sent;
        self.again += other.again;
        self.timeouts += other.timeouts;
    }

    /// True if there are this many connections, or flows that always have data.
    pub fn is_enough(&self, fewest: u64) -> bool {
        self.connections >= fewest || self.rates.0 > 0.0
    }

    /// Returns the mean of completion, all sizes together, in seconds; `None` without connections.
    pub fn mean_completion(&self) -> Option<f64> {
        self.completion.mean().map(Span::as_secs_f64)
    }

    /// Returns a quantile of completion, all sizes together, in seconds; `None` without connections.
    pub fn completion_quantile(&self, q: f64) -> Option<f64> {
        self.completion.quantile(q).map(Span::as_secs_f64)
    }

    /// Returns a metric as people read it, all sizes together: completion and round trips in
    /// seconds, goodput in bytes per second, both as geometric means, the others in their unit;
    /// `None` if it is undefined.
    pub fn level(&self, metric: Metric) -> Option<f64> {
        let number = self.number(metric, &Classes::default())?;
        Some(if metric.unit() == Unit::Share { libm::exp(number) } else { number })
    }

    /// Returns the number of a metric: logarithms for shares; `None` if it is undefined.
    pub fn number(&self, metric: Metric, classes: &Classes) -> Option<f64> {
        let mean_of = |place: usize| {
            let (mut count, mut sum) = if place == 1 { self.rates } else { (0.0, 0.0) };
            for (class, own) in &self.classes {
                count += own.count;
                sum += own.logarithms[place] - own.count * classes.near(*class)[place];
            }
            (count > 0.0).then(|| sum / count)
        };
        let round_trip =
            |q: f64| self.rtt.quantile(q).map(|own| libm::log(own.as_secs_f64().max(1e-9)));
        match metric {
            Metric::Completion => mean_of(0),
            Metric::Goodput => mean_of(1),
            Metric::CompletionP95 => self.completion_quantile(0.95).map(libm::log),
            Metric::RttP50 => round_trip(0.5),
            Metric::RttP95 => round_trip(0.95),
            Metric::Retransmitted => {
                (self.sent > 0).then(|| 100.0 * self.again as f64 / self.sent as f64)
            }
            Metric::Timeouts => (self.connections > 0)
                .then(|| 1000.0 * self.timeouts as f64 / self.connections as f64),
        }
    }
}

/// Returns the largest ratio of the mean completion of `window` transfers in a row, large enough
/// each, to the mean of all; `None` of fewer. The transfers are in the order in which they began.
pub fn largest_moving_mean<'a>(
    transfers: impl Iterator<Item = &'a Transfer>,
    window: usize,
) -> Option<f64> {
    let large = transfers.filter(|own| is_judged(own.size.get()));
    let all: Vec<f64> = large.map(|own| own.took.as_secs_f64()).collect();
    if all.len() < window {
        return None;
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let moving = all.windows(window).map(|own| own.iter().sum::<f64>() / window as f64);
    Some(moving.fold(0.0, f64::max) / mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Bytes;

    fn of(all: &[(u64, u64)]) -> Measured {
        let mut measured = Measured::default();
        for (bytes, seconds) in all {
            measured.add_connection(*bytes, Span::from_secs(*seconds), 1);
        }
        measured
    }

    #[test]
    fn completion_is_judged_within_classes_of_size() {
        // Classes of 16 to 64 kB and of 1 to 4 MB; 5 kB count for timeouts alone.
        let before = of(&[(20_000, 1), (30_000, 1), (2_000_000, 8), (5_000, 100)]);
        let classes = Classes::of([&before]);
        assert_eq!(before.number(Metric::Completion, &classes), Some(0.0));
        assert_eq!(before.number(Metric::Timeouts, &classes), Some(1000.0));
        // Twice as long in both classes, and a class that was not seen, of 256 kB to 1 MB.
        let after = of(&[(20_000, 2), (2_000_000, 16), (500_000, 16)]);
        let value = after.number(Metric::Completion, &classes).expect("three connections");
        assert!((value - libm::log(2.0)).abs() < 1e-12, "{value}");
        assert_eq!(Measured::default().number(Metric::Completion, &classes), None);
        // The geometric mean of 2, 16 and 16 seconds.
        let level = after.level(Metric::Completion).expect("three connections");
        assert!((level - 8.0).abs() < 1e-9, "{level}");
        assert_eq!(after.level(Metric::Timeouts), Some(1000.0));
        let mut both = before.clone();
        both.merge(&after);
        assert!(both.is_enough(7) && !both.is_enough(8));
        assert_eq!(Classes::of([&before, &after]), Classes::of([&both]));
    }

    #[test]
    fn less_than_a_tick_counts_as_a_millisecond() {
        let level = of(&[(20_000, 0)]).level(Metric::Completion).expect("a connection");
        assert!((level - 1e-3).abs() < 1e-12, "{level}");
    }

    #[test]
    fn a_kept_measurement_is_the_same() {
        let mut own = of(&[(20_000, 1), (2_000_000, 8), (5_000, 100)]);
        own.add_sent(70, 7);
        own.add_acked(63);
        let mut trips = Histogram::new();
        [3, 5, 500].into_iter().for_each(|ms| trips.record(Span::from_millis(ms)));
        own.add_round_trips(&trips);
        let text = serde_json::to_string(&own).expect("it can be written");
        let again: Measured = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(serde_json::to_string(&again).expect("it can be written"), text);
        let classes = Classes::of([&own]);
        for metric in Metric::ALL {
            assert_eq!(again.number(metric, &classes), own.number(metric, &classes), "{text}");
        }
        let empty = serde_json::to_string(&Measured::default()).expect("it can be written");
        let again: Measured = serde_json::from_str(&empty).expect("it can be read");
        assert_eq!(again.mean_completion(), None);
        let damaged = text.replacen("[[", "[[[", 1);
        assert!(serde_json::from_str::<Measured>(&damaged).is_err());
    }

    #[test]
    fn quantiles_and_moving_means() {
        let all = of(&[(10_000, 1), (10_000, 2), (10_000, 3), (10_000, 2)]);
        let near = |q: f64, expected: f64| {
            let value = all.completion_quantile(q).expect("four connections");
            assert!((value / expected - 1.0).abs() < 0.03, "{value}");
        };
        near(0.95, 3.0);
        near(0.5, 2.0);
        let transfer = |seconds: u64| Transfer {
            start: Time::ZERO,
            size: Bytes::new(10_000),
            took: Span::from_secs(seconds),
            ideal: Span::from_secs(1),
        };
        let all = [1, 2, 3, 2].map(transfer);
        assert_eq!(largest_moving_mean(all.iter(), 2), Some(2.5 / 2.0));
        assert_eq!(largest_moving_mean(all.iter(), 5), None);
    }
}
