//! Reads scenarios from text and from files.

use crate::error::ScenarioError;
use crate::files::{ReadFile, read_named, scenario_text};
use crate::paths::PathProfile;
use crate::whole::read_whole;
use crate::{Overrides, Scenario, check};
use std::io;
use std::path::Path;

/// Reads and checks the text of a scenario. Errors call the text `file`; `read` reads the trace
/// files that it names, with paths as they are written.
pub fn parse(text: &str, file: &str, read: &ReadFile) -> Result<Scenario, ScenarioError> {
    let mut whole = text.to_owned();
    let checked = read_whole(&mut whole).and_then(|mut raw| check::check(&mut raw, file, read));
    checked.map_err(|problem| ScenarioError::new(*problem, file, &whole))
}

/// Reads and checks a scenario file. Paths of traces are relative to its folder.
pub fn load(path: &Path) -> Result<Scenario, ScenarioError> {
    load_with(path, &Overrides::default(), None)
}

/// Reads and checks a scenario file with replacements. If `controller` is given, it drives every
/// flow that has a controller, and default flow names and transport settings follow it. The file
/// must be a valid scenario without the replacements too.
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

/// Reads and checks the text of a scenario with the replacements of [`load_with`].
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

/// Returns the name of a changed text for errors, because its line numbers differ from those of the
/// file.
pub(crate) fn as_changed(file: &str) -> String {
    format!("{file} as changed by options")
}

/// Returns a reader for the files that the scenario `path` names; relative names begin in its
/// folder.
fn beside(path: &Path) -> impl Fn(&Path) -> io::Result<String> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    move |name| read_named(&folder.join(name))
}

impl PathProfile {
    /// Returns the checked scenario of the profile.
    pub fn scenario(&self) -> Scenario {
        parse(self.text, self.name, &|_| Err(io::Error::other("paths read no files")))
            .expect("a test reads every path")
    }
}
