//! The maximum of a quantity over a sliding window, in constant space (Linux `lib/win_minmax.c`,
//! after Kathleen Nichols).

use std::num::Wrapping;
use std::ops::{Div, Sub};

/// The largest value of the last `window` time units, whatever the unit: rounds, microseconds,
/// cycles.
///
/// Kept are the best value and two later ones that will succeed it when it leaves the window, taken
/// from the second quarter and the last half of the window: the answer may fall early by part of a
/// window, and is never larger than the true maximum.
#[derive(Clone, Copy, Debug)]
pub struct WindowedMax<T, A = u32> {
    best: [Sample<T, A>; 3],
}

/// A value and the time that it was taken at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<T, A = u32> {
    /// The time.
    pub at: A,
    /// The value.
    pub value: T,
}

/// A count of time units. [`Wrapping`] counts begin again at 0; the others come in order.
pub trait Count: Copy + Sub<Output = Self> + Div<Output = Self> + PartialOrd {
    /// So many units.
    fn of(count: u8) -> Self;
}

impl Count for u32 {
    fn of(count: u8) -> u32 {
        count.into()
    }
}

impl Count for u64 {
    fn of(count: u8) -> u64 {
        count.into()
    }
}

impl Count for Wrapping<u32> {
    fn of(count: u8) -> Wrapping<u32> {
        Wrapping(count.into())
    }
}

impl<T: Copy + PartialOrd, A: Count> WindowedMax<T, A> {
    /// A filter that has seen `value` at time `at`.
    pub fn new(at: A, value: T) -> WindowedMax<T, A> {
        WindowedMax { best: [Sample { at, value }; 3] }
    }

    /// A filter that keeps these: the best, and the two that will succeed it.
    pub fn resume(best: [Sample<T, A>; 3]) -> WindowedMax<T, A> {
        WindowedMax { best }
    }

    /// The best value kept, and the two that will succeed it.
    pub fn best(&self) -> &[Sample<T, A>; 3] {
        &self.best
    }

    /// The maximum as of the last update.
    pub fn get(&self) -> T {
        self.best[0].value
    }

    /// Takes in `value` at time `at`, not before the last update.
    pub fn update(&mut self, window: A, at: A, value: T) {
        let sample = Sample { at, value };
        let [first, second, third] = self.best;
        if value >= first.value || at - third.at > window {
            self.best = [sample; 3];
            return;
        }
        if value >= second.value {
            self.best = [first, sample, sample];
        } else if value >= third.value {
            self.best[2] = sample;
        }
        self.age(window, sample);
    }

    /// Lets successors move up as the best grows old.
    fn age(&mut self, window: A, sample: Sample<T, A>) {
        let [first, second, third] = self.best;
        let age = sample.at - first.at;
        if age > window {
            self.best = [second, third, sample];
            if sample.at - second.at > window {
                self.best = [third, sample, sample];
            }
        } else if second.at == first.at && age > window / A::of(4) {
            self.best = [first, sample, sample];
        } else if third.at == second.at && age > window / A::of(2) {
            self.best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_lasts_its_window_and_successors_follow() {
        let mut max = WindowedMax::new(0_u32, 0u32);
        max.update(10, 0, 100);
        for (at, value) in [(1, 50), (3, 90), (6, 80), (10, 70)] {
            max.update(10, at, value);
            assert_eq!(max.get(), 100, "at {at}");
        }
        max.update(10, 11, 10);
        assert_eq!(max.get(), 90, "from the second quarter");
        max.update(10, 14, 10);
        assert_eq!(max.get(), 80, "from the last half");
    }

    #[test]
    fn a_new_maximum_replaces_everything() {
        let mut max = WindowedMax::new(0_u32, 5u32);
        max.update(10, 1, 3);
        max.update(10, 2, 9);
        max.update(10, 12, 1);
        assert_eq!(max.get(), 9);
        max.update(10, 13, 1);
        assert_eq!(max.get(), 1);
    }

    #[test]
    fn silence_for_a_window_forgets() {
        let mut max = WindowedMax::new(0_u32, 100u32);
        max.update(10, 50, 1);
        assert_eq!(max.get(), 1);
    }

    #[test]
    fn it_is_never_above_and_lags_at_most_a_window_below_the_true_maximum() {
        let mut random = narrows_units::Random::stream(1, "windowed");
        let mut max = WindowedMax::new(0, 0u64);
        let mut seen: Vec<(u32, u64)> = vec![(0, 0)];
        for at in 1..5_000 {
            let value = random.below(1_000);
            seen.push((at, value));
            max.update(10, at, value);
            let over = |window: u32| {
                seen.iter()
                    .filter(|(then, _)| at - then <= window)
                    .map(|(_, value)| *value)
                    .max()
                    .unwrap()
            };
            assert!(max.get() <= over(10) && max.get() >= over(0), "at {at}");
        }
    }
}
