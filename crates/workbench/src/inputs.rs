//! Traces and other input files, which are copied to the result directory so that its scenario can
//! run anywhere.

use crate::error::Failure;
use narrows_control::{Choice, EntryRef, KeptFile, kept_files, passing_identities};
use narrows_report::{ControllerFile, ControllerSource, Input, StackCrate, sha256};
use narrows_scenario::Scenario;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the traces that the scenarios name, and renames them to their names in the result
/// directory. The old names are relative to the directory of `file`, or to the working directory
/// without `file`.
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

/// Returns the controllers that were loaded from files.
pub fn controllers() -> Vec<ControllerFile> {
    let kept = |(entry, file): (EntryRef, Arc<KeptFile>)| ControllerFile {
        name: entry.name().to_owned(),
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

/// Returns the QUIC stacks that the program has.
pub fn stacks() -> Vec<StackCrate> {
    #[cfg(feature = "quic")]
    return narrows_guests::origins()
        .into_iter()
        .map(|origin| StackCrate {
            stack: origin.stack.to_owned(),
            package: origin.package.to_owned(),
            version: origin.version.to_owned(),
            sha256: origin.sha256.map(str::to_owned),
            replaced: origin.replaced.into_iter().map(str::to_owned).collect(),
        })
        .collect();
    #[cfg(not(feature = "quic"))]
    Vec::new()
}

/// Returns the text that selects a controller in a result directory. For a controller from a file,
/// this is the copy of the file.
pub fn as_kept(choice: &Choice) -> String {
    let name = choice.entry().name();
    let own = kept_files().into_iter().find(|(entry, _)| entry.name() == name);
    let file = own.map(|(_, file)| format!("./{name}{}", file.form.end()));
    match (file, choice.text().split_once('?')) {
        (None, _) => choice.text().to_owned(),
        (Some(file), None) => file,
        (Some(file), Some((_, parameters))) => format!("{file}?{parameters}"),
    }
}

/// Suffix of the input that identifies a controller that was added for this command.
pub const IDENTITY: &str = ".identity";

/// Returns inputs that identify the controllers from files and the controllers that were added for
/// this command. A sweep lists them among its files, so that runs of a different controller with
/// the same name do not match.
pub fn of_controllers() -> impl Iterator<Item = Input> {
    let files = controllers().into_iter().map(|controller| {
        let file = controller.file();
        Input {
            name: format!("{file}.sha256"),
            text: format!("{}  {file}\n", sha256(&controller.object)),
        }
    });
    let added = passing_identities().into_iter().map(|(entry, identity)| Input {
        name: format!("{}{IDENTITY}", entry.name()),
        text: format!("{identity}\n"),
    });
    files.chain(added)
}

/// Texts of all files that a sweep reads, by the name in the sweep.
pub struct Files {
    source: Source,
    texts: RefCell<BTreeMap<String, String>>,
}

enum Source {
    /// Files on the disk. Relative names start in this directory.
    Disk(PathBuf),
    /// Stored files of an earlier run.
    Kept(Vec<Input>),
}

impl Files {
    /// Creates a reader of files on the disk. Relative names start in the directory of `file`.
    pub fn beside(file: &Path) -> Files {
        Files {
            source: Source::Disk(file.parent().unwrap_or(Path::new("")).to_owned()),
            texts: RefCell::default(),
        }
    }

    /// Creates a reader of stored files only.
    pub fn kept(inputs: Vec<Input>) -> Files {
        Files { source: Source::Kept(inputs), texts: RefCell::default() }
    }

    /// Reads a file. Reads it from the disk only once.
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

    /// Returns the files under their names in a result directory, and a map from the old names to
    /// the new ones.
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

/// Returns a recognisable name that no other input has. It does not change when a result is
/// repeated in its directory.
fn free_name(path: &Path, taken: &[(PathBuf, Input)]) -> String {
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    let own = own.strip_prefix("trace-").unwrap_or(&own);
    let numbered = (2..).map(|n| format!("trace-{n}-{own}"));
    let mut names = std::iter::once(format!("trace-{own}")).chain(numbered);
    names
        .find(|name| taken.iter().all(|(_, input)| input.name != *name))
        .expect("some number is free")
}
