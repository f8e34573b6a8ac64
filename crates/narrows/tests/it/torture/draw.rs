//! Random draws that every class needs.

use narrows_units::Random;

/// Further kinds of random draws.
pub trait Draw {
    /// Draws an element of a list.
    fn pick<T: Clone>(&mut self, from: &[T]) -> T;
    /// Draws a whole number from `low` to `high`, both included.
    fn between(&mut self, low: u64, high: u64) -> u64;
    /// Draws a number between two, uniformly on a logarithmic scale.
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
