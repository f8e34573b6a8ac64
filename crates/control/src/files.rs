//! Controllers that come from files: which names mean one, and what is kept of it.

use std::path::Path;

/// A file that a controller was made of, to be kept with what it has brought about.
#[derive(Debug)]
pub struct KeptFile {
    /// The kind of file.
    pub form: FileForm,
    /// The object, or the text of a policy, that was executed.
    pub object: Vec<u8>,
    /// The source and the compiler, if it was compiled.
    pub source: Option<Source>,
    /// Hints for its user, in whole sentences.
    pub notes: Vec<String>,
}

/// The kind of a controller's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// A BPF object.
    Object,
    /// Weights of a learned policy.
    Policy,
}

impl FileForm {
    /// All of them.
    pub const ALL: [FileForm; 2] = [FileForm::Object, FileForm::Policy];

    /// How the names of such files end.
    pub fn end(self) -> &'static str {
        match self {
            FileForm::Object => ".o",
            FileForm::Policy => ".policy.json",
        }
    }
}

/// The source of an object.
#[derive(Debug)]
pub struct Source {
    /// Its name: `mine.bpf.c`.
    pub name: String,
    /// Its text.
    pub text: Vec<u8>,
    /// The compiler, as it tells its version.
    pub compiler: String,
}

/// True if a controller's name means a file: it has a slash, or ends as BPF sources and objects do
/// (`.bpf.c`, `.o`), or as learned policies (`.policy.json`).
pub fn names_file(name: &str) -> bool {
    name.contains('/')
        || name.ends_with(".bpf.c")
        || FileForm::ALL.iter().any(|form| name.ends_with(form.end()))
}

/// The text to write for a file whose name alone does not mean one: `./grad.c` for `grad.c`. `None`
/// if `folder` has no such file.
pub fn meant_file(name: &str, folder: &Path) -> Option<String> {
    let is_file = !name.is_empty() && !names_file(name) && folder.join(name).is_file();
    is_file
        .then(|| format!("there is no controller \"{name}\"; did you mean the file \"./{name}\"?"))
}
