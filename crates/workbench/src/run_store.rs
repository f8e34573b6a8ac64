//! The finished runs of a sweep, stored on disk until the result is complete.
//!
//! They are in one file next to the result directory, `DIR.partial`. Its first line describes the
//! sweep and the program. Each further line has one run, after a SHA-256 of the run and the first
//! line. A line that was cut off by a crash is dropped, and its run is done again. A line that was
//! changed is refused.

use crate::error::Failure;
use crate::inputs::IDENTITY;
use crate::shard::Shard;
use crate::stored_controllers::StoredController;
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
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Flags that refuse a symbolic link in the last component of a path, and do not wait for a pipe.
const NO_LINK: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed();

/// Minimum time between two syncs to the disk.
const SYNC: Duration = Duration::from_secs(1);

/// Description of the sweep that runs belong to. Runs can be mixed only if their origins are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Version and build of the program.
    pub program: String,
    /// Command that repeats the result.
    pub remake: String,
    /// The complete sweep.
    pub sweep: String,
    /// Files that the sweep reads.
    pub inputs: Vec<Input>,
    /// Controllers from files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<StoredController>,
    /// Lineup of the scorecard, if the sweep is for a scorecard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorecard: Option<Lineup>,
    /// Controllers of the pairs, if the sweep is for a matrix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<String>,
    /// Shard to run. `None` for the whole sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

#[derive(Serialize, Deserialize)]
struct Line<T> {
    run: u64,
    #[serde(flatten)]
    kept: T,
}

/// The file of stored runs and the position of each run in it. `T` is the stored form of a run, an
/// object in JSON.
pub struct RunStore<T> {
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

/// Returns the file of stored runs for a result directory.
pub fn partial(directory: &Path) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    directory.with_file_name(name)
}

impl<T: Serialize + DeserializeOwned> RunStore<T> {
    /// Opens the file of stored runs, or creates it. The caller has reserved the result directory,
    /// so no other process uses the file.
    pub fn open(path: PathBuf, origin: &Origin) -> Result<RunStore<T>, Failure> {
        let file = begin(&path, origin).map_err(|error| unwritable(&path, &error))?;
        refuse_other(&path, &read_origin(&path)?, origin)?;
        let log = Log::read::<T>(file).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => changed(&path, &error),
            _ => unreadable(&path, &error),
        })?;
        Ok(RunStore { path, log: Mutex::new(log), of: PhantomData })
    }

    /// Returns the number of stored runs.
    pub fn done(&self) -> u64 {
        self.lock().places.len() as u64
    }

    /// True if the run is stored.
    pub fn has(&self, run: u64) -> bool {
        self.lock().places.contains_key(&run)
    }

    /// Stores a run. When this function returns, the run survives a crash of the process. The file
    /// is synced at most once per [`SYNC`], so a crash of the machine can lose the latest runs.
    pub fn keep(&self, run: u64, kept: &T) -> Result<(), Failure> {
        let text = serde_json::to_string(&Line { run, kept })
            .map_err(|error| Failure::Other(format!("run {run} cannot be kept: {error}")))?;
        self.lock().append(run, &text).map_err(|error| unwritable(&self.path, &error))
    }

    /// Reads a stored run.
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

    /// Removes the file if it has no runs, so that a refused sweep leaves nothing behind.
    pub fn remove_if_empty(self) {
        if self.done() == 0 {
            // A file that remains does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Removes the file, because the result directory has everything.
    pub fn remove(self) -> Result<(), Failure> {
        std::fs::remove_file(&self.path).map_err(|error| unwritable(&self.path, &error))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Log {
    /// Finds the runs, and cuts off an incomplete last line. The error is `InvalidData` if a line
    /// was changed.
    fn read<T: DeserializeOwned>(file: File) -> io::Result<Log> {
        let mut reader = BufReader::new(&file);
        reader.seek(SeekFrom::Start(0))?;
        let (mut places, mut line) = (BTreeMap::new(), Vec::new());
        let mut end = reader.read_until(b'\n', &mut line)? as u64;
        let origin = sha256(&line);
        for number in 2.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)? as u64;
            // After a crash, a file system may leave zeros in place of the last lines.
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

/// Separator between the SHA-256 of a run and the run.
const BETWEEN: &str = "  ";
/// Length of the SHA-256 and the separator.
const PREFIX: usize = 64 + BETWEEN.len();

/// Returns the SHA-256 of a run, bound to the first line by its SHA-256 `origin`.
fn sum(origin: &str, text: &str) -> String {
    sha256(format!("{origin} {text}").as_bytes())
}

/// Parses a line. Returns `None` if its checksum does not match.
fn summed<T: DeserializeOwned>(line: &[u8], origin: &str) -> Option<Line<T>> {
    let (wanted, text) = std::str::from_utf8(line).ok()?.split_once(BETWEEN)?;
    let kept = serde_json::from_str(text).ok()?;
    (sum(origin, text) == wanted).then_some(kept)
}

/// Opens the file. Writes its first line if the line is missing or incomplete. The program chooses
/// the file name, so symbolic links are not followed.
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

/// Reads the origin from a file of stored runs.
pub fn read_origin(path: &Path) -> Result<Origin, Failure> {
    let mut text = String::new();
    let read = open_unlinked(path)
        .and_then(|file| BufReader::new(file).take(1 << 32).read_line(&mut text));
    read.map_err(|error| unreadable(path, &error))?;
    serde_json::from_str(&text).map_err(|error| unreadable(path, &error.into()))
}

impl Origin {
    /// Returns the origin as one line of JSON, without a line end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("its fields are texts")
    }

    /// Returns the name of a controller that is different in `wanted`, judged by the identities of
    /// controllers that exist for a single command.
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

    /// Returns the reason why runs of this origin are not runs of `wanted`, or `None` if they are.
    /// Does not compare the shards.
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
