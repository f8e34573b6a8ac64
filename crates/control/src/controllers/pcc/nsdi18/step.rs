//! How a gradient becomes a step in the code released with Vivace.
//!
//! Differences from the [paper's step](crate::controllers::pcc::step):
//! * the amplifier grows from the third step in one direction on;
//! * each step below the bound lowers the bound by one increment;
//! * after probes that disagree, the next step counts neither as a reversal nor as a step in the
//!   same direction. Amplifier and bound stay.

/// Largest value of [`StepState::swings`].
const MOST_SWINGS: u32 = 2;
/// Value of [`StepState::trend`] after probes that disagree: the next decision takes one pair of
/// probes, as it does after steps in one direction.
const TREND: u32 = 2;

/// The constants of a step.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Mbit/s of step for a gradient of 1.
    pub theta: f64,
    /// The first bound of a step, as a share of the rate.
    pub omega: f64,
    /// Growth of the bound with each step that reaches it.
    pub delta: f64,
    /// The least step, in Mbit/s.
    pub least: f64,
}

/// Constants of the step, and the state that earlier steps leave.
#[derive(Clone, Copy, Debug)]
pub struct StepState {
    constants: Constants,
    /// The latest step in Mbit/s; 0 before the first, and once probes have disagreed.
    latest: f64,
    /// Amplifier of the step: see [`amplification`].
    amplifier: f64,
    /// Number of increments by which the bound is above omega.
    allowance: u32,
    /// Reversals not yet made up for: each keeps the amplifier from growing once.
    swings: u32,
    /// Steps in one direction. Above 0, one pair of probes decides instead of two.
    trend: u32,
}

impl StepState {
    /// Before the first step.
    pub fn new(constants: Constants) -> StepState {
        StepState { constants, latest: 0.0, amplifier: 0.0, allowance: 0, swings: 0, trend: 0 }
    }

    /// The change of `rate`, both in Mbit/s, for a `gradient` of utility.
    pub fn step(&mut self, gradient: f64, rate: f64) -> f64 {
        let wanted = self.constants.theta * gradient;
        let same = wanted * self.latest > 0.0;
        let reversed = wanted * self.latest < 0.0;
        if reversed {
            self.forget();
            self.swings = (self.swings + 1).min(MOST_SWINGS);
            self.trend = 0;
        }
        let step = self.bounded(wanted * amplification(self.amplifier), rate);
        if same {
            self.trend += 1;
            if self.swings > 0 {
                self.swings -= 1;
            } else {
                self.amplifier += if self.amplifier > 3.0 { 0.5 } else { 1.0 };
            }
        }
        if reversed {
            self.forget();
        }
        self.latest =
            if step == 0.0 { 0.0 } else { step.signum() * step.abs().max(self.constants.least) };
        self.latest
    }

    fn bounded(&mut self, wanted: f64, rate: f64) -> f64 {
        let bound = (self.constants.omega + self.allowance as f64 * self.constants.delta) * rate;
        if wanted.abs() > bound {
            self.allowance += 1;
            return bound * wanted.signum();
        }
        self.allowance = self.allowance.saturating_sub(1);
        wanted
    }

    /// Resets amplifier and bound.
    pub fn forget(&mut self) {
        self.amplifier = 0.0;
        self.allowance = 0;
    }

    /// Probes disagreed, or a step is in doubt.
    pub fn undecided(&mut self) {
        self.latest = 0.0;
        self.trend = TREND;
    }

    /// Lets one pair of probes decide again.
    pub fn go_on(&mut self) {
        self.trend = TREND;
    }

    /// True if one pair of probes decides.
    pub fn has_trend(&self) -> bool {
        self.trend > 0
    }

    /// Names the state.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("direction", if self.latest == 0.0 { 0.0 } else { self.latest.signum() });
        visit("amplifier", self.amplifier);
        visit("swings", self.swings as f64);
        visit("boundary", self.constants.omega + self.allowance as f64 * self.constants.delta);
    }
}

/// Returns the factor of a step: it grows by 1, then 2, 4 and 8 per unit of the amplifier.
fn amplification(amplifier: f64) -> f64 {
    if amplifier < 3.0 {
        amplifier + 1.0
    } else if amplifier < 6.0 {
        2.0 * amplifier - 2.0
    } else if amplifier < 9.0 {
        4.0 * amplifier - 14.0
    } else {
        8.0 * amplifier - 50.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;

    const CODE: Constants = Constants { theta: 1.0, omega: 0.05, delta: 0.06, least: 0.5 };

    #[test]
    fn steps_in_one_direction_grow_from_the_third_on() {
        let mut steps = StepState::new(CODE);
        assert_eq!(
            [(); 12].map(|()| steps.step(1.0, 1000.0)),
            [1.0, 1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0]
        );
    }

    #[test]
    fn small_steps_are_half_a_megabit_and_no_gradient_is_no_step() {
        let mut steps = StepState::new(CODE);
        assert_eq!(
            [0.01, -0.01, 0.0].map(|gradient| steps.step(gradient, 100.0)),
            [0.5, -0.5, 0.0]
        );
    }

    #[test]
    fn the_bound_widens_with_each_step_that_reaches_it_and_narrows_with_each_that_does_not() {
        let mut steps = StepState::new(CODE);
        near(steps.step(80.0, 100.0), 5.0);
        near(steps.step(80.0, 100.0), 11.0);
        near(steps.step(4.0, 100.0), 8.0);
        near(steps.step(80.0, 100.0), 11.0);
    }

    #[test]
    fn a_reversal_forgets_amplifier_and_bound_and_each_delays_the_amplifier_by_a_step() {
        let mut steps = StepState::new(CODE);
        let _ = [(); 4].map(|()| steps.step(80.0, 100.0));
        near(steps.step(-80.0, 100.0), -5.0);
        assert!(!steps.has_trend());
        near(steps.step(-80.0, 100.0), -5.0);
        assert!(steps.has_trend());
        assert_eq!(steps.amplifier, 0.0);
    }

    #[test]
    fn after_probes_that_disagree_a_step_the_other_way_is_no_reversal() {
        let mut steps = StepState::new(CODE);
        let _ = [(); 4].map(|()| steps.step(1.0, 1000.0));
        steps.undecided();
        assert!(steps.has_trend());
        near(steps.step(-1.0, 1000.0), -4.0);
    }
}
