//! Least squares: how the round trip changes with the time of sending.

use narrows_units::Span;

/// Running sums of round trips `r` over send times `t`, both in seconds. Round trips are taken
/// relative to the first, so that small changes keep their digits.
#[derive(Clone, Debug, Default)]
pub struct Line {
    n: f64,
    t: f64,
    r: f64,
    tt: f64,
    tr: f64,
    first: f64,
}

impl Line {
    /// A round trip of `rtt` of something sent `after` the beginning.
    pub fn add(&mut self, after: Span, rtt: Span) {
        if self.n == 0.0 {
            self.first = rtt.as_secs_f64();
        }
        let t = after.as_secs_f64();
        let r = rtt.as_secs_f64() - self.first;
        self.n += 1.0;
        self.t += t;
        self.r += r;
        self.tt += t * t;
        self.tr += t * r;
    }

    /// Seconds of round trip per second of sending; 0 for fewer than two points, or if all left at
    /// one time.
    pub fn slope(&self) -> f64 {
        let spread = self.n * self.tt - self.t * self.t;
        if self.n < 2.0 || spread <= 0.0 {
            0.0
        } else {
            (self.n * self.tr - self.t * self.r) / spread
        }
    }

    /// The mean round trip in seconds; 0 without any.
    pub fn mean(&self) -> f64 {
        if self.n == 0.0 { 0.0 } else { self.first + self.r / self.n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(u64, u64)]) -> Line {
        let mut line = Line::default();
        for (t, r) in points {
            line.add(Span::from_micros(*t), Span::from_micros(*r));
        }
        line
    }

    #[test]
    fn the_slope_is_that_of_least_squares() {
        // Means 15 ms and 31 ms: products -15 * -1 + -5 * 0 + 5 * 0 + 15 * 1 = 30, squares 500.
        let slope =
            line(&[(0, 30_000), (10_000, 31_000), (20_000, 31_000), (30_000, 32_000)]).slope();
        assert!((slope - 0.06).abs() < 1e-12, "{slope}");
        let falling = line(&[(0, 40_000), (10_000, 39_900)]).slope();
        assert!((falling + 0.01).abs() < 1e-12, "{falling}");
    }

    #[test]
    fn the_mean_is_that_of_the_round_trips() {
        let line = line(&[(0, 30_000), (1, 34_000), (2, 30_000), (3, 34_000)]);
        assert!((line.mean() - 0.032).abs() < 1e-12, "{line:?}");
    }

    #[test]
    fn fewer_than_two_send_times_have_no_slope() {
        assert_eq!(line(&[]).slope(), 0.0);
        assert_eq!(line(&[(5, 30_000)]).slope(), 0.0);
        assert_eq!(line(&[(5, 30_000), (5, 31_000)]).slope(), 0.0);
        assert_eq!(line(&[]).mean(), 0.0);
    }
}
