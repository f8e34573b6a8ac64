//! Pairs of a higher and a lower rate, and what they decide.

use super::super::interval::Statistics;
use narrows_units::Random;

/// Most pairs of a decision.
pub const PAIRS: usize = 2;
/// Probes that lost no more than this together are charged what they lost together.
const EVEN_LOSS: f64 = 0.01;
/// From this loss on a higher rate that lost less is doubted, if it lost fewer packets by more than
/// [`DOUBTFUL_PACKETS`].
const DOUBTFUL_LOSS: f64 = 0.05;
const DOUBTFUL_PACKETS: u32 = 2;

/// One or two pairs.
#[derive(Clone, Copy, Debug)]
pub struct Probes {
    /// Rates in the order of sending, in Mbit/s, and what became of them; `count` of each are used.
    rates: [f64; 2 * PAIRS],
    outcomes: [Statistics; 2 * PAIRS],
    count: usize,
    planned: usize,
    known: usize,
}

/// The decision of probes.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Pairs for the higher rate less those for the lower.
    pub sign: i32,
    /// The mean of the pairs' gradients.
    pub gradient: f64,
    /// The higher rates lost fewer packets, so that chance may have decided.
    pub doubtful: bool,
}

impl Probes {
    /// `pairs` of rates `distance` above and below `rate`, each in a random order.
    pub fn new(pairs: usize, rate: f64, distance: f64, random: &mut Random) -> Probes {
        let mut probes = Probes {
            rates: [0.0; 2 * PAIRS],
            outcomes: [Statistics::default(); 2 * PAIRS],
            count: 2 * pairs,
            planned: 0,
            known: 0,
        };
        for pair in probes.rates[..2 * pairs].chunks_mut(2) {
            let first = if random.chance(0.5) { distance } else { -distance };
            pair.copy_from_slice(&[rate + first, rate - first]);
        }
        probes
    }

    /// The rate of the next probe.
    pub fn plan(&mut self) -> Option<f64> {
        self.planned += 1;
        self.rates[..self.count].get(self.planned - 1).copied()
    }

    /// Takes the result of the next probe; true if it was the last.
    pub fn add(&mut self, statistics: Statistics) -> bool {
        self.outcomes[self.known] = statistics;
        self.known += 1;
        self.known == self.count
    }

    /// Their decision under `utility`.
    pub fn verdict(&self, utility: impl Fn(&Statistics) -> f64) -> Verdict {
        let rates = &self.rates[..self.count];
        let outcomes = &self.outcomes[..self.count];
        let (sent, lost) =
            outcomes.iter().fold((0, 0), |(sent, lost), one| (sent + one.sent, lost + one.lost));
        let together = lost as f64 / sent.max(1) as f64;
        let charged = |one: &Statistics| {
            utility(&Statistics {
                loss: if together <= EVEN_LOSS { together } else { one.loss },
                ..*one
            })
        };
        let mut sign = 0;
        let mut gradient = 0.0;
        let mut lost_high = 0;
        let mut lost_low = 0;
        for (rates, pair) in rates.chunks(2).zip(outcomes.chunks(2)) {
            let (high, low) =
                if rates[0] > rates[1] { (&pair[0], &pair[1]) } else { (&pair[1], &pair[0]) };
            let difference = charged(high) - charged(low);
            sign += (difference > 0.0) as i32 - (difference < 0.0) as i32;
            gradient += difference / (rates[0] - rates[1]).abs();
            lost_high += high.lost;
            lost_low += low.lost;
        }
        let doubtful = sign > 0
            && lost_high > 0
            && lost_low > lost_high + DOUBTFUL_PACKETS
            && together >= DOUBTFUL_LOSS;
        Verdict { sign, gradient: gradient / (self.count / 2) as f64, doubtful }
    }
}
