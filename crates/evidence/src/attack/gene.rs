//! Genes: one number of a network with its range, and how it is drawn, changed and blended.

use narrows_units::Random;

/// The distribution of a gene's values over its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Log-uniform: equal ratios are equally likely.
    Ratio,
    /// Zero in half of the draws, otherwise as [`Scale::Ratio`]. Zero is allowed in addition to the
    /// range.
    RatioOrZero,
    /// Uniform: equal differences are equally likely.
    Even,
    /// Integers, all equally likely.
    Whole,
    /// Only these values, in ascending order.
    OneOf(&'static [f64]),
}

/// The definition of a gene.
#[derive(Clone, Copy, Debug)]
pub struct Gene {
    /// Name in lists and in stored findings.
    pub name: &'static str,
    /// Unit of the values; empty for a pure number.
    pub unit: &'static str,
    /// Smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// Distribution of values between `low` and `high`.
    pub scale: Scale,
    /// Neutral value that the minimiser tries, if there is one.
    pub plain: Option<f64>,
    /// Source of the range.
    pub source: &'static str,
}

/// Standard deviation of a small step: of the natural logarithm of the value, or for an even gene
/// in tenths of the range. The value is our choice.
const STEP: f64 = 0.3;
/// Largest number of significant digits of a value, so that the text of a scenario is exact.
pub(super) const DIGITS: usize = 3;

impl Gene {
    /// Draws a value from the whole range.
    pub fn draw(&self, random: &mut Random) -> f64 {
        let share = random.uniform();
        self.fitted(match self.scale {
            Scale::Ratio => between_logs(self.low, self.high, share),
            Scale::RatioOrZero if random.chance(0.5) => 0.0,
            Scale::RatioOrZero => between_logs(self.low, self.high, share),
            Scale::Even => self.low + (self.high - self.low) * share,
            Scale::Whole => self.low + libm::floor((self.high - self.low + 1.0) * share),
            Scale::OneOf(values) => values[(share * values.len() as f64) as usize],
        })
    }

    /// Draws a value near another one.
    pub fn step(&self, value: f64, random: &mut Random) -> f64 {
        let step = STEP * random.normal();
        let sign = if step < 0.0 { -1.0 } else { 1.0 };
        self.fitted(match self.scale {
            Scale::RatioOrZero if value == 0.0 => 0.0,
            Scale::Ratio | Scale::RatioOrZero => value * libm::exp(step),
            Scale::Even => value + step * (self.high - self.low) / 10.0,
            Scale::Whole => value + sign * libm::fmax(1.0, libm::round(libm::fabs(step) * value)),
            Scale::OneOf(values) => {
                let place = values.iter().position(|own| *own >= value).unwrap_or(values.len() - 1);
                values[if sign < 0.0 {
                    place.saturating_sub(1)
                } else {
                    (place + 1).min(values.len() - 1)
                }]
            }
        })
    }

    /// Draws a value between two values, on the logarithmic scale if both are ratios.
    pub fn blend(&self, one: f64, other: f64, random: &mut Random) -> f64 {
        let share = random.uniform();
        self.fitted(match self.scale {
            Scale::Ratio | Scale::RatioOrZero if one > 0.0 && other > 0.0 => {
                between_logs(one, other, share)
            }
            Scale::Even => one + (other - one) * share,
            _ if share < 0.5 => one,
            _ => other,
        })
    }

    /// Changes a value by at most ten per cent, also beyond the range. Values of a list stay
    /// unchanged.
    pub fn shaken(&self, value: f64, random: &mut Random) -> f64 {
        let shaken = value * (0.9 + 0.2 * random.uniform());
        match self.scale {
            Scale::OneOf(_) => value,
            Scale::Whole => libm::fmax(self.low, libm::round(shaken)),
            // An event after the end of the run would never happen.
            _ if self.name == "start" => rounded(libm::fmin(shaken, self.high), DIGITS),
            _ => rounded(shaken, DIGITS),
        }
    }

    /// Returns the nearest value that the gene can have. A value of a list must already be in the
    /// list.
    pub fn fitted(&self, value: f64) -> f64 {
        match self.scale {
            Scale::RatioOrZero if value == 0.0 => 0.0,
            Scale::Whole => libm::round(value).clamp(self.low, self.high),
            Scale::OneOf(_) => value,
            // A bound may have more digits than a value.
            _ => rounded(value.clamp(self.low, self.high), DIGITS).clamp(self.low, self.high),
        }
    }

    /// True if the gene can have this value.
    pub fn has(&self, value: f64) -> bool {
        match self.scale {
            Scale::OneOf(values) => values.contains(&value),
            Scale::RatioOrZero if value == 0.0 => true,
            Scale::Whole => libm::floor(value) == value && (self.low..=self.high).contains(&value),
            _ => (self.low..=self.high).contains(&value),
        }
    }
}

fn between_logs(low: f64, high: f64, share: f64) -> f64 {
    let (from, to) = (libm::log(low), libm::log(high));
    libm::exp(from + (to - from) * share)
}

/// Rounds a number to a number of significant digits.
pub(super) fn rounded(value: f64, digits: usize) -> f64 {
    // Printing rounds to decimal digits exactly, which arithmetic on binary fractions does not.
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// Counts the significant digits of a number.
pub(super) fn digits(value: f64) -> usize {
    let text = format!("{value:e}");
    text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GENES: [Gene; 5] = [
        gene(0.5, 100.0, Scale::Ratio),
        gene(1.0, 60.0, Scale::RatioOrZero),
        gene(0.0, 10.0, Scale::Even),
        gene(1.0, 5.0, Scale::Whole),
        gene(0.25, 5.0, Scale::OneOf(&[0.25, 0.5, 1.0, 5.0])),
    ];

    const fn gene(low: f64, high: f64, scale: Scale) -> Gene {
        Gene { name: "g", unit: "", low, high, scale, plain: None, source: "" }
    }

    #[test]
    fn digits_are_those_written() {
        assert_eq!([0.5, 22.0, 9500.0, 1.07, 0.0].map(digits), [1, 2, 2, 3, 1]);
        assert_eq!(
            [rounded(9512.4, 2), rounded(0.12345, 3), rounded(0.96, 1)],
            [9500.0, 0.123, 1.0]
        );
    }

    #[test]
    fn a_ratio_gene_is_as_often_below_its_geometric_mean_as_above() {
        let mut random = Random::stream(1, "gene");
        // The geometric mean of 0.5 and 100 is 7.07. In a uniform distribution, 93 % would be above
        // it.
        let below = (0..1000).filter(|_| GENES[0].draw(&mut random) < 7.07).count();
        assert!((450..=550).contains(&below), "{below}");
    }

    proptest! {
        #[test]
        fn every_value_lies_in_the_range(seed: u64) {
            let mut random = Random::stream(seed, "gene");
            for gene in GENES {
                let (one, other) = (gene.draw(&mut random), gene.draw(&mut random));
                let all = [one, gene.step(one, &mut random), gene.blend(one, other, &mut random)];
                prop_assert!(all.iter().all(|value| gene.has(*value)), "{gene:?}: {all:?}");
                prop_assert!(all.iter().all(|value| digits(*value) <= DIGITS), "{all:?}");
                let shaken = gene.shaken(one, &mut random);
                // Rounding to three digits moves a value by at most half of the last digit: 0.5 %
                // for values from 1.00 to 1.09.
                let bound = 0.1 * one + 0.005 * shaken + 1e-12;
                prop_assert!(matches!(gene.scale, Scale::Whole) || (shaken - one).abs() <= bound, "{one} {shaken}");
            }
        }
    }
}
