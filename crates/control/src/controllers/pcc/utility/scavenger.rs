//! A scavenger: takes what others leave, and gives way as soon as a queue begins to grow.
//!
//! Source: the kernel module's presentation proposes utilities for scavengers; Meng, Rozen Schiff,
//! Godfrey, Schapira, "PCC Proteus: scavenger transport and beyond", SIGCOMM 2020. The utility is
//! Vivace's with every growth of the round trip counted, however slow, so that it gives way to
//! queues that Vivace takes for noise. The price that both documents propose, on how much round
//! trips scatter, is not here: `measurements/controllers.md` has what was measured of it.

use super::{Build, Filter, Gradient, Vivace};

/// Registry line.
pub const LINE: (&str, Build) = ("scavenger", |params| Box::new(scavenger(Vivace::new(params))));

fn scavenger(vivace: Vivace) -> Vivace {
    Vivace { gradient: Gradient { filter: Filter::Below(0.0), ..vivace.gradient }, ..vivace }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::pcc::interval::Statistics;
    use crate::controllers::pcc::utility::vivace::tests::{PAPER, near};

    /// 900 * 100 * 0.001 = 90, where Vivace counts a slope below 0.01 as none.
    #[test]
    fn a_slope_that_vivace_takes_for_noise_costs() {
        let slow = Statistics { rate: 100.0, slope: 0.001, ..Statistics::default() };
        near(&PAPER, slow, 63.0957);
        near(&scavenger(PAPER), slow, 63.0957 - 90.0);
    }
}
