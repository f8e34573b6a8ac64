//! Reads files of recorded capacity, each once.

use crate::ReadFile;
use crate::error::{Checked, Problem};
use crate::text::At;
use narrows_path::Trace;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The traces read so far, by their names in the scenario.
pub(super) struct Traces<'a> {
    read: &'a ReadFile<'a>,
    known: BTreeMap<String, Arc<Trace>>,
}

impl<'a> Traces<'a> {
    pub fn new(read: &'a ReadFile<'a>) -> Traces<'a> {
        Traces { read, known: BTreeMap::new() }
    }

    pub fn get(&mut self, name: &At<String>) -> Checked<Arc<Trace>> {
        let file = &name.value;
        if let Some(trace) = self.known.get(file) {
            return Ok(trace.clone());
        }
        let text = (self.read)(Path::new(file)).map_err(|error| {
            Problem::at(
                &name.span,
                format!("the trace \"{file}\" cannot be read: {error}"),
                "give the path of a text file, relative to the scenario's own place",
            )
        })?;
        let trace = Trace::parse(&text).map_err(|error| {
            Problem::at(
                &name.span,
                format!("{file}:{}: {}", error.line, error.problem),
                error.remedy,
            )
            .saying("in this trace")
        })?;
        let trace = Arc::new(trace);
        self.known.insert(file.clone(), trace.clone());
        Ok(trace)
    }
}
