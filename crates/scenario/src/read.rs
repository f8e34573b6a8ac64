//! Reading a scenario from text or from a file.

use crate::error::{Checked, ScenarioError};
use crate::raw::RawScenario;
use crate::{Scenario, check, paths, syntax};
use std::io;
use std::path::Path;

/// How the files that a scenario names are read.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

/// Reads and checks the text of a scenario. `file` is what errors call it; `read` gives the text of the trace files that it names, with paths as it writes them.
pub fn parse(text: &str, file: &str, read: &ReadFile) -> Result<Scenario, ScenarioError> {
    let mut whole = text.to_owned();
    let checked = read_whole(&mut whole).and_then(|raw| check::check(&raw, file, read));
    checked.map_err(|problem| ScenarioError::new(*problem, file, &whole))
}

/// The raw scenario; `text` gets the network of its path appended, if it names one.
pub(crate) fn read_whole(text: &mut String) -> Checked<RawScenario> {
    let raw: RawScenario = syntax::read(text)?;
    let Some(path) = &raw.path else { return Ok(raw) };
    let own = text.len();
    *text = paths::append(text, path)?;
    let mut raw: RawScenario = syntax::read(text)?;
    // A short run sees less of a path than a long one.
    let duration = raw.duration.value.0;
    raw.change.retain(|change| change.span.start < own || change.value.at.value.0 < duration);
    Ok(raw)
}

/// Reads and checks a scenario file. Paths of traces are relative to its folder.
pub fn load(path: &Path) -> Result<Scenario, ScenarioError> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| ScenarioError::unreadable(&file, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&text, &file, &|name| std::fs::read_to_string(folder.join(name)))
}
