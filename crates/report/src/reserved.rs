//! A result directory before it is complete: reserved, filled, and put in its place whole.

use crate::checksums;
use crate::error::{ReportError, failed};
use narrows_files::leftovers::Leftover;
use narrows_sheet::{self as sheet, ParquetError, Sheet};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The file in an unfinished directory that its owner has locked for as long as it lives.
const LOCK: &str = ".lock";
/// How the name of an unfinished directory ends; it begins with a dot.
const UNFINISHED: &str = ".narrows-unfinished";

/// Bytes of a table that are written at once.
const BUFFER: usize = 1 << 16;

/// A result directory that is this process's to make. Until it is complete its files are in `.NAME.narrows-unfinished` beside it. Whoever
/// is killed leaves that unlocked, and the next reservation in the same place removes it. Dropped without being completed, it leaves
/// nothing.
#[derive(Debug)]
pub struct Reserved {
    dir: PathBuf,
    unfinished: PathBuf,
    leftover: Leftover,
    /// Held, never read.
    _lock: File,
    /// Directories made for it, the deepest first.
    made: Vec<PathBuf>,
    complete: bool,
}

impl Reserved {
    /// Reserves `dir`, and makes the directories above it.
    ///
    /// # Errors
    /// It exists, another process has reserved it, or nothing can be written there.
    pub fn new(dir: &Path) -> Result<Reserved, ReportError> {
        let Some(name) = dir.file_name() else {
            return Err(failed(
                dir,
                io::Error::new(io::ErrorKind::InvalidInput, "the path has no last component"),
            ));
        };
        if dir.symlink_metadata().is_ok() {
            return Err(ReportError::Exists(dir.to_owned()));
        }
        let unfinished = dir.with_file_name(format!(".{}{UNFINISHED}", name.to_string_lossy()));
        let made = make_above(dir)?;
        let (lock, leftover) = match Leftover::made(&unfinished, &made, || own(&unfinished)) {
            Ok(Some(owned)) => owned,
            Ok(None) => return Err(ReportError::Busy(dir.to_owned())),
            Err(source) => {
                // Made and not locked: only if it is empty.
                let _ = fs::remove_dir(&unfinished);
                made.iter().for_each(|made| drop(fs::remove_dir(made)));
                return Err(failed(dir, source));
            }
        };
        let reserved = Reserved {
            dir: dir.to_owned(),
            unfinished,
            leftover,
            _lock: lock,
            made,
            complete: false,
        };
        // Its owner may have completed it between the first look and the lock.
        if dir.symlink_metadata().is_ok() {
            return Err(ReportError::Exists(dir.to_owned()));
        }
        reserved.empty().map_err(|source| failed(dir, source))?;
        remove_dead(above(dir), &reserved.unfinished);
        Ok(reserved)
    }

    /// The result directory.
    pub fn directory(&self) -> &Path {
        &self.dir
    }

