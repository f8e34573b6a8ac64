//! Vivace's utility function. It rewards the sending rate, and penalises a growing round trip and
//! loss.
//!
//! Source: Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira, "PCC Vivace: online-learning
//! congestion control", NSDI 2018, equation 1. Its constants hold for these units: x in Mbit/s, the
//! RTT gradient in seconds per second.

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
    "coefficient of the RTT gradient, in s/s (equation 1); 0 gives Vivace-Loss",
);
pub const LOSS_PRICE: Param<f64> = Param::number(
    "c",
    11.35,
    (0.0, 1e6),
    "",
    "coefficient of loss (equation 1); tolerates a random loss of t C^(t-1) / c on C Mbit/s: 5 % on 100",
);
pub const GRADIENT_FILTER: Param<f64> = Param::number(
    "gradient_filter",
    0.01,
    (0.0, 1.0),
    "s/s",
    "RTT gradients below this size count as zero (section 5)",
);
pub const NEGATIVE_GRADIENT: Param<bool> = Param::choice(
    "negative_gradient",
    "reward",
    &[("reward", true), ("clip", false)],
    "a falling round trip; reward: raises the utility (paper); clip: counts as steady (PCC Proteus)",
);

/// u = x^t - b x (dRTT/dT) - c x L, where x is the sending rate in Mbit/s and L the loss rate.
#[derive(Clone, Copy, Debug)]
pub struct Vivace {
    /// Exponent of the rate. Below 1 the utility is concave, which makes shares fair.
    pub t: f64,
    /// Coefficient of the RTT gradient; 0 gives Vivace-Loss.
    pub b: f64,
    /// Coefficient of loss.
    pub c: f64,
    /// The part of the RTT gradient that counts.
    pub gradient: Gradient,
}

impl Vivace {
    /// The utility with these parameters.
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
    pub fn reward(&self, statistics: &Statistics) -> f64 {
        libm::pow(statistics.rate, self.t)
    }

    /// b x (dRTT/dT) + c x L.
    pub fn penalty(&self, statistics: &Statistics) -> f64 {
        let Statistics { rate, loss, slope, .. } = *statistics;
        self.b * rate * self.gradient.of(slope) + self.c * rate * loss
    }
}

impl Utility for Vivace {
    fn of(&self, statistics: &Statistics) -> f64 {
        self.reward(statistics) - self.penalty(statistics)
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
