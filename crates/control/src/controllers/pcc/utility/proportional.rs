//! Shares in proportion to weights: a flow of weight w acts as w flows, each at a w-th of its rate.
//!
//! Source: the kernel module's presentation says that utilities with other features may work; this
//! one is ours. Each of the w flows would move by t (x/w)^(t-1), so that all move by w^(2-t) t
//! x^(t-1), the slope of w^(2-t) x^t.
//!
//! Of n flows that fill a link of C the queue grows by (X - C) / C, X being the sum of the rates. A
//! flow is content when what it earns by a little more, w^(2-t) t x^(t-1), is what the queue
//! costs it, b x / C, for the part of the time in which there is one. That part is the same for
//! all, so x^(2-t) is in proportion to w^(2-t), and x to w.
//!
//! This needs that every flow sees the queue that its own probes make, so no slope is taken for
//! noise; and that steps follow the gradient, so the price is as small as it may be: Vivace's 900,
//! which is for 1000 flows on a gigabit, makes every step the largest that is allowed, whatever the
//! weight.

use super::{Build, Filter, Gradient, Utility, Vivace};
use crate::controllers::pcc::interval::Statistics;
use narrows_params::Param;

/// Registry line.
pub const LINE: (&str, Build) = ("proportional", |params| {
    Box::new(Proportional::new(Vivace::new(params), params.get(&WEIGHT)))
});

pub const WEIGHT: Param<f64> =
    Param::number("weight", 1.0, (0.01, 100.0), "", "utility=proportional: the flow's weight");

/// Price of a growing round trip. t n^(2-t) C^(t-1) leaves no standing queue with n flows on C
/// Mbit/s (Vivace, section 4): 13 flows on 100 Mbit/s, 16 on 1000.
const PRICE: f64 = 10.0;

/// u = w^(2-t) x^t - b x max(0, dRTT/dT) - c x L.
struct Proportional {
    vivace: Vivace,
    /// w^(2-t).
    worth: f64,
}

impl Proportional {
    fn new(vivace: Vivace, weight: f64) -> Proportional {
        let gradient = Gradient { filter: Filter::Below(0.0), reward: false };
        Proportional {
            vivace: Vivace { b: PRICE, gradient, ..vivace },
            worth: libm::pow(weight, 2.0 - vivace.t),
        }
    }
}

impl Utility for Proportional {
    fn of(&self, statistics: &Statistics) -> f64 {
        self.worth * self.vivace.reward(statistics) - self.vivace.penalty(statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::utility::vivace::tests::{PAPER, near};

    fn at(rate: f64, slope: f64) -> Statistics {
        Statistics { rate, slope, ..Statistics::default() }
    }

    #[test]
    fn twice_the_weight_earns_as_two_flows_of_half_the_rate_and_pays_as_one() {
        // 2^1.1 = 2.14355; 100^0.9 = 63.0957; 10 * 100 * 0.01 = 10.
        let double = Proportional::new(PAPER, 2.0);
        near(&double, at(100.0, 0.0), 135.249);
        near(&double, at(100.0, 0.01), 125.249);
        near(&double, at(100.0, -0.01), 135.249);
        // The slope at 100 Mbit/s is twice that of one flow at 50: 2 * 0.9 * 50^-0.1 = 1.21726.
        let slope = (double.of(&at(100.01, 0.0)) - double.of(&at(99.99, 0.0))) / 0.02;
        assert!((slope - 1.21726).abs() < 1e-4, "{slope}");
    }

    /// Two flows at 1/3 and 2/3 of 100 Mbit/s are content with a queue for the same part of the
    /// time: what they earn by a little more over what a queue of their own making costs.
    #[test]
    fn rates_in_proportion_to_weights_balance() {
        let part = |weight: f64, rate: f64| {
            let flow = Proportional::new(PAPER, weight);
            let earned = (flow.of(&at(rate * 1.0001, 0.0)) - flow.of(&at(rate * 0.9999, 0.0)))
                / (0.0002 * rate);
            let paid =
                (flow.of(&at(rate, 0.0)) - flow.of(&at(rate, rate / 100.0 * 0.01))) / (0.01 * rate);
            earned / paid
        };
        let one = part(1.0, 100.0 / 3.0);
        let two = part(2.0, 200.0 / 3.0);
        assert!((one - two).abs() < 1e-6 && one < 1.0, "{one} {two}");
    }

    #[test]
    fn the_price_is_enough_for_13_flows_on_100_megabits() {
        let least = |flows: f64, rate: f64| 0.9 * libm::pow(flows, 1.1) * libm::pow(rate, -0.1);
        assert!(least(13.0, 100.0) < PRICE && least(14.0, 100.0) > PRICE, "{}", least(13.0, 100.0));
        assert!(
            least(16.0, 1000.0) < PRICE && least(17.0, 1000.0) > PRICE,
            "{}",
            least(16.0, 1000.0)
        );
    }
}
