//! The contract of utility functions.

use crate::controllers::pcc::interval::Statistics;
use narrows_params::Params;

/// The worth of an interval. Only differences matter, and their size where the rate follows the
/// gradient.
pub trait Utility: Send {
    /// The utility of an interval with these statistics.
    fn of(&self, statistics: &Statistics) -> f64;
}

/// Makes a utility function of the parameters that concern it.
pub type Build = fn(&Params) -> Box<dyn Utility>;
