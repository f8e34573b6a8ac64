//! What a world cannot do, shown at its line of the scenario.

use crate::error::{Problem, ScenarioError};
use crate::files::scenario_text;
use crate::sweep::places;
use std::path::Path;

impl ScenarioError {
    /// A world does not support what stands at a place of a scenario file. `place` is keys from the top of the file, a flow or link by its
    /// name: `flow`, `first`,
    /// `transport`, `tick`. The error shows the line where the file says so: there, in the table for all flows, or in a preset that implies
    /// it.
    pub fn unsupported(
        file: &Path,
        place: &[String],
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ScenarioError {
        let (name, text) = (file.display().to_string(), scenario_text(file).unwrap_or_default());
        let span = places(&text, place).into_iter().next();
        let error = ScenarioError::new(
            *Problem::at(&span.clone().unwrap_or_default(), message, help),
            &name,
            &text,
        );
        if span.is_some() { error } else { error.without_place() }
    }
}
