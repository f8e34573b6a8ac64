//! The highest bandwidth of this probing cycle and the one before (sections 5.5.3 to 5.5.6,
//! `bw_hi`).

/// The maximum filter. Its time is counted in cycles, not in seconds or rounds.
#[derive(Clone, Debug, Default)]
pub struct MaxBandwidth {
    previous: u32,
    current: u32,
}

impl MaxBandwidth {
    /// The maximum; 0 before the first sample.
    pub fn get(&self) -> u32 {
        self.previous.max(self.current)
    }

    /// Takes in a sample. A sample limited by the application is a lower bound: it counts only
    /// above the maximum (`UpdateMaxBw`, section 5.5.5; `bbr_take_max_bw_sample`).
    pub fn update(&mut self, bandwidth: u32, app_limited: bool) {
        if !app_limited || bandwidth >= self.get() {
            self.current = self.current.max(bandwidth);
        }
    }

    /// A cycle is over; if it had no sample, the one before still counts (`AdvanceMaxBwFilter`,
    /// section 5.5.6; `bbr_advance_max_bw_filter`).
    pub fn advance(&mut self) {
        if self.current > 0 {
            self.previous = std::mem::take(&mut self.current);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_lasts_this_cycle_and_the_next() {
        let mut max = MaxBandwidth::default();
        max.update(100, false);
        max.advance();
        max.update(60, false);
        assert_eq!(max.get(), 100);
        max.advance();
        assert_eq!(max.get(), 60);
    }

    #[test]
    fn a_cycle_without_samples_forgets_nothing() {
        let mut max = MaxBandwidth::default();
        max.update(100, false);
        for _ in 0..5 {
            max.advance();
            assert_eq!(max.get(), 100);
        }
    }

    #[test]
    fn a_limited_sample_counts_only_as_a_new_maximum() {
        let mut max = MaxBandwidth::default();
        max.update(100, false);
        max.advance();
        max.update(99, true);
        max.advance();
        assert_eq!(max.get(), 100, "nothing came in");
        max.update(101, true);
        assert_eq!(max.get(), 101);
    }
}
