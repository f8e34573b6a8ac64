//! PCG32 that a simulation can seed, in place of the registry's `rand_pcg`.
//!
//! BBRv3 of noq and BBR of quinn seed a [`Pcg32`] from the operating system, and have no setter
//! for it. With this crate the seed comes from [`narrows_dice`] within a simulation, and from the
//! given generator everywhere else. So the stacks are the registry's own, byte for byte, and their
//! results repeat.
//!
//! The algorithm is PCG-XSH-RR 64/32 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient
//! Statistically Good Algorithms for Random Number Generation", 2014), with the constructors of
//! `rand_pcg` 0.10.
#![forbid(unsafe_code)]

use rand_core::{Rng, SeedableRng, TryRng};
use std::convert::Infallible;

/// PCG-XSH-RR: 64 bits of state, 32 bits of output.
#[derive(Clone, PartialEq, Eq)]
pub struct Lcg64Xsh32 {
    state: u64,
    increment: u64,
}

/// The name under which users know [`Lcg64Xsh32`].
pub type Pcg32 = Lcg64Xsh32;

const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// Keeps the stream of a seed apart from its state: the golden ratio in 64 bits.
const STREAM: u64 = 0x9e37_79b9_7f4a_7c15;

impl Lcg64Xsh32 {
    /// A generator of this state and stream. The highest bit of `stream` has no effect.
    pub fn new(state: u64, stream: u64) -> Lcg64Xsh32 {
        Lcg64Xsh32::from_state(state, stream << 1 | 1)
    }

    fn from_state(state: u64, increment: u64) -> Lcg64Xsh32 {
        let mut own = Lcg64Xsh32 { state: state.wrapping_add(increment), increment };
        own.step();
        own
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

impl std::fmt::Debug for Lcg64Xsh32 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lcg64Xsh32 {}")
    }
}

impl SeedableRng for Lcg64Xsh32 {
    type Seed = [u8; 16];

    fn from_seed(seed: [u8; 16]) -> Lcg64Xsh32 {
        let seed = u128::from_le_bytes(seed);
        Lcg64Xsh32::from_state(seed as u64, (seed >> 64) as u64 | 1)
    }

    fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Lcg64Xsh32 {
        if let Some(seed) = narrows_dice::take() {
            return Lcg64Xsh32::new(seed, seed ^ STREAM);
        }
        let mut seed = [0; 16];
        rng.fill_bytes(&mut seed);
        Lcg64Xsh32::from_seed(seed)
    }
}

impl TryRng for Lcg64Xsh32 {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let state = self.state;
        self.step();
        Ok(((((state >> 18) ^ state) >> 27) as u32).rotate_right((state >> 59) as u32))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.try_next_u32()?);
        Ok(u64::from(self.try_next_u32()?) << 32 | low)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(4) {
            let word = self.try_next_u32()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the reference implementation (pcg32-demo of github.com/imneme/pcg-c):
    /// state 42, stream 54.
    #[test]
    fn it_gives_the_numbers_of_the_reference_implementation() {
        let mut rng = Pcg32::new(42, 54);
        let drawn: [u32; 6] = std::array::from_fn(|_| rng.next_u32());
        let published =
            [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
        assert_eq!(drawn, published);
    }

    #[test]
    fn within_a_simulation_a_generator_takes_the_seed_of_the_simulation() {
        let mut outside = Pcg32::new(1, 1);
        let seeded = |seed, outside: &mut Pcg32| {
            narrows_dice::seeded(seed, || Pcg32::from_rng(outside)).next_u64()
        };
        let first = seeded(5, &mut outside);
        assert_eq!(first, seeded(5, &mut outside));
        assert_ne!(first, seeded(6, &mut outside));
        assert_ne!(Pcg32::from_rng(&mut outside), Pcg32::from_rng(&mut outside));
    }
}
