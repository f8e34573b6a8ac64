//! The utility of the code that the authors of Vivace released with the paper.
//!
//! Source: PCC-Uspace, branch NSDI-2018, `pcc-gradient/sender/app/pcc.h`. A Mbit has 2^20 bit
//! there.

use super::{Gradient, Utility};
use crate::controllers::pcc::interval::Statistics;

/// 10^6 over 2^20: a rate in the Mbit/s of that code for one in true Mbit/s.
pub const BINARY: f64 = 1e6 / 1_048_576.0;

/// Losses up to this are charged little.
const LITTLE_LOSS: f64 = 0.03;
const LITTLE_CHARGE: f64 = 1.0;

/// u = x^t - b x (dRTT/dT) - c(L) x L, where c(L) is 1 up to a loss of 3 %.
#[derive(Clone, Copy, Debug)]
pub struct Released {
    /// Exponent of the rate.
    pub t: f64,
    /// Price of a growing round trip; the code has 11330, switched off.
    pub b: f64,
    /// Price of losses above 3 %.
    pub c: f64,
    /// The part of the round trip's change that counts.
    pub gradient: Gradient,
}

impl Utility for Released {
    fn of(&self, statistics: &Statistics) -> f64 {
        let Statistics { loss, slope, .. } = *statistics;
        let rate = statistics.rate * BINARY;
        let charge = if loss > LITTLE_LOSS { self.c } else { LITTLE_CHARGE };
        libm::pow(rate, self.t) - self.b * rate * self.gradient.of(slope) - charge * rate * loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::utility::Filter;
    use crate::controllers::pcc::utility::vivace::tests::near;

    #[test]
    fn losses_up_to_3_percent_cost_little_and_delay_nothing_unless_switched_on() {
        let gradient = Gradient { filter: Filter::Steps(0.02), reward: true };
        let released = Released { t: 0.9, b: 0.0, c: 11.35, gradient };
        let at = |loss| Statistics { rate: 104.8576, loss, slope: 0.05, ..Statistics::default() };
        near(&released, at(0.0), 63.0957);
        near(&released, at(0.03), 63.0957 - 3.0);
        near(&released, at(0.05), 6.3457);
        near(&Released { b: 11_330.0, ..released }, at(0.0), 63.0957 - 11_330.0 * 100.0 * 0.04);
    }
}