    /// Begins a file of the result.
    ///
    /// # Errors
    /// It is there already, `name` is not a plain name, or it cannot be written.
    pub fn create(&self, name: &str) -> Result<File, ReportError> {
        if !checksums::is_plain(name) || name == LOCK {
            return Err(failed(
                Path::new(name),
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "this is not a valid file name in a result",
                ),
            ));
        }
        let path = self.unfinished.join(name);
        File::create_new(&path).map_err(|source| failed(&path, source))
    }

    /// A file with this content.
    ///
    /// # Errors
    /// As of [`Reserved::create`].
    pub fn file(&self, name: &str, content: &[u8]) -> Result<(), ReportError> {
        let mut file = self.create(name)?;
        file.write_all(content).map_err(|source| failed(&self.unfinished.join(name), source))
    }

    pub(crate) fn table(
        &self,
        name: &str,
        like: &Sheet,
        sheets: impl Iterator<Item = Sheet>,
    ) -> Result<(), ReportError> {
        self.headed_table(name, None, like, sheets)
    }

    /// A table with a text about the whole of it.
    pub(crate) fn headed_table(
        &self,
        name: &str,
        heading: Option<&str>,
        like: &Sheet,
        mut sheets: impl Iterator<Item = Sheet>,
    ) -> Result<(), ReportError> {
        let mut out = Patient(BufWriter::with_capacity(BUFFER, self.create(name)?));
        let written =
            sheet::write(&mut out, heading, like, &mut sheets).map_err(|error| match error {
                ParquetError::External(inner) => {
                    inner.downcast::<io::Error>().map_or_else(io::Error::other, |io| *io)
                }
                other => io::Error::other(other),
            });
        let flushed = written.and_then(|()| out.0.flush());
        flushed.map_err(|source| failed(&self.unfinished.join(name), source))
    }

    /// Writes the checksums, makes sure that everything is on the disk, and gives the directory its name.
    pub(crate) fn complete(mut self) -> Result<(), ReportError> {
        checksums::write(&self.unfinished, LOCK)
            .map_err(|source| failed(&self.unfinished, source))?;
        let renamed = self.leftover.keep(|| fs::rename(&self.unfinished, &self.dir));
        renamed.map_err(|source| match source.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
                ReportError::Exists(self.dir.clone())
            }
            _ => failed(&self.dir, source),
        })?;
        self.complete = true;
        // It does no harm where it stays.
        let _ = fs::remove_file(self.dir.join(LOCK));
        Ok(())
    }

    /// Removes all that a dead owner has left.
    fn empty(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.unfinished)? {
            let entry = entry?;
            if entry.file_name() == LOCK {
                continue;
            }
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?
            } else {
                fs::remove_file(entry.path())?
            }
        }
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // Nobody is left to tell if this fails.
        if !self.complete {
            let _ = fs::remove_dir_all(&self.unfinished);
            self.made.iter().for_each(|made| drop(fs::remove_dir(made)));
        }
    }
}

/// A buffer that is written when it is full. The Parquet writer asks for more after each column, which may have a few bytes.
struct Patient(BufWriter<File>);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The directory that `dir` is in.
fn above(dir: &Path) -> &Path {
    dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the directories above `dir`, and says which were not there, the deepest first.
fn make_above(dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let above = above(dir);
    let absent = above
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && path.symlink_metadata().is_err());
    let absent = absent.map(Path::to_owned).collect();
    fs::create_dir_all(above).map_err(|source| failed(above, source))?;
    Ok(absent)
}

/// The lock of an unfinished directory, which is made if it is not there; `None` if somebody has it.
fn own(unfinished: &Path) -> io::Result<Option<File>> {
    let path = unfinished.join(LOCK);
    loop {
        match fs::create_dir(unfinished) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if !unfinished.symlink_metadata().is_ok_and(|there| there.is_dir()) => {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    format!("{} is in the way", unfinished.display()),
                ));
            }
            _ => {}
        }
        match lock(&path) {
            Ok(Some(file)) if is_still(&file, &path) => return Ok(Some(file)),
            Ok(None) => return Ok(None),
            // Its owner has completed or removed it meanwhile.
            Ok(Some(_)) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens and locks a file; `None` if somebody has locked it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(no_link)
        .open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// True if `path` still names this file.
fn is_still(file: &File, path: &Path) -> bool {
    let same = |own: fs::Metadata, there: fs::Metadata| {
        (own.dev(), own.ino()) == (there.dev(), there.ino())
    };
    file.metadata().is_ok_and(|own| path.symlink_metadata().is_ok_and(|there| same(own, there)))
}

/// Removes unfinished directories whose owners are dead. What cannot be removed does no harm.
fn remove_dead(directory: &Path, own: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let unfinished =
            name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(UNFINISHED));
        let path = entry.path();
        if !unfinished
            || path.file_name() == own.file_name()
            || !entry.file_type().is_ok_and(|kind| kind.is_dir())
        {
            continue;
        }
        if let Ok(Some(_dead)) = lock(&path.join(LOCK)) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}
