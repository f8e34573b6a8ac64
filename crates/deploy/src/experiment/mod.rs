//! The file that describes an experiment.

mod check;
mod description;
mod metrics;
mod raw;
mod select;
pub mod time;

pub use check::Controllers;
pub use description::{
    Design, DesignKind, EXPOSED, Experiment, Kept, On, OpenConnections, Planned, RollBack, Stop,
};
pub use metrics::{Bound, Judged, Metric, Unit};
pub use select::{End, Ports, Prefix, Select, Unit as DrawnBy};

use narrows_scenario::ScenarioError;
use narrows_scenario::written::{Problem, read};

impl Experiment {
    /// Reads an experiment. Errors call the text `file`; `controllers` tells of a controller's name
    /// whether there is such a controller.
    ///
    /// # Errors
    ///
    /// The text is not an experiment; the error has the place and the remedy.
    pub fn read(
        text: &str,
        file: &str,
        controllers: Controllers,
    ) -> Result<Experiment, ScenarioError> {
        let checked = read::<raw::Raw>(text).and_then(|raw| check::check(raw, controllers));
        checked.map_err(|problem: Box<Problem>| ScenarioError::new(*problem, file, text))
    }
}
