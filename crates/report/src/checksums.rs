//! `SHA256SUMS`: the hashes of the files of a result directory, in the format of `sha256sum`.

use crate::error::ReportError;
use crate::together;
use narrows_files::{Folder, open_unlinked};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

const SUMS: &str = "SHA256SUMS";
/// Files that are not part of the results: `run.json` describes the host, and the page can be drawn
/// again from the results.
const UNLISTED: [&str; 3] = [SUMS, "run.json", "report.html"];
/// The metrics of a result, in a format of the command that wrote it.
const SUMMARY: &str = "summary.json";
/// Files by which results without runs are known, and a description of each.
const WITHOUT_RUNS: [(&[&str], &str); 5] = [
    (&["check.json"], "the result of a check"),
    (&["plots.json"], "the result of a reproduction, which keeps no runs"),
    (&["fidelity.json"], "the result of a test of fidelity, which keeps no runs"),
    (
        &["experiment.toml", "periods.parquet"],
        "the result of an experiment, which keeps neither runs nor figures",
    ),
    (&["experiment.toml"], "the plan of an experiment, which keeps neither runs nor figures"),
];
/// Limit on the size of the list in bytes, enough for about a hundred thousand files.
const LONGEST: u64 = 16 << 20;

/// A result directory with verified files.
#[derive(Debug)]
pub struct ResultDir {
    dir: PathBuf,
    sums: BTreeMap<String, String>,
}

/// True if `name` names a file inside a directory, and nothing elsewhere.
pub(crate) fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name)
        && !name.contains(char::is_control)
}

/// Writes the list of all files in `dir` except `lock` and the unlisted ones, and syncs each file
/// to the disk.
pub(crate) fn write(dir: &Path, lock: &str) -> io::Result<()> {
    let names = fs::read_dir(dir)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<String>>>()?;
    let sums = together::each(&names, names.len(), |name| {
        let mut file = File::open(dir.join(name))?;
        file.sync_all()?;
        let listed = name != lock && !UNLISTED.contains(&name.as_str());
        if listed { Ok::<_, io::Error>(Some((name.clone(), sum(&mut file)?))) } else { Ok(None) }
    })?;
    let mut out = BufWriter::new(File::create_new(dir.join(SUMS))?);
    for (name, sum) in sums.into_iter().flatten().collect::<BTreeMap<_, _>>() {
        writeln!(out, "{sum}  {name}")?;
    }
    out.into_inner()?.sync_all()
}

