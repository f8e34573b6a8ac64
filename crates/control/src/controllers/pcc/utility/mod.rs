//! Utility functions: what an interval was worth.
//!
//! A new one is a file here and a line of [`UTILITIES`]; its own parameters, if it has any, join those of `vivace`.

mod gradient;
mod latency_target;
mod proportional;
mod released;
mod safe;
mod scavenger;
mod vivace;

pub use gradient::{Filter, Gradient};
pub use released::{BINARY, Released};
pub use safe::Safe;
pub use vivace::Vivace;

use super::interval::Statistics;
use narrows_params::Params;

/// What an interval was worth. Only differences matter, and their size where the rate follows the gradient.
pub trait Utility: Send {
    /// The utility of an interval with these statistics.
    fn of(&self, statistics: &Statistics) -> f64;
}

/// Makes a utility function of the parameters that concern it.
type Build = fn(&Params) -> Box<dyn Utility>;

/// The utility functions that `vivace` can follow, by name.
const UTILITIES: [(&str, Build); 4] = [vivace::LINE, proportional::LINE, scavenger::LINE, latency_target::LINE];

/// The names of all.
pub const NAMES: &[&str] = &names();

const fn names() -> [&'static str; UTILITIES.len()] {
    let mut names = [""; UTILITIES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = UTILITIES[i].0;
        i += 1;
    }
    names
}

/// The utility function that the parameter `utility` names.
pub fn chosen(params: &Params) -> Box<dyn Utility> {
    let name = params.choice("utility");
    let (_, build) = UTILITIES.iter().find(|(known, _)| *known == name).expect("a choice of the names");
    build(params)
}
