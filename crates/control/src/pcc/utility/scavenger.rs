//! A scavenger: gives way to others whenever round trips scatter, which they do as soon as others use the link too.
//!
//! Source: the kernel module's presentation, "functions based on jitter may work as scavengers"; the term and its price are those of Meng, Rozen Schiff, Godfrey,
//! Schapira, "PCC Proteus: scavenger transport and beyond", SIGCOMM 2020, section 4.2. Deviations: none of that work's filters for noise. Where others keep the queue empty, as
//! Vivace does, round trips hardly scatter, and it shares with them.

use super::{Build, Utility, Vivace};
use crate::pcc::interval::Statistics;

/// Registry line.
pub const LINE: (&str, Build) =
    ("scavenger", |params| Box::new(Scavenger { vivace: Vivace::new(params), price: params.number("jitter_price") }));

/// Vivace's utility less price x deviation, the standard deviation of the round trips in seconds.
struct Scavenger {
    vivace: Vivace,
    price: f64,
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
        let scavenger = Scavenger { vivace: PAPER, price: 1500.0 };
        near(&scavenger, Statistics { rate: 100.0, deviation: 0.001, ..Statistics::default() }, 63.0957 - 150.0);
        near(&scavenger, Statistics { rate: 100.0, ..Statistics::default() }, 63.0957);
    }
}
