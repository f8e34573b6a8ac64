//! Allegro's safe utility: throughput, until losses pass a threshold.
//!
//! Source: Dong, Li, Zarchy, Godfrey, Schapira, "PCC: re-architecting congestion control for
//! consistent high performance", NSDI 2015, section 2.2.

use super::{Build, Utility};
use crate::controllers::pcc::interval::Statistics;

/// Registry line: the paper's threshold of 5 % and steepness of 100.
pub const LINE: (&str, Build) =
    ("allegro", |_| Box::new(Safe { threshold: 0.05, steepness: 100.0 }));

/// u = x (1 - L) S(L - threshold) - x L with S(y) = 1 / (1 + e^(steepness y)), x in Mbit/s.
#[derive(Clone, Copy, Debug)]
pub struct Safe {
    /// Losses that are tolerated, 0 to 1.
    pub threshold: f64,
    /// How sharp the threshold is; at least 2.2 (n - 1) and 100 for n flows that share a link.
    pub steepness: f64,
}

impl Utility for Safe {
    fn of(&self, statistics: &Statistics) -> f64 {
        let Statistics { rate, loss, .. } = *statistics;
        let sigmoid = 1.0 / (1.0 + libm::exp(self.steepness * (loss - self.threshold)));
        rate * (1.0 - loss) * sigmoid - rate * loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilities_of_100_megabits_at_given_losses() {
        let safe = Safe { threshold: 0.05, steepness: 100.0 };
        for (loss, expected) in [(0.0, 99.3307), (0.01, 96.2194), (0.05, 42.5), (0.10, -9.3976)] {
            let utility = safe.of(&Statistics { rate: 100.0, loss, ..Statistics::default() });
            assert!((utility - expected).abs() < 5e-5, "{utility} at {loss}");
        }
    }
}
