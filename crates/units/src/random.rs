//! Seeded random draws: one independent stream per random element of a run.

use crate::Span;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random draws (xoshiro256++), fixed by a seed and the name of the element that draws.
/// Streams of different names are independent, so adding an element to a run changes no other
/// element's draws.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream of the element called `name` in a run with `seed`.
    pub fn stream(seed: u64, name: &str) -> Random {
        // FNV-1a, a fixed public hash: the standard library's may change between releases.
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for byte in seed.to_le_bytes().into_iter().chain(name.bytes()) {
            hash = (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Random(Xoshiro256PlusPlus::seed_from_u64(hash))
    }

    /// A uniform draw of 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), on a grid of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Uniform in 0..n; 0 if `n` is 0. The bias is below n / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.bits() as u128 * n as u128) >> 64) as u64
    }

    /// Uniform from zero up to, not including, `limit`.
    #[inline]
    pub fn span_below(&mut self, limit: Span) -> Span {
        Span::from_nanos(self.below(limit.as_nanos()))
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log1p(-self.uniform()));
        radius * libm::cos(2.0 * std::f64::consts::PI * self.uniform())
    }

    /// Poisson with this mean, below 700, by inversion.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        debug_assert!((0.0..700.0).contains(&mean), "a mean of {mean}");
        let draw = self.uniform();
        let mut term = libm::exp(-mean);
        let mut sum = term;
        let mut count = 0;
        // The terms fall below the grid of `draw` before the count is large.
        while draw >= sum && term > 0.0 {
            count += 1;
            term *= mean / count as f64;
            sum += term;
        }
        count
    }

    /// Exponential with this mean, by inversion.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.uniform())
    }
}
