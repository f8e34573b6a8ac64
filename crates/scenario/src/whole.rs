//! The text of a scenario with all that it asks for appended, as the raw scenario.

use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::{bottleneck, graph, paths, syntax};
use toml_edit::TomlError;

/// The raw scenario; `text` gets the networks of its graph and its path appended, if it has them.
pub(crate) fn read_whole(text: &mut String) -> Checked<RawScenario> {
    let mut raw = read_appended(text)?;
    bottleneck::resolve(&mut raw)?;
    Ok(raw)
}

/// The same as it is written: what the top says of the bottleneck is still there.
pub(crate) fn read_appended(text: &mut String) -> Checked<RawScenario> {
    let mut raw: RawScenario = syntax::read(text)?;
    if let Some(graph) = &raw.graph {
        *text = graph::append(text, graph);
        raw = syntax::read(text)?;
    }
    let Some(path) = &raw.path else { return Ok(raw) };
    let own = text.len();
    *text = paths::append(text, path)?;
    let mut raw: RawScenario = syntax::read(text)?;
    // A short run sees less of a path than a long one.
    let duration = raw.duration.value.0;
    raw.change.retain(|change| change.span.start < own || change.value.at.value.0 < duration);
    Ok(raw)
}

/// Text that is not TOML, in the words of a scenario's own reader where that refuses it too.
pub(crate) fn not_toml(text: &str, error: &TomlError) -> Box<Problem> {
    match syntax::read::<RawScenario>(text) {
        Err(problem) => problem,
        Ok(_) => Problem::at(
            &error.span().unwrap_or(0..0),
            format!("this is not TOML: {}", error.message()),
            "correct this line",
        ),
    }
}
