//! Reads the raw scenario, with the networks of `[graph]` and `path` appended to its text.

use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::{bottleneck, graph, paths, syntax};
use toml_edit::TomlError;

/// Reads the raw scenario, and moves the top-level bottleneck keys into their link. Appends the
/// networks of its graph and its path to `text`.
pub(crate) fn read_whole(text: &mut String) -> Checked<RawScenario> {
    let mut raw = read_appended(text)?;
    bottleneck::resolve(&mut raw)?;
    Ok(raw)
}

/// Reads the raw scenario, but leaves the top-level bottleneck keys where they are.
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
    // Drop changes of the path that come after the end of a short run.
    let duration = raw.duration.value.0;
    raw.change.retain(|change| change.span.start < own || change.value.at.value.0 < duration);
    Ok(raw)
}

/// Explains text that is not TOML, with the message of the scenario reader if that refuses the text
/// too.
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
