//! Vivace's utility: throughput, less a growing round trip, less losses.
//!
//! Source: Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira, "PCC Vivace: online-learning
//! congestion control", NSDI 2018, equation 1. The units are part of it: x in Mbit/s, the round
//! trip's change in seconds per second.

use super::{Build, Filter, Gradient, Utility};
use crate::controllers::pcc::interval::Statistics;
use narrows_params::{Param, Params};

/// Registry line.
pub const LINE: (&str, Build) = ("vivace", |params| Box::new(Vivace::new(params)));

pub const EXPONENT: Param<f64> =
    Param::number("t", 0.9, (0.1, 1.0), "", "exponent of the rate in Mbit/s (equation 1)");
pub const LATENCY_PRICE: Param<f64> = Param::number(
    "b",
    900.0,
    (0.0, 1e6),
    "",
    "price of the round trip's slope, s/s (equation 1); 0 is Vivace-Loss",
);
pub const LOSS_PRICE: Param<f64> = Param::number(
    "c",
    11.35,
    (0.0, 1e6),
    "",
    "price of loss (equation 1); tolerates t C^(t-1) / c random loss on C Mbit/s: 5 % on 100",
);
pub const GRADIENT_FILTER: Param<f64> = Param::number(
    "gradient_filter",
    0.01,
    (0.0, 1.0),
    "s/s",
    "smaller slopes count as zero (section 5)",
);
pub const NEGATIVE_GRADIENT: Param<bool> = Param::choice(
    "negative_gradient",
    "reward",
    &[("reward", true), ("clip", false)],
    "a falling round trip counts as gain (paper) or as steady (PCC Proteus)",
);

/// u = x^t - b x (dRTT/dT) - c x L.
#[derive(Clone, Copy, Debug)]
pub struct Vivace {
    /// Exponent of the rate, below 1: more is worth ever less, which makes shares fair.
    pub t: f64,
    /// Price of a growing round trip; 0 is Vivace-Loss.
    pub b: f64,
    /// Price of losses.
    pub c: f64,
    /// The part of the round trip's change that counts.
    pub gradient: Gradient,
}

impl Vivace {
    /// As the parameters say.
    pub fn new(params: &Params) -> Vivace {
        let gradient = Gradient {
            filter: Filter::Below(params.get(&GRADIENT_FILTER)),
            reward: params.get(&NEGATIVE_GRADIENT),
        };
        Vivace {
            t: params.get(&EXPONENT),
            b: params.get(&LATENCY_PRICE),
            c: params.get(&LOSS_PRICE),
            gradient,
        }
    }
}

impl Vivace {
    /// x^t.
    pub fn earnings(&self, statistics: &Statistics) -> f64 {
        libm::pow(statistics.rate, self.t)
    }

    /// b x (dRTT/dT) + c x L.
    pub fn costs(&self, statistics: &Statistics) -> f64 {
        let Statistics { rate, loss, slope, .. } = *statistics;
        self.b * rate * self.gradient.of(slope) + self.c * rate * loss
    }
}

impl Utility for Vivace {
    fn of(&self, statistics: &Statistics) -> f64 {
        self.earnings(statistics) - self.costs(statistics)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The constants of the paper.
    pub const PAPER: Vivace = Vivace {
        t: 0.9,
        b: 900.0,
        c: 11.35,
        gradient: Gradient { filter: Filter::Below(0.01), reward: true },
    };

    pub fn near(utility: &dyn Utility, statistics: Statistics, expected: f64) {
        let utility = utility.of(&statistics);
        assert!(
            (utility - expected).abs() < 1e-4 * expected.abs().max(1.0),
            "{utility} of {statistics:?}, not {expected}"
        );
    }

    #[test]
    fn utilities_at_given_rates_slopes_and_losses() {
        let at = |rate, slope, loss| Statistics { rate, slope, loss, ..Statistics::default() };
        near(&PAPER, at(100.0, 0.0, 0.0), 63.0957);
        near(&PAPER, at(105.0, 0.0, 0.0), 65.9281);
        near(&PAPER, at(100.0, 0.01, 0.0), -836.904);
        near(&PAPER, at(100.0, 0.0, 0.05), 6.3457);
        near(&PAPER, at(100.0, -0.01, 0.0), 963.0957);
        near(&Vivace { b: 0.0, ..PAPER }, at(100.0, 0.5, 0.05), 6.3457);
    }

    /// b = t n^(2-t) C^(t-1) leaves no standing queue with n flows on C Mbit/s; c = t C^(t-1) / p
    /// tolerates the loss p.
    #[test]
    fn the_prices_follow_from_1000_flows_on_a_gigabit_and_5_percent_loss_on_100_megabits() {
        let b = 0.9 * libm::pow(1000.0, 1.1) * libm::pow(1000.0, -0.1);
        let c = 0.9 * libm::pow(100.0, -0.1) / 0.05;
        assert!((b - PAPER.b).abs() < 1e-9 && (c - PAPER.c).abs() < 0.02, "{b} {c}");
    }
}
