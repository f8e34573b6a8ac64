//! The numbers of the connections of one arm in one period.

use crate::experiment::Metric;
use narrows_measure::{FlowRecord, Histogram, Transfer};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;

/// Connections that got fewer bytes acknowledged count for timeouts and round trips only. The bound
/// is ours.
const SMALLEST: u64 = 10_000;

/// What was measured of the connections of one arm that began in a period.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Bytes and time of each connection, in the order in which they began.
    connections: Vec<Connection>,
    /// Logarithms of the rates of flows that always have data.
    rates: Vec<f64>,
    rtt: Histogram,
    sent: u64,
    again: u64,
    timeouts: u64,
}

/// A connection that was closed.
#[derive(Clone, Copy, Debug)]
struct Connection {
    bytes: u64,
    seconds: f64,
}

impl Connection {
    fn class(self) -> u32 {
        self.bytes.max(1).ilog2() / 2
    }
}

/// Means of the logarithms of completion and of goodput in each class of sizes, which are powers of
/// four.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classes(BTreeMap<u32, [f64; 2]>);

impl Classes {
    /// Returns the means over these measurements.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Classes {
        let mut sums: BTreeMap<u32, ([f64; 2], f64)> = BTreeMap::new();
        for own in all.into_iter().flat_map(Measured::judged) {
            let (sum, count) = sums.entry(own.class()).or_default();
            *count += 1.0;
            sum.iter_mut().zip(logarithms(own)).for_each(|(sum, value)| *sum += value);
        }
        let mean =
            |(class, (sum, count)): (u32, ([f64; 2], f64))| (class, sum.map(|own| own / count));
        Classes(sums.into_iter().map(mean).collect())
    }

    /// Returns the means of a class, or of its nearest neighbour.
    fn near(&self, class: u32) -> [f64; 2] {
        let distance = |own: &&u32| own.abs_diff(class);
        let nearest = self.0.keys().min_by_key(distance);
        nearest.map_or([0.0; 2], |class| self.0[class])
    }
}

/// Returns the logarithms of completion in seconds and of goodput in bytes per second.
fn logarithms(own: Connection) -> [f64; 2] {
    let seconds = libm::log(own.seconds.max(1e-9));
    [seconds, libm::log(own.bytes as f64) - seconds]
}

impl Measured {
    /// Adds a flow: its transfers that began from `from` until before `until`, its counts, and its
    /// round trips. `length` is the time in which it was to send.
    pub fn add(&mut self, flow: &FlowRecord, from: Time, until: Time, length: Span) {
        let counts = |own: &&Transfer| own.start >= from && own.start < until;
        match &flow.transfers {
            Some(transfers) => {
                self.connections.extend(transfers.list.iter().filter(counts).map(|own| {
                    Connection { bytes: own.size.get(), seconds: own.took.as_secs_f64() }
                }))
            }
            None => {
                let bytes = flow.steady.goodput.get() as f64;
                self.rates.push(libm::log(bytes.max(1.0) / length.as_secs_f64()));
            }
        }
        self.rtt.merge(&flow.rtt);
        self.sent += flow.steady.sent;
        self.again += flow.steady.retransmitted;
        self.timeouts += flow.steady.timeouts;
    }

    /// Adds what was measured elsewhere.
    pub fn merge(&mut self, other: &Measured) {
        self.connections.extend(&other.connections);
        self.rates.extend(&other.rates);
        self.rtt.merge(&other.rtt);
        self.sent += other.sent;
        self.again += other.again;
        self.timeouts += other.timeouts;
    }

    /// True if there are this many connections, or flows that always have data.
    pub fn is_enough(&self, fewest: usize) -> bool {
        self.connections.len() >= fewest || !self.rates.is_empty()
    }

    /// Returns the connections that are large enough.
    fn judged(&self) -> impl Iterator<Item = Connection> + '_ {
        self.connections.iter().copied().filter(|own| own.bytes >= SMALLEST)
    }

    /// Returns a quantile of completion, all sizes together, in seconds; `None` without connections.
    pub fn completion_quantile(&self, q: f64) -> Option<f64> {
        let mut all: Vec<f64> = self.judged().map(|own| own.seconds).collect();
        all.sort_unstable_by(f64::total_cmp);
        let rank = ((q * all.len() as f64).ceil() as usize).clamp(1, all.len().max(1));
        all.get(rank - 1).copied()
    }

    /// Returns the largest ratio of the mean completion of `window` connections in a row to the
    /// mean of all; `None` of fewer.
    pub fn largest_moving_mean(&self, window: usize) -> Option<f64> {
        let all: Vec<f64> = self.judged().map(|own| own.seconds).collect();
        if all.len() < window {
            return None;
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let moving = all.windows(window).map(|own| own.iter().sum::<f64>() / window as f64);
        Some(moving.fold(0.0, f64::max) / mean)
    }

    /// Returns the number of a metric: logarithms for shares; `None` if it is undefined.
    pub fn number(&self, metric: Metric, classes: &Classes) -> Option<f64> {
        let mean_of = |place: usize| {
            let rates = if place == 1 { self.rates.as_slice() } else { &[] };
            let judged =
                self.judged().map(|own| logarithms(own)[place] - classes.near(own.class())[place]);
            let all: Vec<f64> = judged.chain(rates.iter().copied()).collect();
            narrows_measure::statistics::mean(&all)
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
            Metric::Timeouts => (!self.connections.is_empty())
                .then(|| 1000.0 * self.timeouts as f64 / self.connections.len() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[(u64, f64)]) -> Measured {
        let connections =
            all.iter().map(|(bytes, seconds)| Connection { bytes: *bytes, seconds: *seconds });
        Measured { connections: connections.collect(), ..Measured::default() }
    }

    #[test]
    fn completion_is_judged_within_classes_of_size() {
        // Classes of 16 to 64 kB and of 1 to 4 MB; 5 kB count for nothing.
        let before = of(&[(20_000, 1.0), (30_000, 1.0), (2_000_000, 8.0), (5_000, 100.0)]);
        let classes = Classes::of([&before]);
        assert_eq!(before.number(Metric::Completion, &classes), Some(0.0));
        // Twice as long in both classes, and a class that was not seen, of 256 kB to 1 MB.
        let after = of(&[(20_000, 2.0), (2_000_000, 16.0), (500_000, 16.0)]);
        let value = after.number(Metric::Completion, &classes).expect("three connections");
        assert!((value - libm::log(2.0)).abs() < 1e-12, "{value}");
        assert_eq!(Measured::default().number(Metric::Completion, &classes), None);
    }

    #[test]
    fn quantiles_and_moving_means() {
        let all = of(&[(10_000, 1.0), (10_000, 2.0), (10_000, 3.0), (10_000, 2.0)]);
        assert_eq!(all.completion_quantile(0.95), Some(3.0));
        assert_eq!(all.completion_quantile(0.5), Some(2.0));
        assert_eq!(all.largest_moving_mean(2), Some(2.5 / 2.0));
        assert_eq!(all.largest_moving_mean(5), None);
    }
}
