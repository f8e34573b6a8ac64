//! The runs of a sweep that are done, kept on the disk until all are.
//!
//! One file beside the result directory, `DIR.partial`: its first line says of which sweep and which program the runs are, each further
//! line holds one run after a SHA-256 of it and of the first line. A line that was cut off when the program or the machine went down is
//! dropped, and its run is done again. A line that was changed is refused.

use crate::carried::Carried;
use crate::error::Failure;
use crate::inputs::IDENTITY;
use crate::program::file;
use crate::shard::Shard;
use narrows_files::open_unlinked;
use narrows_report::{Input, Lineup, sha256};
use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// A link in the last place of a path is not followed, and a pipe not waited for.
const NO_LINK: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed();

/// How much work a machine that goes down may lose.
const SYNC: Duration = Duration::from_secs(1);

/// What runs belong to. They can be mixed with those of an equal one only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Version and build of the program.
    pub program: String,
    /// The command that makes the result again.
    pub remake: String,
    /// The sweep, complete.
    pub sweep: String,
    /// The files it names.
    pub inputs: Vec<Input>,
    /// What its controllers from files are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<Carried>,
    /// What it compares, if it is a scorecard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorecard: Option<Lineup>,
    /// The controllers whose pairs its cells are, if it is a matrix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<String>,
    /// Which of its runs are made, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

#[derive(Serialize, Deserialize)]
struct Line<T> {
    run: u64,
    #[serde(flatten)]
    kept: T,
}

/// The file, and where each run stands in it. `T` is what is kept of a run: an object in JSON.
pub struct Cells<T> {
    path: PathBuf,
    log: Mutex<Log>,
    of: PhantomData<fn() -> T>,
}

struct Log {
    file: File,
    /// SHA-256 of the first line, in hexadecimal.
    origin: String,
    places: BTreeMap<u64, Range<u64>>,
    end: u64,
    synced: Instant,
}

/// Version and build: two builds of one version may compute otherwise.
pub fn program() -> String {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let hash = file().and_then(File::open).and_then(hash);
        let build = hash.map_or_else(|_| "unknown".to_owned(), |hash| format!("{hash:016x}"));
        format!("{} (build {build})", env!("CARGO_PKG_VERSION"))
    });
    PROGRAM.clone()
}

/// What tells the content of two files apart that nobody has made alike on purpose. It takes eight bytes at once, since every sweep begins with
/// the whole program.
fn hash(mut file: impl Read) -> io::Result<u64> {
    const CHUNK: usize = 1 << 18;
    let mix =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (mut hash, mut length, mut chunk) = (0, 0, Vec::with_capacity(CHUNK));
    while file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)? > 0 {
        length += chunk.len() as u64;
        chunk.resize(chunk.len().next_multiple_of(8), 0);
        let words = chunk.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        hash = words.fold(hash, mix);
        chunk.clear();
    }
    Ok(mix(mix(hash, length), 0))
}

/// Where the runs of a result directory are kept until it is complete.
pub fn partial(directory: &Path) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    directory.with_file_name(name)
}

