//! The sensitivity of a flow to congestion, which grows with its rate, and the thresholds that
//! follow from it.

use super::profile::{Constants, MOST_DELAY};
use narrows_units::Span;

/// Rates in bytes per second at which the slope changes.
const NONE_BELOW: f64 = 50_000.0;
const KNEE_AT: f64 = 1_000_000.0;
const FULL_FROM: f64 = 10_000_000.0;

/// The sensitivity, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity(f64);

impl Sensitivity {
    /// At a nominal rate in bytes per second ("Variable Sensitivity", `c4_sensitivity_1024`).
    pub fn at(rate: f64, constants: &Constants) -> Sensitivity {
        let knee = constants.knee;
        Sensitivity(if rate < NONE_BELOW {
            0.0
        } else if rate < KNEE_AT {
            knee * (rate - NONE_BELOW) / (KNEE_AT - NONE_BELOW)
        } else if rate < FULL_FROM {
            knee + (1.0 - knee) * (rate - KNEE_AT) / (FULL_FROM - KNEE_AT)
        } else {
            1.0
        })
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Average loss rate above which losses are congestion.
    pub fn loss_threshold(self) -> f64 {
        0.02 + 0.5 * (1.0 - self.0)
    }

    /// Average share of marks above which they are congestion.
    pub fn mark_threshold(self) -> f64 {
        (2.0 - self.0) * 3.0 / 32.0
    }

    /// Time above the longest round trip `max` beyond which delay is congestion.
    pub fn delay_threshold(self, max: Span, constants: &Constants) -> Span {
        let part = 1.0 / 16.0 + (1.0 - self.0) * constants.delay_span;
        Span::from_secs_f64(part * max.as_secs_f64()).min(MOST_DELAY)
    }
}
