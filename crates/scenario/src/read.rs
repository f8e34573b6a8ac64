//! Reading a scenario from text or from a file.

use crate::error::ScenarioError;
use crate::files::{ReadFile, read_named, scenario_text};
use crate::paths::PathProfile;
use crate::whole::read_whole;
use crate::{Overrides, Scenario, check};
use std::io;
use std::path::Path;

/// Reads and checks the text of a scenario. `file` is what errors call it; `read` gives the text of the trace files that it names, with
/// paths as it writes them.
pub fn parse(text: &str, file: &str, read: &ReadFile) -> Result<Scenario, ScenarioError> {
    let mut whole = text.to_owned();
    let checked = read_whole(&mut whole).and_then(|mut raw| check::check(&mut raw, file, read));
    checked.map_err(|problem| ScenarioError::new(*problem, file, &whole))
}

/// Reads and checks a scenario file. Paths of traces are relative to its folder.
pub fn load(path: &Path) -> Result<Scenario, ScenarioError> {
    load_with(path, &Overrides::default(), None)
}

/// Reads and checks a scenario file with another network or workload, in which `controller` drives every flow that has a controller, with all
/// that follows from it: names that are not given, and the transport's settings that a controller chooses. As it is the file must be a
/// scenario, too.
pub fn load_with(
    path: &Path,
    overrides: &Overrides,
    controller: Option<&str>,
) -> Result<Scenario, ScenarioError> {
    let file = path.display().to_string();
    let text = scenario_text(path).map_err(|error| ScenarioError::unreadable(&file, &error))?;
    let read = beside(path);
    if controller.is_some() || !overrides.is_empty() {
        parse(&text, &file, &read)?;
    }
    parse_with(&text, &file, overrides, controller, &read)
}

/// The same of a scenario's text.
pub fn parse_with(
    text: &str,
    file: &str,
    overrides: &Overrides,
    controller: Option<&str>,
    read: &ReadFile,
) -> Result<Scenario, ScenarioError> {
    let mut whole = overrides.applied(text, file)?;
    let called = if whole == text { file.to_owned() } else { as_changed(file) };
    let checked = read_whole(&mut whole).and_then(|mut raw| {
        if let Some(controller) = controller {
            raw.flow
                .iter_mut()
                .filter_map(|flow| flow.value.controller.as_mut())
                .for_each(|own| own.value = controller.to_owned());
        }
        check::check(&mut raw, file, read)
    });
    checked.map_err(|problem| ScenarioError::new(*problem, &called, &whole))
}

/// What errors call a file whose text options have changed: its lines are no longer those of the file.
pub(crate) fn as_changed(file: &str) -> String {
    format!("{file} as changed by options")
}

/// Reads the files that the scenario `path` names; relative names begin in its folder.
fn beside(path: &Path) -> impl Fn(&Path) -> io::Result<String> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    move |name| read_named(&folder.join(name))
}

impl PathProfile {
    /// The scenario that is printed.
    pub fn scenario(&self) -> Scenario {
        parse(self.text, self.name, &|_| Err(io::Error::other("paths read no files")))
            .expect("a test reads every path")
    }
}
