//! When the path counts as free of a queue, and whether the window doubles then.

use super::delay::Delay;
use super::params::{Doubling, FREE_QUEUE, FREE_SHARE, MI, MI_THRESHOLD};
use narrows_params::{ParamError, Params};

/// The rule.
#[derive(Clone, Copy, Debug)]
pub struct Free {
    published: bool,
    /// Queueing delay below which there is no queue, in seconds.
    threshold: f64,
    /// So is a queue of less than this part of α.
    queue: f64,
    /// α as a part of the window while no α is set, once the start is over.
    pub share: f64,
}

/// Refuses parts of our rule with the published one.
pub fn check(params: &Params) -> Result<(), ParamError> {
    if params.get(&MI) == Doubling::Published {
        for param in [FREE_QUEUE, FREE_SHARE] {
            params.refuse(&param, "left out with mi=published, which has no such part")?;
        }
    }
    Ok(())
}

impl Free {
    /// The path never counts as free: the law alone moves the window.
    pub const NEVER: Free = Free { published: false, threshold: 0.0, queue: 0.0, share: 0.0 };

    /// As the parameters say.
    pub fn new(params: &Params) -> Result<Free, ParamError> {
        check(params)?;
        Ok(Free {
            published: params.get(&MI) == Doubling::Published,
            threshold: params.get(&MI_THRESHOLD) / 1e3,
            queue: params.get(&FREE_QUEUE),
            share: params.get(&FREE_SHARE),
        })
    }

    /// True if next to nothing is queued of a flow with `flight` packets under way.
    pub fn is_free(&self, delay: &Delay, flight: f64, alpha: f64) -> bool {
        if self.published {
            delay.mean().is_some_and(|(base, rtt)| rtt - base < self.threshold)
        } else {
            delay.least().is_some_and(|least| self.is_short(least, flight, alpha))
        }
    }

    /// True if a window of `cwnd` packets doubles on a path without queue: at the start, or always.
    pub fn doubles(&self, cwnd: f64, threshold: f64) -> bool {
        self.published || cwnd < threshold
    }

    /// True if the round that ends and the one before show a queue, which ends the start.
    pub fn start_ends(&self, delay: &Delay, flight: f64, alpha: f64) -> bool {
        !self.published
            && delay.least_of_two().is_some_and(|least| !self.is_short(least, flight, alpha))
    }

    /// True if a round trip of `rtt` seconds means that next to nothing is queued.
    fn is_short(&self, (base, rtt): (f64, f64), flight: f64, alpha: f64) -> bool {
        let queueing = rtt - base;
        let queued = flight * (rtt - base) / rtt;
        self.threshold > 0.0
            && (queued < alpha * self.queue || (queueing < self.threshold && queued < alpha / 2.0))
    }
}
