//! How far a gradient moves the rate (Vivace, section 5): confidence amplifier, swing buffer,
//! dynamic change boundary.

/// The most reversals that the swing buffer remembers (PCC-Uspace, NSDI-2018).
const MOST_SWINGS: u32 = 2;

/// m of equation 4: how much the step grows with the number of steps in one direction.
pub fn amplification(confidence: f64) -> f64 {
    if confidence <= 3.0 {
        confidence
    } else if confidence <= 6.0 {
        2.0 * confidence - 3.0
    } else if confidence <= 9.0 {
        4.0 * confidence - 15.0
    } else {
        8.0 * confidence - 51.0
    }
}

/// The constants of a step.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Mbit/s of step for a gradient of 1.
    pub theta: f64,
    /// The first bound of a step, as a share of the rate.
    pub omega: f64,
    /// Growth of the bound with each step that reaches it.
    pub delta: f64,
    /// Steps in one direction amplify; otherwise all count once.
    pub amplifier: bool,
    /// Reversals hold the amplifier back.
    pub swing_buffer: bool,
}

/// State that earlier steps leave.
#[derive(Clone, Copy, Debug)]
pub struct Stepper {
    constants: Constants,
    /// Direction of the latest step: 1 up, -1 down, 0 before the first.
    direction: f64,
    /// Steps in that direction, as the amplifier counts them.
    confidence: f64,
    swings: u32,
    /// Steps that widened the bound.
    k: u32,
}

impl Stepper {
    /// Before the first step.
    pub fn new(constants: Constants) -> Stepper {
        Stepper { constants, direction: 0.0, confidence: 0.0, swings: 0, k: 0 }
    }

    /// The change of `rate`, both in Mbit/s, for a `gradient` of utility. A gradient of zero
    /// changes nothing, and is no change of direction.
    pub fn step(&mut self, gradient: f64, rate: f64) -> f64 {
        if gradient == 0.0 || !gradient.is_finite() {
            return 0.0;
        }
        self.turn(if gradient > 0.0 { 1.0 } else { -1.0 });
        let amplification =
            if self.constants.amplifier { amplification(self.confidence) } else { 1.0 };
        let wanted = self.constants.theta * amplification * gradient;
        self.bounded(wanted.abs(), rate) * self.direction
    }

    fn turn(&mut self, direction: f64) {
        if direction == self.direction {
            if self.swings > 0 {
                self.swings -= 1;
            } else {
                self.confidence += 1.0;
            }
            return;
        }
        if self.direction != 0.0 && self.constants.swing_buffer {
            self.swings = (self.swings + 1).min(MOST_SWINGS);
        }
        self.direction = direction;
        self.confidence = 1.0;
        self.k = 0;
    }

    /// The size of a step of `wanted` within the bound, which a step that reaches it widens.
    fn bounded(&mut self, wanted: f64, rate: f64) -> f64 {
        let Constants { omega, delta, .. } = self.constants;
        let bound = (omega + self.k as f64 * delta) * rate;
        if wanted > bound {
            self.k += 1;
            return bound;
        }
        let excess = wanted / rate - omega;
        self.k = if excess > 0.0 { libm::ceil(excess / delta) as u32 } else { 0 };
        wanted
    }

    /// Names the state.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("direction", self.direction);
        visit("confidence", self.confidence);
        visit("swings", self.swings as f64);
        visit("boundary", self.constants.omega + self.k as f64 * self.constants.delta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;

    const PAPER: Constants =
        Constants { theta: 1.0, omega: 0.05, delta: 0.1, amplifier: true, swing_buffer: true };

    #[test]
    fn the_amplifier_has_four_pieces() {
        let pieces = [1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 9.0, 10.0, 12.0].map(amplification);
        assert_eq!(pieces, [1.0, 2.0, 3.0, 5.0, 9.0, 13.0, 21.0, 29.0, 45.0]);
    }

    #[test]
    fn steps_in_one_direction_grow() {
        let mut stepper = Stepper::new(PAPER);
        let steps = [(); 7].map(|()| stepper.step(0.5, 1000.0));
        assert_eq!(steps, [0.5, 1.0, 1.5, 2.5, 3.5, 4.5, 6.5]);
        let mut plain = Stepper::new(Constants { amplifier: false, ..PAPER });
        assert_eq!([(); 4].map(|()| plain.step(0.5, 1000.0)), [0.5; 4]);
    }

    #[test]
    fn a_step_that_reaches_the_bound_widens_it_and_one_that_does_not_narrows_it() {
        let mut stepper = Stepper::new(Constants { amplifier: false, ..PAPER });
        near(stepper.step(80.0, 100.0), 5.0);
        near(stepper.step(80.0, 100.0), 15.0);
        near(stepper.step(80.0, 100.0), 25.0);
        near(stepper.step(80.0, 100.0), 35.0);
        // 20 <= (0.05 + 2 * 0.1) * 100: the bound is that of k = 2.
        near(stepper.step(20.0, 100.0), 20.0);
        near(stepper.step(80.0, 100.0), 25.0);
        near(stepper.step(3.0, 100.0), 3.0);
        near(stepper.step(80.0, 100.0), 5.0);
    }

    #[test]
    fn a_change_of_direction_starts_amplifier_and_bound_anew() {
        let mut stepper = Stepper::new(PAPER);
        let _ = [(); 4].map(|()| stepper.step(80.0, 100.0));
        near(stepper.step(-80.0, 100.0), -5.0);
        assert_eq!((stepper.confidence, stepper.k), (1.0, 1));
    }

    #[test]
    fn each_reversal_holds_the_amplifier_back_for_one_step() {
        let mut stepper = Stepper::new(PAPER);
        let signs = [1.0, -1.0, 1.0, 1.0, 1.0, 1.0];
        let steps = signs.map(|sign| stepper.step(sign, 1000.0));
        assert_eq!(steps, [1.0, -1.0, 1.0, 1.0, 1.0, 2.0]);
        let mut free = Stepper::new(Constants { swing_buffer: false, ..PAPER });
        assert_eq!(signs.map(|sign| free.step(sign, 1000.0)), [1.0, -1.0, 1.0, 2.0, 3.0, 5.0]);
    }

    #[test]
    fn a_zero_gradient_changes_nothing() {
        let mut stepper = Stepper::new(PAPER);
        let _ = [(); 2].map(|()| stepper.step(80.0, 100.0));
        near(stepper.step(0.0, 100.0), 0.0);
        assert_eq!((stepper.confidence, stepper.k, stepper.direction), (2.0, 2, 1.0));
    }
}
