//! A target for the queueing delay: throughput counts until the round trip is about to pass its target.
//!
//! Source: the kernel module's presentation, "using latency directly on paths with known low latency may give latency guarantees", "to keep queues slightly full". The
//! function is ours. The queueing delay is the mean round trip less the least one seen. The queue integrates what is sent too much, so the delay of one interval says
//! little about its rate; what the interval's slope makes of the delay within a horizon says much.

use super::{Build, Utility};
use crate::pcc::interval::Statistics;

/// Registry line.
pub const LINE: (&str, Build) = ("latency-target", |params| {
    Box::new(LatencyTarget { t: params.number("t"), c: params.number("c"), target: params.number("target_ms") / 1e3 })
});

/// How far ahead the delay is foreseen, in least round trips: the two intervals of a pair, their feedback, and one more.
const HORIZON: f64 = 4.0;

/// u = x^t - x (max(0, d - target) / target)^2 - c x L, where d is the queueing delay foreseen four round trips ahead.
struct LatencyTarget {
    t: f64,
    c: f64,
    /// Seconds.
    target: f64,
}

impl Utility for LatencyTarget {
    fn of(&self, statistics: &Statistics) -> f64 {
        let Statistics { rate, loss, slope, rtt, base_rtt, .. } = *statistics;
        let foreseen = (rtt - base_rtt).max(0.0) + slope * HORIZON * base_rtt;
        let excess = (foreseen - self.target).max(0.0) / self.target;
        libm::pow(rate, self.t) - rate * excess * excess - self.c * rate * loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcc::utility::vivace::tests::near;

    #[test]
    fn delay_costs_from_the_target_on() {
        let target = LatencyTarget { t: 0.9, c: 11.35, target: 0.010 };
        let at = |rtt, slope| Statistics { rate: 100.0, rtt, slope, base_rtt: 0.030, ..Statistics::default() };
        near(&target, at(0.038, 0.0), 63.0957);
        near(&target, at(0.045, 0.0), 63.0957 - 25.0);
        // 8 ms now and 0.05 * 120 ms = 6 ms soon.
        near(&target, at(0.038, 0.05), 63.0957 - 16.0);
        near(&target, at(0.045, -0.05), 63.0957);
    }
}
