//! PROBE_BW: the cycle of pacing gains (section 4.3.4).

use crate::controllers::bbr::common::UNIT;
use narrows_units::Random;

/// `bbr_pacing_gain`: probe for more, drain the queue of that, then cruise.
const GAINS: [u32; 8] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];

/// The phase of the cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    phase: usize,
    /// When it began, in µs.
    began: u64,
}

impl Cycle {
    /// Begins at `now` (µs) in a random phase other than the one that drains
    /// (`bbr_reset_probe_bw_mode`, `bbr_cycle_rand`; section 4.3.4.2).
    pub fn start(&mut self, random: &mut Random, now: u64) {
        self.phase = GAINS.len() - 1 - random.below(GAINS.len() as u64 - 1) as usize;
        self.advance(now);
    }

    /// The next phase begins at `now` (µs) (`bbr_advance_cycle_phase`).
    pub fn advance(&mut self, now: u64) {
        self.phase = (self.phase + 1) % GAINS.len();
        self.began = now;
    }

    /// The pacing gain.
    pub fn gain(&self) -> u32 {
        GAINS[self.phase]
    }

    /// True in the phase of gain 1.25.
    pub fn probes(&self) -> bool {
        self.phase == 0
    }

    /// How long the phase has lasted, in µs.
    pub fn elapsed(&self, now: u64) -> u64 {
        now.saturating_sub(self.began)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_cycle() {
        let mut cycle = Cycle::default();
        let mut gains = Vec::new();
        for now in 0..9 {
            gains.push(cycle.gain());
            cycle.advance(now);
        }
        assert_eq!(gains, [320, 192, 256, 256, 256, 256, 256, 256, 320]);
        assert_eq!(cycle.elapsed(20), 12);
    }

    #[test]
    fn it_starts_in_every_phase_but_the_one_that_drains() {
        let mut random = Random::stream(7, "test");
        let mut seen = [0; 8];
        for _ in 0..1_000 {
            let mut cycle = Cycle::default();
            cycle.start(&mut random, 0);
            seen[cycle.phase] += 1;
        }
        assert_eq!(seen[1], 0);
        assert!(
            seen.iter().enumerate().all(|(phase, count)| phase == 1 || *count > 100),
            "{seen:?}"
        );
    }
}
