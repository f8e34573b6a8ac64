//! Traces go with the results, so that the scenario there can be run again wherever it is.

use crate::error::Failure;
use narrows_report::Input;
use narrows_scenario::Scenario;
use std::path::{Path, PathBuf};

/// Reads the traces that the scenarios name and names them anew, as they will lie beside the scenario in the result directory. Names are relative to
/// `file`, the scenario they were read from, or to where the command runs.
pub fn adopt(scenarios: &mut [Scenario], file: Option<&Path>) -> Result<Vec<Input>, Failure> {
    let base = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let mut adopted: Vec<(PathBuf, Input)> = Vec::new();
    for named in scenarios.iter_mut().flat_map(|scenario| &mut scenario.links).filter_map(|link| link.trace_file.as_mut()) {
        let path = base.join(&*named);
        let index = match adopted.iter().position(|(known, _)| *known == path) {
            Some(index) => index,
            None => {
                let text = std::fs::read_to_string(&path).map_err(|error| {
                    Failure::Other(format!("the trace {} cannot be read again: {error}; try once more", path.display()))
                })?;
                let name = free_name(&path, &adopted);
                adopted.push((path, Input { name, text }));
                adopted.len() - 1
            }
        };
        *named = adopted[index].1.name.clone();
    }
    Ok(adopted.into_iter().map(|(_, input)| input).collect())
}

/// A name that is recognised, taken by no other input, and the same when a result is made again from its directory.
fn free_name(path: &Path, taken: &[(PathBuf, Input)]) -> String {
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    let own = own.strip_prefix("trace-").unwrap_or(&own);
    let numbered = (2..).map(|n| format!("trace-{n}-{own}"));
    let mut names = std::iter::once(format!("trace-{own}")).chain(numbered);
    names.find(|name| taken.iter().all(|(_, input)| input.name != *name)).expect("some number is free")
}
