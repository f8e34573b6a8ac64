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
use narrows_scenario::written::{Checked, Problem, read};

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
        let checked = refuse_scenario(text)
            .and_then(|()| read::<raw::Raw>(text))
            .and_then(|raw| check::check(raw, controllers));
        checked.map_err(|problem: Box<Problem>| ScenarioError::new(*problem, file, text))
    }
}

/// Refuses a scenario in the place of an experiment.
fn refuse_scenario(text: &str) -> Checked<()> {
    let headings = ["[[link]]", "[[flow]]", "[[request]]", "[[icn]]"];
    let mut lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim_end());
    let Some(heading) = lines.find(|line| headings.contains(line)) else {
        return Ok(());
    };
    let start = text.find(heading).unwrap_or_default();
    Err(Problem::at(
        &(start..start + heading.len()),
        "this is a scenario, which describes a network; an experiment is expected here",
        "give a file with name, treatment and, below [plan], scenario = \"FILE.toml\" (docs/how-to/deploy.md)",
    ))
}
