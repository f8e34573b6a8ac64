//! The result of an experiment on a host: its summary, its table of periods, and its page.

mod figures;
mod page;
mod summary;
mod table;
mod text;

pub use page::page;
pub use summary::{Effect, MetricResult, Planned, Summary};
pub use table::table;
pub use text::status_text;

use crate::experiment::Experiment;
use crate::state::State;
use crate::trial::Trial;

/// Everything that a result is made of.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its periods.
    pub trial: &'a Trial,
    /// Its latest state.
    pub state: &'a State,
    /// The summary of a plan of this experiment, if there is one.
    pub plan: Option<&'a serde_json::Value>,
}
