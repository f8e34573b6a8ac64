//! The part of a measured change of the round trip that counts.

/// The rule for noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filter {
    /// Slopes below this size count as none (Vivace, section 5; WebRTC
    /// `modules/congestion_controller/pcc`).
    Below(f64),
    /// Slopes count in whole steps of this size, towards zero (PCC-Uspace, NSDI-2018).
    Steps(f64),
}

/// How the change of the round trip enters a utility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// The rule for noise.
    pub filter: Filter,
    /// A falling round trip is a reward; otherwise it counts as steady.
    pub reward: bool,
}

impl Gradient {
    /// The part of `slope` that counts, in seconds per second.
    pub fn of(&self, slope: f64) -> f64 {
        let slope = if self.reward { slope } else { slope.max(0.0) };
        match self.filter {
            Filter::Below(least) if slope.abs() < least => 0.0,
            Filter::Below(_) => slope,
            Filter::Steps(step) => libm::trunc(slope / step) * step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_slopes_are_noise_and_large_ones_count_in_full() {
        let gradient = Gradient { filter: Filter::Below(0.01), reward: true };
        assert_eq!(
            [0.0099, -0.0099, 0.01, -0.03].map(|slope| gradient.of(slope)),
            [0.0, 0.0, 0.01, -0.03]
        );
    }

    #[test]
    fn steps_go_towards_zero() {
        let gradient = Gradient { filter: Filter::Steps(0.02), reward: true };
        assert_eq!(
            [0.019, -0.019, 0.03, -0.05].map(|slope| gradient.of(slope)),
            [0.0, 0.0, 0.02, -0.04]
        );
    }

    #[test]
    fn a_falling_round_trip_may_be_no_reward() {
        let gradient = Gradient { filter: Filter::Below(0.01), reward: false };
        assert_eq!([-0.5, 0.5].map(|slope| gradient.of(slope)), [0.0, 0.5]);
    }
}