/// Opens a result directory and verifies each of its files.
///
/// # Errors
///
/// The directory holds no result; a file has been changed, exchanged or lost; or there is a link, a
/// pipe or a device. The error names the file.
pub fn open(dir: &Path) -> Result<ResultDir, ReportError> {
    let path = dir.join(SUMS);
    let mut text = String::new();
    let read = open_unlinked(&path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    // If there is no directory, name the directory in the error, not the list.
    read.map_err(|source| ReportError::Read {
        path: if dir.is_dir() { path.clone() } else { dir.to_owned() },
        source,
    })?;
    let sums = text.lines().map(listed).collect::<Option<BTreeMap<_, _>>>();
    let reason = "a line of it is not a SHA-256, two spaces and the name of a file".to_owned();
    let sums = sums.ok_or(ReportError::Damaged { path, reason })?;
    for (name, wanted) in &sums {
        let path = dir.join(name);
        let found = open_unlinked(&path)
            .and_then(|mut file| sum(&mut file))
            .map_err(|source| ReportError::Read { path: path.clone(), source })?;
        if found != *wanted {
            let reason = format!("its SHA-256 is not the one in {SUMS}");
            return Err(ReportError::Damaged { path, reason });
        }
    }
    // Files that are not listed, such as the page, are replaced later: they must be regular files,
    // too.
    Folder::refuse_special(dir).map_err(|(path, source)| ReportError::Special { path, source })?;
    Ok(ResultDir { dir: dir.to_owned(), sums })
}

impl ResultDir {
    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Returns the names of the listed files in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sums.keys().map(String::as_str)
    }

    /// Refuses a result that keeps no runs, which only its own command can read.
    ///
    /// # Errors
    ///
    /// The directory holds the result of a check, a reproduction, a test of fidelity or an
    /// experiment, or the plan of an experiment.
    pub fn refuse_without_runs(&self) -> Result<(), ReportError> {
        let is_listed = |name: &&str| self.sums.contains_key(*name);
        match WITHOUT_RUNS.iter().find(|(files, _)| files.iter().all(is_listed)) {
            Some((["check.json"], _)) => Err(ReportError::OfCheck(self.dir.clone())),
            Some((_, kind)) => Err(ReportError::WithoutRuns { path: self.dir.clone(), kind }),
            None => Ok(()),
        }
    }

    /// Opens a listed file.
    ///
    /// # Errors
    ///
    /// There is no listed file of this name, or it cannot be opened.
    pub fn file(&self, name: &str) -> Result<File, ReportError> {
        let is_listed = self.sums.contains_key(name);
        if !is_listed || name == SUMMARY {
            self.refuse_without_runs()?;
        }
        let path = self.dir.join(name);
        let opened = if is_listed {
            open_unlinked(&path)
        } else {
            Err(io::Error::other(format!("it is not in {SUMS}")))
        };
        opened.map_err(|source| ReportError::Read { path, source })
    }

    /// Parses a listed JSON file. Returns `None` if there is no such file.
    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ReportError> {
        if !self.sums.contains_key(name) {
            return Ok(None);
        }
        let damaged = |error: serde_json::Error| ReportError::Damaged {
            path: self.dir.join(name),
            reason: error.to_string(),
        };
        serde_json::from_str(&self.text(name)?).map(Some).map_err(damaged)
    }

    /// Returns the text of a listed file.
    ///
    /// # Errors
    ///
    /// The file is not part of the result, or cannot be read as text.
    pub fn text(&self, name: &str) -> Result<String, ReportError> {
        let mut text = String::new();
        let read = self.file(name)?.read_to_string(&mut text);
        read.map_err(|source| ReportError::Read { path: self.dir.join(name), source })?;
        Ok(text)
    }
}

/// Parses a line of the list into a name and a hash.
fn listed(line: &str) -> Option<(String, String)> {
    let (sum, name) = line.split_once("  ")?;
    let is_sum =
        sum.len() == 64 && sum.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (is_sum && is_plain(name)).then(|| (name.to_owned(), sum.to_owned()))
}

fn sum(file: &mut File) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(file, &mut Hashing(&mut hash))?;
    Ok(hexadecimal(&hash.finalize()))
}

/// Returns the SHA-256 in hexadecimal, as `sha256sum` prints it.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Hashes all bytes that are written to it.
struct Hashing<'a>(&'a mut Sha256);

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_the_directory_are_plain() {
        assert!(["a", "a.b", "..c", "trace-x y", "ä"].iter().all(|name| is_plain(name)));
        assert!(
            ["", ".", "..", "/", "/etc/passwd", "a/b", "../a", "a/", "./a", "a/..", "a\nb"]
                .iter()
                .all(|name| !is_plain(name))
        );
    }

    #[test]
    fn a_line_is_a_sum_and_a_plain_name() {
        let sum = "0123456789abcdef".repeat(4);
        assert_eq!(
            listed(&format!("{sum}  links.parquet")),
            Some(("links.parquet".to_owned(), sum.clone()))
        );
        for line in [
            format!("{sum} a"),
            format!("{sum}  ../a"),
            format!("{}  a", &sum[1..]),
            format!("{}  a", sum.to_uppercase()),
            String::new(),
        ] {
            assert_eq!(listed(&line), None, "{line}");
        }
    }
}
