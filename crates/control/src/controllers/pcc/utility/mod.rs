//! Utility functions: what an interval was worth.
//!
//! A new one is a file here and a line of [`UTILITY`]; its own parameters, if it has any, join
//! those of `vivace`.

mod contract;
mod gradient;
mod latency_aware;
mod latency_target;
mod proportional;
mod released;
mod safe;
mod scavenger;
mod vivace;

pub use contract::{Build, Utility};
pub use gradient::{Filter, Gradient};
pub use latency_aware::LatencyAware;
pub use latency_target::TARGET_MS;
pub use proportional::WEIGHT;
#[cfg(test)]
pub use released::BINARY;
pub use released::Released;
pub use safe::Safe;
pub use vivace::{EXPONENT, GRADIENT_FILTER, LATENCY_PRICE, LOSS_PRICE, NEGATIVE_GRADIENT, Vivace};

use narrows_params::Param;

/// The utility function that `vivace` follows, by name.
pub const UTILITY: Param<Build> = Param::choice(
    "utility",
    "vivace",
    &[vivace::LINE, proportional::LINE, scavenger::LINE, latency_target::LINE, safe::LINE],
    "utility to maximise",
);
