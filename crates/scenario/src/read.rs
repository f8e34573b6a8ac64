//! Reading a scenario from text or from a file.

use crate::error::ScenarioError;
use crate::{Scenario, check, syntax};
use std::io;
use std::path::Path;

/// How the files that a scenario names are read.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

/// Reads scenarios: knows where the files come from that a scenario names, and which metrics it may expect something of.
pub struct Reader<'a> {
    files: &'a ReadFile<'a>,
    metrics: Option<&'a [&'a str]>,
}

impl<'a> Reader<'a> {
    /// A reader that hands the paths of traces, as the scenario writes them, to `files`.
    pub fn new(files: &'a ReadFile<'a>) -> Reader<'a> {
        Reader { files, metrics: None }
    }

    /// The names that may stand in `[expect]`. Unless set, every name may.
    pub fn metrics(mut self, names: &'a [&'a str]) -> Reader<'a> {
        self.metrics = Some(names);
        self
    }

    /// Reads and checks the text of a scenario; `file` is what errors call it.
    pub fn parse(&self, text: &str, file: &str) -> Result<Scenario, ScenarioError> {
        let checked = syntax::read(text).and_then(|raw| check::check(&raw, file, self));
        checked.map_err(|problem| ScenarioError::new(*problem, file, text))
    }

    pub(crate) fn read(&self, path: &Path) -> io::Result<String> {
        (self.files)(path)
    }

    pub(crate) fn known_metrics(&self) -> Option<&'a [&'a str]> {
        self.metrics
    }
}

/// Reads and checks the text of a scenario. `file` is what errors call it; `read` gives the text of the trace files that it names, with paths as it writes them.
pub fn parse(text: &str, file: &str, read: &ReadFile) -> Result<Scenario, ScenarioError> {
    Reader::new(read).parse(text, file)
}

/// Reads and checks a scenario file. Paths of traces are relative to its folder.
pub fn load(path: &Path) -> Result<Scenario, ScenarioError> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| ScenarioError::unreadable(&file, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&text, &file, &|name| std::fs::read_to_string(folder.join(name)))
}
