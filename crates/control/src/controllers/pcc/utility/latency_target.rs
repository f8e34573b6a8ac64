//! A target for the queueing delay, which is neared from both sides.
//!
//! Source: the kernel module's presentation, "using latency directly on paths with known low
//! latency may give latency guarantees", "to keep queues slightly full". The function is ours. The
//! queueing delay is the mean round trip less the least one seen. The queue integrates what is sent
//! too much, so the delay of one interval says little about its rate: what a rate decides is the
//! slope. So the delay sets the slope that is wanted, and the utility is highest where the slope is
//! that.
//!
//! On a link of C that is just full, probes at x (1 ± ε) see slopes of ± ε x / C, so the gradient
//! is 2 g x (e + s' x / C), but for a term in ε². It is zero where the delay exceeds its target by
//! e h C / x round trips: the more, the more flows share the link, and the same for all of them
//! only if their rates are equal. Everything is in proportion to the rate, so nothing depends on
//! how fast the link is.

use super::{Build, Utility};
use crate::controllers::pcc::interval::Statistics;
use narrows_params::Param;

/// Registry line.
pub const LINE: (&str, Build) =
    ("latency-target", |params| Box::new(LatencyTarget { target: params.get(&TARGET_MS) / 1e3 }));

pub const TARGET_MS: Param<f64> = Param::number(
    "target_ms",
    10.0,
    (1.0, 1000.0),
    "ms",
    "utility=latency-target: target queueing delay",
);

/// g: a slope that misses the wanted one by s moves the rate of a lone flow by twice this times s
/// in one round: by all that it misses.
const GAIN: f64 = 0.5;
/// e: the slope that growth is worth. Without a queue a round without amplification adds twice g
/// times this to the rate, 0.2 %.
const GROWTH: f64 = 0.002;
/// h: the time in which the delay is to reach its target, in round trips. A pair, its feedback and
/// the step take three.
const HORIZON: f64 = 8.0;
/// The queue is to grow no faster than a probe makes it.
const FASTEST: f64 = 0.05;
/// The random loss beyond which growth is worth nothing.
const TOLERATED: f64 = 0.05;

/// u = g x^2 (e (1 - L / 0.05) + s (2 s' - s)), where s is the slope and s' = (target - delay) / (h
/// RTT) the one wanted, 0.05 at most. Without a queue s is 0, and only e counts.
struct LatencyTarget {
    /// Seconds.
    target: f64,
}

impl Utility for LatencyTarget {
    fn of(&self, statistics: &Statistics) -> f64 {
        let Statistics { rate, loss, slope, rtt, base_rtt, .. } = *statistics;
        let wanted =
            if rtt > 0.0 { (self.target - (rtt - base_rtt)) / (HORIZON * rtt) } else { 0.0 };
        GAIN * rate
            * rate
            * (GROWTH * (1.0 - loss / TOLERATED) + slope * (2.0 * wanted.min(FASTEST) - slope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::utility::vivace::tests::near;

    const TARGET: LatencyTarget = LatencyTarget { target: 0.010 };

    fn at(rate: f64, rtt: f64, slope: f64) -> Statistics {
        Statistics { rate, rtt, slope, base_rtt: 0.030, ..Statistics::default() }
    }

    #[test]
    fn the_wanted_slope_is_best_and_no_slope_costs_nothing() {
        // 0.5 * 100^2 = 5000, and 5000 * 0.002 = 10. At a delay of 2 ms (10 - 2) / (8 * 32) =
        // 0.03125 is wanted, worth 5000 * 0.03125^2 = 4.8828.
        near(&TARGET, at(100.0, 0.032, 0.0), 10.0);
        near(&TARGET, at(100.0, 0.032, 0.03125), 14.8828);
        near(&TARGET, at(100.0, 0.032, 0.0625), 10.0);
        // At a delay of 20 ms -10 / (8 * 50) = -0.025: 5000 * 0.025^2 = 3.125.
        near(&TARGET, at(100.0, 0.050, -0.025), 13.125);
        near(&TARGET, at(100.0, 0.050, 0.025), 10.0 - 3.0 * 3.125);
        // 5 % of loss takes all that growth is worth.
        near(&TARGET, Statistics { loss: 0.05, ..at(100.0, 0.032, 0.0) }, 0.0);
    }

    /// Probes of 5 % on a full link of 100 Mbit/s.
    #[test]
    fn probes_at_the_target_hold_the_rate_and_beyond_it_lower_it() {
        let gradient =
            |rtt: f64| (TARGET.of(&at(105.0, rtt, 0.05)) - TARGET.of(&at(95.0, rtt, -0.05))) / 10.0;
        // Without s': 0.5 * (105^2 - 95^2) * (0.002 - 0.0025) / 10 = -0.05 Mbit/s of 100.
        assert!((gradient(0.040) + 0.05).abs() < 1e-9, "{}", gradient(0.040));
        // s' = 4 / (8 * 36) = 0.013889: 0.5 * (105^2 + 95^2) * 0.05 * 2 * s' / 10 = 1.39236 more.
        assert!((gradient(0.036) - 1.34236).abs() < 1e-5, "{}", gradient(0.036));
        assert!(gradient(0.044) < -1.0, "{}", gradient(0.044));
    }
}
