//! Traces go with the results, so that the scenario there can be run again wherever it is.

use crate::error::Failure;
use narrows_control::{Choice, KeptFile, kept_files, passing_identities};
use narrows_report::{ControllerFile, ControllerSource, Input, sha256};
use narrows_scenario::Scenario;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Reads the traces that the scenarios name and names them anew, as they will lie beside the scenario in the result directory. Names are
/// relative to
/// `file`, the scenario they were read from, or to where the command runs.
pub fn adopt(scenarios: &mut [Scenario], file: Option<&Path>) -> Result<Vec<Input>, Failure> {
    let base = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let mut adopted: Vec<(PathBuf, Input)> = Vec::new();
    for named in scenarios
        .iter_mut()
        .flat_map(|scenario| &mut scenario.links)
        .filter_map(|link| link.trace_file.as_mut())
    {
        let path = base.join(&*named);
        let index = match adopted.iter().position(|(known, _)| *known == path) {
            Some(index) => index,
            None => {
                let text = narrows_scenario::read_named(&path).map_err(|error| {
                    Failure::Other(format!(
                        "the trace {} cannot be read again: {error}; run the command again",
                        path.display()
                    ))
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

/// The controllers that were loaded from files.
pub fn controllers() -> Vec<ControllerFile> {
    let kept = |(name, file): (&str, &'static KeptFile)| ControllerFile {
        name: name.to_owned(),
        end: file.form.end(),
        object: file.object.clone(),
        source: file.source.as_ref().map(|source| ControllerSource {
            name: source.name.clone(),
            sha256: sha256(&source.text),
            compiler: source.compiler.clone(),
        }),
    };
    kept_files().into_iter().map(kept).collect()
}

/// A controller as commands choose it that make a result again in its directory: by the file that is kept there, if it is from one.
pub fn as_kept(choice: &Choice) -> String {
    let own = kept_files().into_iter().find(|(name, _)| *name == choice.entry().name);
    let file = own.map(|(name, file)| format!("./{name}{}", file.form.end()));
    match (file, choice.text().split_once('?')) {
        (None, _) => choice.text().to_owned(),
        (Some(file), None) => file,
        (Some(file), Some((_, parameters))) => format!("{file}?{parameters}"),
    }
}

/// The end of the name of what tells a controller that was added for this command from others of its name.
pub const IDENTITY: &str = ".identity";

/// What tells the controllers of files, and those that were added for this command, from others of their names, as files among those that a sweep reads: runs of another
/// controller by the same name are not the same runs.
pub fn of_controllers() -> impl Iterator<Item = Input> {
    let files = controllers().into_iter().map(|controller| {
        let file = controller.file();
        Input {
            name: format!("{file}.sha256"),
            text: format!("{}  {file}\n", sha256(&controller.object)),
        }
    });
    let added = passing_identities().into_iter().map(|(name, identity)| Input {
        name: format!("{name}{IDENTITY}"),
        text: format!("{identity}\n"),
    });
    files.chain(added)
}

/// The texts of all files that a sweep reads, by the name it has for them.
pub struct Files {
    source: Source,
    texts: RefCell<BTreeMap<String, String>>,
}

enum Source {
    /// The disk; relative names begin here.
    Disk(PathBuf),
    /// What was kept of an earlier run.
    Kept(Vec<Input>),
}

impl Files {
    /// Files on the disk; relative names begin where `file` lies.
    pub fn beside(file: &Path) -> Files {
        Files {
            source: Source::Disk(file.parent().unwrap_or(Path::new("")).to_owned()),
            texts: RefCell::default(),
        }
    }

    /// Files that were kept, and no others.
    pub fn kept(inputs: Vec<Input>) -> Files {
        Files { source: Source::Kept(inputs), texts: RefCell::default() }
    }

    /// Reads a file once, and from then on from memory.
    pub fn read(&self, name: &Path) -> io::Result<String> {
        let key = name.display().to_string();
        if let Some(text) = self.texts.borrow().get(&key) {
            return Ok(text.clone());
        }
        let text = match &self.source {
            Source::Disk(base) => narrows_scenario::read_named(&base.join(name))?,
            Source::Kept(inputs) => {
                let kept = inputs.iter().find(|input| input.name == key);
                kept.map(|input| input.text.clone())
                    .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "it was not kept"))?
            }
        };
        self.texts.borrow_mut().insert(key, text.clone());
        Ok(text)
    }

    /// The files under the names that they have in a result directory, and these names by the old ones.
    pub fn adopted(self) -> (Vec<Input>, BTreeMap<String, String>) {
        let (mut adopted, mut names) = (Vec::new(), BTreeMap::new());
        for (old, text) in self.texts.into_inner() {
            let path = PathBuf::from(&old);
            let name = free_name(&path, &adopted);
            names.insert(old, name.clone());
            adopted.push((path, Input { name, text }));
        }
        (adopted.into_iter().map(|(_, input)| input).collect(), names)
    }
}

/// A name that is recognised, taken by no other input, and the same when a result is made again from its directory.
fn free_name(path: &Path, taken: &[(PathBuf, Input)]) -> String {
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    let own = own.strip_prefix("trace-").unwrap_or(&own);
    let numbered = (2..).map(|n| format!("trace-{n}-{own}"));
    let mut names = std::iter::once(format!("trace-{own}")).chain(numbered);
    names
        .find(|name| taken.iter().all(|(_, input)| input.name != *name))
        .expect("some number is free")
}
