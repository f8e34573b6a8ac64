//! The window law of FAST (Jin, Wei and Low, INFOCOM 2004, equation 6) as it was published: without a queue the window doubles per round trip, else it moves in every other round trip.

use super::Told;
use narrows_params::Params;

/// The law.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    alpha: f64,
    gamma: f64,
    /// Queueing delay below which there is no queue, in seconds.
    threshold: f64,
    next_update: f64,
}

impl Fast {
    /// With the parameters of the controller; none without a number for alpha.
    pub(super) fn new(params: &Params) -> Option<Fast> {
        let alpha = params.number_or("alpha")?;
        Some(Fast { alpha, gamma: params.number("gamma"), threshold: params.number("mi_threshold") / 1e3, next_update: 0.0 })
    }

    pub(super) fn step(&mut self, w: f64, told: &Told) -> f64 {
        let rtt = told.base + told.wait;
        if told.wait < self.threshold {
            self.next_update = told.now + 2.0 * rtt;
            return w + told.packets;
        }
        if told.now < self.next_update {
            return w;
        }
        self.next_update = told.now + 2.0 * rtt;
        ((1.0 - self.gamma) * w + self.gamma * (told.past * told.base / rtt + self.alpha)).min(2.0 * w)
    }
}
