//! The utility of the code that the authors of Allegro released with the paper: the safe one, less
//! while round trips grow, over the round trip.
//!
//! Source: `modong/pcc`, `sender/app/cc.h`.

use super::Utility;
use crate::controllers::pcc::interval::Statistics;

/// Losses that are tolerated, and how sharp that threshold is.
const THRESHOLD: f64 = 0.05;
const STEEPNESS: f64 = 100.0;
/// How sharply a growing round trip costs.
const LATENCY_STEEPNESS: f64 = 10.0;

/// u = (x (1 - L) S(100 (L - 0.05)) S(10 (1 - r' / r)) - x L) / r with S(y) = 1 / (1 + e^y), r and
/// r' being the round trips at the ends of this interval and of the one before.
#[derive(Clone, Copy, Debug)]
pub struct LatencyAware;

impl Utility for LatencyAware {
    fn of(&self, statistics: &Statistics) -> f64 {
        let Statistics { rate, loss, end_rtt, end_rtt_before, .. } = *statistics;
        let falling = |y: f64| 1.0 / (1.0 + libm::exp(y));
        let [now, before] = [end_rtt, end_rtt_before].map(|rtt| rtt.max(f64::MIN_POSITIVE));
        let worth = falling(STEEPNESS * (loss - THRESHOLD))
            * falling(LATENCY_STEEPNESS * (1.0 - before / now));
        (rate * (1.0 - loss) * worth - rate * loss) / now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(loss: f64, end_rtt: f64, end_rtt_before: f64) -> f64 {
        LatencyAware.of(&Statistics {
            rate: 100.0,
            loss,
            end_rtt,
            end_rtt_before,
            ..Statistics::default()
        })
    }

    #[test]
    fn losses_and_growing_round_trips_cost() {
        let cases = [
            // S(-5) = 0.993307, S(0) = 0.5: 49.66536 over 0.03.
            (0.0, 0.03, 0.03, 1655.512),
            // S(0) twice: 100 * 0.95 * 0.25 - 5 = 18.75.
            (0.05, 0.03, 0.03, 625.0),
            // S(10 * (1 - 0.5)) = 0.0066929.
            (0.0, 0.06, 0.03, 11.0801),
            // S(10 * (1 - 2)) = 0.9999546.
            (0.0, 0.03, 0.06, 3310.873),
        ];
        for (loss, now, before, expected) in cases {
            let utility = of(loss, now, before);
            assert!((utility - expected).abs() < 1e-3, "{utility}, not {expected}");
        }
    }
}
