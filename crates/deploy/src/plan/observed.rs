//! The observation of a host, from which a plan takes the noise of its traffic.

use super::job::Timing;
use crate::experiment::Metric;
use crate::measured::Classes;
use crate::trial::Trial;

/// The observation of a host: pairs of periods in which all had the control.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Means of the classes of size.
    pub classes: Classes,
    /// Standard deviation of a pair's difference in the first metric of the plan.
    pub deviation: f64,
    /// Timing of the periods.
    pub timing: Timing,
}

impl Observed {
    /// Returns the observation of an experiment; `None` if it is not over, or has no such metric or
    /// no pair that counts.
    pub fn of(trial: &Trial, metric: Metric) -> Option<Observed> {
        let (period, burn_in, burn_out) = trial.timing();
        Some(Observed {
            classes: trial.classes()?.clone(),
            deviation: trial.observed_deviation(metric).filter(|own| *own > 0.0)?,
            timing: Timing { period, burn_in, burn_out },
        })
    }
}