impl<T: Serialize + DeserializeOwned> Cells<T> {
    /// Continues `path` if it is there, begins it if not. The caller has reserved the result directory that it belongs to, so nobody else
    /// is at work on it.
    pub fn open(path: PathBuf, origin: &Origin) -> Result<Cells<T>, Failure> {
        let file = begin(&path, origin).map_err(|error| unwritable(&path, &error))?;
        refuse_other(&path, &read_origin(&path)?, origin)?;
        let log = Log::read::<T>(file).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => changed(&path, &error),
            _ => unreadable(&path, &error),
        })?;
        Ok(Cells { path, log: Mutex::new(log), of: PhantomData })
    }

    /// How many runs are kept.
    pub fn done(&self) -> u64 {
        self.lock().places.len() as u64
    }

    /// True if this run is kept.
    pub fn has(&self, run: u64) -> bool {
        self.lock().places.contains_key(&run)
    }

    /// Keeps a run. It is on the disk when this returns, and outlasts a crash of the machine a second later.
    pub fn keep(&self, run: u64, kept: &T) -> Result<(), Failure> {
        let text = serde_json::to_string(&Line { run, kept })
            .map_err(|error| Failure::Other(format!("run {run} cannot be kept: {error}")))?;
        self.lock().append(run, &text).map_err(|error| unwritable(&self.path, &error))
    }

    /// Reads a run back.
    pub fn get(&self, run: u64) -> Result<T, Failure> {
        let log = self.lock();
        let read = (|| {
            let place = log
                .places
                .get(&run)
                .ok_or_else(|| io::Error::other(format!("run {run} is missing")))?;
            let mut line = vec![0; (place.end - place.start) as usize];
            log.file.read_exact_at(&mut line, place.start)?;
            serde_json::from_slice::<Line<T>>(line.get(PREFIX..).unwrap_or_default())
                .map_err(io::Error::other)
        })();
        read.map(|line| line.kept).map_err(|error| unreadable(&self.path, &error))
    }

    /// Removes the file if no run is kept in it: a sweep that was refused leaves nothing.
    pub fn remove_if_empty(self) {
        if self.done() == 0 {
            // It does no harm where it stays.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Removes the file: the result directory has everything.
    pub fn remove(self) -> Result<(), Failure> {
        std::fs::remove_file(&self.path).map_err(|error| unwritable(&self.path, &error))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Log {
    /// Finds the runs, and cuts off what is not a whole line. The error is `InvalidData` if a line was changed.
    fn read<T: DeserializeOwned>(file: File) -> io::Result<Log> {
        let mut reader = BufReader::new(&file);
        reader.seek(SeekFrom::Start(0))?;
        let (mut places, mut line) = (BTreeMap::new(), Vec::new());
        let mut end = reader.read_until(b'\n', &mut line)? as u64;
        let origin = sha256(&line);
        for number in 2.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)? as u64;
            // A file system that goes down may leave zeros where the last lines were to be.
            let Some(whole) = line.strip_suffix(b"\n").filter(|whole| !whole.contains(&0)) else {
                break;
            };
            let Some(kept) = summed::<T>(whole, &origin) else {
                let text =
                    format!("line {number} is not as it was written: its SHA-256 is another");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            };
            places.insert(kept.run, end..end + length);
            end += length;
        }
        file.set_len(end)?;
        Ok(Log { file, origin, places, end, synced: Instant::now() })
    }

    fn append(&mut self, run: u64, text: &str) -> io::Result<()> {
        let line = format!("{}{BETWEEN}{text}\n", sum(&self.origin, text));
        self.file.write_all_at(line.as_bytes(), self.end)?;
        let begin = self.end;
        self.end += line.len() as u64;
        self.places.insert(run, begin..self.end);
        if self.synced.elapsed() >= SYNC {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

/// Between the SHA-256 of a run and what is kept of it.
const BETWEEN: &str = "  ";
/// The length of both.
const PREFIX: usize = 64 + BETWEEN.len();

/// The SHA-256 of what is kept of a run, bound to the first line, whose SHA-256 `origin` is.
fn sum(origin: &str, text: &str) -> String {
    sha256(format!("{origin} {text}").as_bytes())
}

/// Reads a line; `None` if its checksum does not match.
fn summed<T: DeserializeOwned>(line: &[u8], origin: &str) -> Option<Line<T>> {
    let (wanted, text) = std::str::from_utf8(line).ok()?.split_once(BETWEEN)?;
    let kept = serde_json::from_str(text).ok()?;
    (sum(origin, text) == wanted).then_some(kept)
}

/// Opens the file, and writes its first line if there is none, or only a beginning of it. Its name is the program's choice, so no link is
/// followed.
fn begin(path: &Path, origin: &Origin) -> io::Result<File> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent)?;
    }
    let line = (origin.line() + "\n").into_bytes();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(NO_LINK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut there = Vec::new();
    Read::by_ref(&mut file).take(line.len() as u64).read_to_end(&mut there)?;
    if there.len() < line.len() && line.starts_with(&there) {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&line)?;
        file.sync_all()?;
    }
    Ok(file)
}

/// What the runs in a file belong to.
pub fn read_origin(path: &Path) -> Result<Origin, Failure> {
    let mut text = String::new();
    let read = open_unlinked(path)
        .and_then(|file| BufReader::new(file).take(1 << 32).read_line(&mut text));
    read.map_err(|error| unreadable(path, &error))?;
    serde_json::from_str(&text).map_err(|error| unreadable(path, &error.into()))
}

impl Origin {
    /// It as one line of JSON, without its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("its fields are texts")
    }

    /// The name of a controller that is another in `wanted`, by what tells those apart that come for a single command.
    pub fn other_controller(&self, wanted: &Origin) -> Option<&str> {
        self.inputs.iter().find_map(|input| {
            let name = input.name.strip_suffix(IDENTITY)?;
            wanted
                .inputs
                .iter()
                .any(|other| other.name == input.name && other.text != input.text)
                .then_some(name)
        })
    }

    /// Why runs of this are not runs of another; `None` if they are.
    pub fn differs(&self, wanted: &Origin) -> Option<String> {
        if self.program != wanted.program {
            Some(format!("come from Narrows {}, not from {}", self.program, wanted.program))
        } else if self.sweep != wanted.sweep {
            Some(
                "belong to another scenario, or to what this one was before it was changed"
                    .to_owned(),
            )
        } else if self.inputs != wanted.inputs || self.controllers != wanted.controllers {
            let of_files =
                || "were made with other content of the files that the scenario names".to_owned();
            let of_controller =
                |name| format!("were made with another controller by the name \"{name}\"");
            Some(self.other_controller(wanted).map_or_else(of_files, of_controller))
        } else {
            None
        }
    }
}

fn refuse_other(path: &Path, kept: &Origin, wanted: &Origin) -> Result<(), Failure> {
    let other_shard = || {
        let name = |shard: Option<Shard>| {
            shard.map_or_else(|| "the whole sweep".to_owned(), |shard| format!("shard {shard}"))
        };
        (kept.shard != wanted.shard)
            .then(|| format!("are those of {}, not of {}", name(kept.shard), name(wanted.shard)))
    };
    let Some(what) = kept.differs(wanted).or_else(other_shard) else { return Ok(()) };
    Err(Failure::Other(format!(
        "the runs kept in {} {what}; choose another --out, or remove that file to start over",
        path.display()
    )))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!(
        "{} cannot be written: {error}; free some space or choose another place with --out; runs kept so far remain",
        path.display()
    ))
}

fn changed(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!(
        "{}: {error}; get an undamaged copy, or remove the file to start over",
        path.display()
    ))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let or = if error.kind() == io::ErrorKind::NotFound { "" } else { ", or remove the file" };
    Failure::Other(format!(
        "{} cannot be read: {error}; give the result directory of an interrupted sweep{or}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_are_in_the_hash() {
        let bytes: Vec<u8> = (0..600_001u32).map(|n| (n % 251) as u8).collect();
        let hash = |bytes: &[u8]| hash(bytes).expect("a hash");
        let own = hash(&bytes);
        for place in [0, 1, 7, 8, 262_143, 262_144, 600_000] {
            let mut other = bytes.clone();
            other[place] ^= 1;
            assert_ne!(hash(&other), own, "byte {place}");
        }
        assert_ne!(hash(&[&bytes[..], &[0]].concat()), own);
        assert_eq!(hash(&bytes), own);
    }
}
