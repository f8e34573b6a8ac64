//! Tests of a bound that stay valid at every look, and intervals of a mean of few numbers.
//!
//! The numbers are differences between the two halves of a pair whose order was decided by a coin.
//! Without an effect each difference is as likely to be positive as negative, given those before,
//! for any traffic, trend or tail. So both measures of evidence below are supermartingales that
//! begin at 1, and a test that stops when their mean reaches 1 / alpha is wrong in at most a share
//! alpha of all experiments, however often it looks (Ville's inequality).
//!
//! The evidence of size is the half-normal mixture of Howard, Ramdas, McAuliffe and Sekhon
//! ("Time-uniform, nonparametric, nonasymptotic confidence sequences", Annals of Statistics 49(2),
//! 2021, section 3.2). The evidence of signs bets a share of the stake on each difference, averaged
//! over all shares from 0 to 1. Taking the mean of the two is ours.

use crate::statistics::mean;

/// Numbers of the grid on which the ends of an interval are searched before they are refined.
const GRID: usize = 256;
/// Number of differences below which there is no interval that is valid at any time.
const LEAST: usize = 9;

/// Returns the tuning of [`size_evidence`] that is best at a sum of squares `v` and an error rate
/// `alpha` (Howard et al., section 3.5). `alpha` is between 0 and 1.
pub fn tuning(v: f64, alpha: f64) -> f64 {
    debug_assert!(v > 0.0 && alpha > 0.0 && alpha < 1.0);
    let odds = 2.0 * libm::log(1.0 / alpha);
    v / (odds + libm::log(1.0 + odds))
}

/// Returns the evidence, 1 at first, that the differences are above `bound` by their size. `rho` is
/// from [`tuning`], fixed before the first difference.
pub fn size_evidence(differences: &[f64], bound: f64, rho: f64) -> f64 {
    let sum: f64 = differences.iter().map(|own| own - bound).sum();
    let squares: f64 = differences.iter().map(|own| (own - bound) * (own - bound)).sum();
    libm::exp(log_size_evidence(sum, squares, rho))
}

/// Returns the logarithm of the evidence of a sum and a sum of squares.
fn log_size_evidence(sum: f64, squares: f64, rho: f64) -> f64 {
    debug_assert!(rho > 0.0);
    let spread = squares + rho;
    let normal = 0.5 * libm::erfc(-sum / (2.0 * spread).sqrt());
    libm::log(2.0)
        + 0.5 * libm::log(rho / spread)
        + sum * sum / (2.0 * spread)
        + libm::log(normal.max(f64::MIN_POSITIVE))
}

/// Returns the evidence, 1 at first, that successes of trials do not have their odds: `excess` is
/// the number of successes less the expected one, and `variance` the sum over all trials of
/// [`spread_at_odds`]. `rho` is from [`tuning`], fixed before the first trial. It is the normal
/// mixture of Howard et al., section 3.2, which looks at both sides.
pub fn odds_evidence(excess: f64, variance: f64, rho: f64) -> f64 {
    debug_assert!(rho > 0.0 && variance >= 0.0);
    let spread = variance + rho;
    (rho / spread).sqrt() * libm::exp(excess * excess / (2.0 * spread))
}

/// Returns the least variance of a normal number whose exponential moments are above those of a
/// trial with these odds, between 0 and 1: 1/4 at even odds (Kearns and Saul, "Large deviation
/// methods for approximate probabilistic inference", UAI 1998).
pub fn spread_at_odds(odds: f64) -> f64 {
    debug_assert!(odds > 0.0 && odds < 1.0);
    if (odds - 0.5).abs() < 1e-6 {
        return 0.25;
    }
    (1.0 - 2.0 * odds) / (2.0 * libm::log((1.0 - odds) / odds))
}

