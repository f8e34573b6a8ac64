//! Draws that every class needs.

use narrows_units::Random;

/// More ways to draw.
pub trait Draw {
    /// One of a list.
    fn pick<T: Clone>(&mut self, from: &[T]) -> T;
    /// A whole number from `low` to `high`, both possible.
    fn between(&mut self, low: u64, high: u64) -> u64;
    /// A number between two, spread evenly over its orders of magnitude.
    fn scaled(&mut self, low: f64, high: f64) -> f64;
}

impl Draw for Random {
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    fn scaled(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.uniform())
    }
}
