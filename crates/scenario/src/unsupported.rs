//! Errors about parts of a scenario that a world does not support, shown at their line.

use crate::error::{Problem, ScenarioError};
use crate::files::scenario_text;
use crate::sweep::places;
use std::path::Path;

impl ScenarioError {
    /// Makes the error that a world does not support a part of a scenario file. `place` has the
    /// keys from the top of the file, with a flow or link by its name: `flow`, `first`,
    /// `transport`, `tick`. The error shows the line that sets the part: the key itself, the table
    /// for all flows, or a preset that implies it.
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