/// Returns the evidence, 1 at first, that more than half of the differences are above `bound`.
pub fn sign_evidence(differences: &[f64], bound: f64) -> f64 {
    let count = differences.len();
    let above = differences.iter().filter(|own| **own > bound).count();
    // The sum of C(n + 1, k) over k up to u, relative to C(n, u), from the largest term down.
    let n = count as f64;
    let u = above as f64;
    let mut term = (n + 1.0) / (n + 1.0 - u);
    let mut sum = 0.0;
    for k in (0..=above).rev() {
        sum += term;
        term *= k as f64 / (n + 2.0 - k as f64);
    }
    sum / (n + 1.0)
}

/// Returns the evidence, 1 at first, that the differences are above `bound`.
pub fn evidence(differences: &[f64], bound: f64, rho: f64) -> f64 {
    0.5 * (size_evidence(differences, bound, rho) + sign_evidence(differences, bound))
}

/// Returns the interval of the centre of the differences that is valid at any time, with an error
/// rate of `alpha`; `None` of fewer than nine. It lies between the least and the largest difference.
pub fn interval_at_any_time(differences: &[f64], rho: f64, alpha: f64) -> Option<(f64, f64)> {
    if differences.len() < LEAST {
        return None;
    }
    let turned: Vec<f64> = differences.iter().map(|own| -own).collect();
    let low = least_bound(differences, rho, alpha)?;
    Some((low, -least_bound(&turned, rho, alpha)?))
}

/// Returns the least bound, from the least difference on, against which the evidence is below
/// 2 / alpha.
fn least_bound(differences: &[f64], rho: f64, alpha: f64) -> Option<f64> {
    let least = differences.iter().copied().fold(f64::INFINITY, f64::min);
    let most = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let open = |bound: f64| evidence(differences, bound, rho) < 2.0 / alpha;
    let at = |step: usize| least + (most - least) * step as f64 / GRID as f64;
    let first = (0..=GRID).find(|step| open(at(*step)))?;
    if first == 0 {
        return Some(least);
    }
    let mut closed = at(first - 1);
    let mut free = at(first);
    for _ in 0..60 {
        let middle = 0.5 * (closed + free);
        if open(middle) { free = middle } else { closed = middle }
    }
    Some(free)
}

/// The mean of a few numbers, their deviation, and half the width of the 95 % interval of the mean
/// by Student's t, which holds for a number of values that was fixed before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the numbers.
    pub deviation: f64,
    /// Half the width of the interval.
    pub half: f64,
}

impl Mean {
    /// Returns the mean of the numbers; `None` of fewer than two.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let middle = mean(values).filter(|_| values.len() > 1)?;
        let squares: f64 = values.iter().map(|own| (own - middle) * (own - middle)).sum();
        let deviation = (squares / (values.len() - 1) as f64).sqrt();
        Some(Mean { mean: middle, deviation, half: half_width(deviation, values.len()) })
    }

    /// Returns the ends of the interval.
    pub fn ends(&self) -> (f64, f64) {
        (self.mean - self.half, self.mean + self.half)
    }
}

/// Returns half the width of the 95 % interval of the mean of `count` numbers, at least 2, with this
/// deviation.
pub fn half_width(deviation: f64, count: usize) -> f64 {
    t_quantile(count - 1) * deviation / (count as f64).sqrt()
}

/// Returns the least number, at least 2 and at most `most`, of differences with this deviation whose
/// mean has a 95 % interval of this half width; `None` if more are needed.
pub fn differences_for(deviation: f64, half: f64, most: usize) -> Option<usize> {
    (2..=most).find(|count| half_width(deviation, *count) <= half)
}

