//! Shares in proportion to weights: what Vivace charges for delay and loss, divided by the flow's weight.
//!
//! Source: flows with different c in the Vivace paper, section 4.3. Why it works: on a shared link with a drop-tail buffer the charges a flow meets grow with its own
//! rate (they are b x / C for the queue, c x / C for the losses that one more Mbit/s causes), and the reward t x^(t-1) is nearly the same at any rate, so that rates
//! balance where x / weight is equal.

use super::{Build, Utility, Vivace};
use crate::pcc::interval::Statistics;

/// Registry line.
pub const LINE: (&str, Build) = ("proportional", |params| Box::new(Proportional::new(Vivace::new(params), params.number("weight"))));

/// u = x^t - (b / weight) x (dRTT/dT) - (c / weight) x L.
struct Proportional(Vivace);

impl Proportional {
    fn new(vivace: Vivace, weight: f64) -> Proportional {
        Proportional(Vivace { b: vivace.b / weight, c: vivace.c / weight, ..vivace })
    }
}

impl Utility for Proportional {
    fn of(&self, statistics: &Statistics) -> f64 {
        self.0.of(statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcc::utility::vivace::tests::{PAPER, near};

    #[test]
    fn twice_the_weight_pays_half_the_price() {
        let double = Proportional::new(PAPER, 2.0);
        near(&double, Statistics { rate: 100.0, slope: 0.01, ..Statistics::default() }, 63.0957 - 450.0);
        near(&double, Statistics { rate: 100.0, loss: 0.05, ..Statistics::default() }, 63.0957 - 28.375);
    }
}
