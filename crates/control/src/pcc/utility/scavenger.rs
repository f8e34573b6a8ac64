//! A scavenger: gives way to others whenever round trips scatter, which they do as soon as others use the link too.
//!
//! Source: the kernel module's presentation, "functions based on jitter may work as scavengers"; the term and its price are those of Meng, Rozen Schiff, Godfrey,
//! Schapira, "PCC Proteus: scavenger transport and beyond", SIGCOMM 2020, section 4.2. Deviations: none of that work's filters for noise. Where others keep the queue empty, as
//! Vivace does, round trips hardly scatter. Every change of the round trip counts, however small, so that it gives way to a queue that Vivace still takes for noise.

use super::{Build, Filter, Gradient, Utility, Vivace};
use crate::pcc::interval::Statistics;

/// Registry line.
pub const LINE: (&str, Build) = ("scavenger", |params| Box::new(Scavenger::new(Vivace::new(params), params.number("jitter_price"))));

/// Vivace's utility less price x deviation, the standard deviation of the round trips in seconds.
struct Scavenger {
    vivace: Vivace,
    price: f64,
}

impl Scavenger {
    fn new(vivace: Vivace, price: f64) -> Scavenger {
        Scavenger { vivace: Vivace { gradient: Gradient { filter: Filter::Below(0.0), ..vivace.gradient }, ..vivace }, price }
    }
}

impl Utility for Scavenger {
    fn of(&self, statistics: &Statistics) -> f64 {
        self.vivace.of(statistics) - self.price * statistics.rate * statistics.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcc::utility::vivace::tests::{PAPER, near};

    #[test]
    fn a_millisecond_of_deviation_costs_150_at_100_megabits() {
        let scavenger = Scavenger::new(PAPER, 1500.0);
        near(&scavenger, Statistics { rate: 100.0, deviation: 0.001, ..Statistics::default() }, 63.0957 - 150.0);
        near(&scavenger, Statistics { rate: 100.0, ..Statistics::default() }, 63.0957);
    }

    /// 900 * 100 * 0.001 = 90, where Vivace counts a slope below 0.01 as none.
    #[test]
    fn a_slope_that_vivace_takes_for_noise_costs() {
        let slow = Statistics { rate: 100.0, slope: 0.001, ..Statistics::default() };
        near(&PAPER, slow, 63.0957);
        near(&Scavenger::new(PAPER, 1500.0), slow, 63.0957 - 90.0);
    }
}