/// Returns the 97.5 % quantile of Student's t with this number of degrees of freedom, at least 1.
pub fn t_quantile(freedom: usize) -> f64 {
    debug_assert!(freedom > 0);
    let mut low = 1.9;
    let mut high = 13.0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if central_share(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    high
}

/// Returns the probability that Student's t is between -t and t (Abramowitz and Stegun, 26.7.3 and
/// 26.7.4).
fn central_share(t: f64, freedom: usize) -> f64 {
    let angle = libm::atan(t / (freedom as f64).sqrt());
    let sine = libm::sin(angle);
    let cosine = libm::cos(angle);
    let odd = freedom % 2 == 1;
    // Each term of the sum is the one before times (k - 1) / k and the cosine squared.
    let first = if odd { 3 } else { 2 };
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    for k in (first..freedom).step_by(2) {
        term *= (k as f64 - 1.0) / k as f64 * cosine * cosine;
        sum += term;
    }
    if odd { (angle + sine * sum) * 2.0 / std::f64::consts::PI } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within, "{value} is not {expected}");
    }

    #[test]
    fn the_tuning_by_hand() {
        near(tuning(100.0, 0.05), 12.60056, 5e-6);
        near(tuning(100.0, 0.1), 15.80063, 5e-6);
    }

    /// The second value is in the tests of the authors' library `confseq`.
    #[test]
    fn evidence_of_a_sum_by_hand() {
        let rho = tuning(100.0, 0.1);
        near(libm::exp(log_size_evidence(27.66071, 100.0, rho)), 20.0, 1e-4);
        near(log_size_evidence(10.0, 100.0, rho), -0.06502391, 1e-8);
    }

    #[test]
    fn evidence_of_signs_by_hand() {
        let above = |count: usize, above: usize| -> Vec<f64> {
            (0..count).map(|place| if place < above { 1.0 } else { -1.0 }).collect()
        };
        let expected = [1.5, 7.0 / 3.0, 3.75, 6.2, 10.5, 127.0 / 7.0, 31.875, 511.0 / 9.0, 102.3];
        for (count, expected) in (1..).zip(expected) {
            near(sign_evidence(&above(count, count), 0.0), expected, 1e-12);
        }
        near(sign_evidence(&above(8, 7), 0.0), 6.972, 5e-4);
        near(sign_evidence(&above(12, 9), 0.0), 2.732, 5e-4);
        near(sign_evidence(&above(12, 6), 0.0), 0.341, 5e-4);
        assert_eq!(evidence(&[], 0.0, 1.0), 1.0);
    }

    const TWELVE: [f64; 12] = [0.1, 0.3, 0.2, 0.4, 0.2, 0.3, 0.1, 0.4, 0.3, 0.2, 0.3, 0.2];

    #[test]
    fn a_sequence_by_hand() {
        let sizes = [1.234, 1.718, 2.431, 3.292, 4.725, 7.114, 9.075];
        let means = [1.367, 2.026, 3.091, 4.746, 7.612, 12.628, 20.475];
        for (count, (size, both)) in (1..).zip(sizes.into_iter().zip(means)) {
            near(size_evidence(&TWELVE[..count], 0.0, 0.1), size, 5e-4);
            near(evidence(&TWELVE[..count], 0.0, 0.1), both, 5e-4);
        }
        near(evidence(&TWELVE[..7], 0.05, 0.1), 19.433, 5e-4);
        near(evidence(&TWELVE[..8], 0.05, 0.1), 33.462, 5e-4);
    }

    #[test]
    fn intervals_by_hand() {
        assert_eq!(interval_at_any_time(&TWELVE[..8], 0.1, 0.05), None);
        let (low, high) = interval_at_any_time(&TWELVE, 0.1, 0.05).expect("twelve are enough");
        near(low, 0.1, 1e-6);
        near(high, 0.4, 1e-6);
        let own = Mean::of(&TWELVE).expect("two are enough");
        near(own.mean, 0.25, 1e-12);
        near(own.half, 0.0635, 5e-5);
        let kernel = [0.058, 0.035, -0.007, 0.017, -0.003, 0.150, 0.182, 0.080];
        let own = Mean::of(&kernel).expect("two are enough");
        near(own.mean, 0.064, 5e-4);
        near(own.half, 0.058, 5e-4);
        assert_eq!(Mean::of(&[1.0]), None);
    }

    #[test]
    fn evidence_against_odds_by_hand() {
        assert_eq!(odds_evidence(0.0, 0.0, 3.0), 1.0);
        // 60 of 100 at even odds: sqrt(25 / 50) exp(100 / 100).
        near(odds_evidence(10.0, 25.0, 25.0), 0.5_f64.sqrt() * libm::exp(1.0), 1e-12);
        near(odds_evidence(-10.0, 25.0, 25.0), odds_evidence(10.0, 25.0, 25.0), 0.0);
        // At 90 %: 0.8 / (2 ln 9).
        near(spread_at_odds(0.9), 0.182048, 1e-6);
        near(spread_at_odds(0.1), spread_at_odds(0.9), 1e-12);
        near(spread_at_odds(0.5 + 2e-6), 0.25, 1e-6);
    }

    /// The exponential moments of a trial stay below those of the normal number, and touch them.
    #[test]
    fn the_spread_bounds_the_moments_of_a_trial() {
        for odds in [0.5, 0.6, 0.75, 0.9, 0.99] {
            let ratio = |step: i32| {
                let t = f64::from(step) * 0.01;
                let moment =
                    odds * libm::exp(t * (1.0 - odds)) + (1.0 - odds) * libm::exp(-t * odds);
                libm::log(moment) / (0.5 * t * t)
            };
            let most = (-2000..2000).filter(|step| *step != 0).map(ratio).fold(0.0, f64::max);
            near(most, spread_at_odds(odds), 1e-4);
        }
    }

    /// 2000 sequences of 2000 trials at their odds, looked at after each trial.
    #[test]
    fn odds_are_rarely_doubted_at_any_look() {
        let mut random = narrows_units::Random::stream(1, "odds");
        for odds in [0.5, 0.9] {
            let rho = tuning(500.0 * spread_at_odds(odds), 0.05);
            let alarms = (0..2000)
                .filter(|_| {
                    let (mut excess, mut variance) = (0.0, 0.0);
                    (0..2000).any(|_| {
                        excess += f64::from(u8::from(random.uniform() < odds)) - odds;
                        variance += spread_at_odds(odds);
                        odds_evidence(excess, variance, rho) >= 20.0
                    })
                })
                .count();
            assert!(alarms <= 100, "{alarms} of 2000 at {odds}");
            assert!(odds != 0.5 || alarms > 20, "{alarms} of 2000 at {odds}");
        }
    }

    /// Quantiles as printed in Abramowitz and Stegun, table 26.10.
    #[test]
    fn quantiles_of_student() {
        for (freedom, expected) in
            [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (7, 2.365), (11, 2.201), (30, 2.042)]
        {
            near(t_quantile(freedom), expected, 6e-4);
        }
        near(t_quantile(1000), 1.962, 6e-4);
    }

    #[test]
    fn differences_for_a_width() {
        let count = differences_for(0.35, 0.1, 1000).expect("it can be had");
        assert!(half_width(0.35, count) <= 0.1 && half_width(0.35, count - 1) > 0.1);
        assert!((48..=52).contains(&count), "{count}");
        assert_eq!(differences_for(0.35, 0.001, 1000), None);
    }

    /// Each of 2000 sequences of 60 differences of heavy tails without an effect is tested after
    /// every difference; at most a share alpha may alarm.
    #[test]
    fn false_alarms_are_rare_at_every_look() {
        let mut random = narrows_units::Random::stream(1, "false alarms");
        let mut heavy = || {
            let [one, other] = [random.exponential(1.0), random.exponential(1.0)];
            one * one * one - other * other * other
        };
        // The mean square of the difference of two cubes of exponential variables is 2 (720 - 36).
        let rho = tuning(30.0 * 1368.0, 0.1);
        let alarms = (0..2000)
            .filter(|_| {
                let all: Vec<f64> = (0..60).map(|_| heavy()).collect();
                (1..=60).any(|count| evidence(&all[..count], 0.0, rho) >= 20.0)
            })
            .count();
        assert!(alarms <= 100, "{alarms} of 2000");
        assert!(alarms > 5, "a test that never alarms tells nothing: {alarms}");
    }
}
