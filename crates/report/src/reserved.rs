//! An incomplete result directory: reserved, filled, and renamed when it is complete.

use crate::checksums;
use crate::error::{ReportError, failed};
use narrows_files::leftovers::Leftover;
use narrows_sheet::{self as sheet, Cells, ParquetError, Sheet};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The file in an unfinished directory that the owning process keeps locked.
const LOCK: &str = ".lock";
/// Suffix of the name of an unfinished directory. The name begins with a dot.
const UNFINISHED: &str = ".narrows-unfinished";

/// Buffer size of the table writer, in bytes.
const BUFFER: usize = 1 << 16;

/// A result directory that is reserved for this process. Until it is complete, its files are in
/// `.NAME.narrows-unfinished` next to it. A process that is killed leaves that directory behind
/// without a lock, and the next reservation in the same place removes it. Dropping an incomplete
/// reservation removes its directory.
#[derive(Debug)]
pub struct Reserved {
    dir: PathBuf,
    unfinished: PathBuf,
    leftover: Leftover,
    /// Keeps the lock until it is dropped.
    _lock: File,
    /// Parent directories created for the result, the deepest first.
    made: Vec<PathBuf>,
    complete: bool,
}

impl Reserved {
    /// Reserves `dir`, and creates its parent directories.
    ///
    /// # Errors
    ///
    /// `dir` exists, another process has reserved it, or it cannot be written.
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
                // The directory was created but not locked. Removal succeeds only if it is empty.
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
        // The previous owner may have completed `dir` between the first check and the lock.
        if dir.symlink_metadata().is_ok() {
            return Err(ReportError::Exists(dir.to_owned()));
        }
        reserved.empty().map_err(|source| failed(dir, source))?;
        remove_dead(above(dir), &reserved.unfinished);
        Ok(reserved)
    }

    /// Returns the path of the result directory.
    pub fn directory(&self) -> &Path {
        &self.dir
    }

    /// Creates a file of the result.
    ///
    /// # Errors
    ///
    /// The file already exists, `name` is not a plain name, or the file cannot be written.
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

    /// Writes a file with this content.
    ///
    /// # Errors
    ///
    /// The errors of [`Reserved::create`], or the content cannot be written.
    pub fn file(&self, name: &str, content: &[u8]) -> Result<(), ReportError> {
        let mut file = self.create(name)?;
        file.write_all(content).map_err(|source| failed(&self.unfinished.join(name), source))
    }

    pub(crate) fn table(
        &self,
        name: &str,
        like: &Sheet,
        groups: impl Iterator<Item: IntoIterator<Item = (String, Cells)>>,
    ) -> Result<(), ReportError> {
        self.headed_table(name, None, like, groups)
    }

    /// Writes a table with an optional text about the whole table.
    pub(crate) fn headed_table(
        &self,
        name: &str,
        heading: Option<&str>,
        like: &Sheet,
        groups: impl Iterator<Item: IntoIterator<Item = (String, Cells)>>,
    ) -> Result<(), ReportError> {
        let mut out = Patient(BufWriter::with_capacity(BUFFER, self.create(name)?));
        let written = sheet::write(&mut out, heading, like, groups).map_err(|error| match error {
            ParquetError::External(inner) => {
                inner.downcast::<io::Error>().map_or_else(io::Error::other, |io| *io)
            }
            other => io::Error::other(other),
        });
        let flushed = written.and_then(|()| out.0.flush());
        flushed.map_err(|source| failed(&self.unfinished.join(name), source))
    }

    /// Writes the checksums, syncs all files to the disk, and gives the directory its final name.
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
        // A remaining lock file does no harm.
        let _ = fs::remove_file(self.dir.join(LOCK));
        Ok(())
    }

    /// Removes all files that a dead owner has left.
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
        // Nobody can be told if the removal fails.
        if !self.complete {
            let _ = fs::remove_dir_all(&self.unfinished);
            self.made.iter().for_each(|made| drop(fs::remove_dir(made)));
        }
    }
}

/// A buffered writer that ignores `flush`. The Parquet writer flushes after each column, which may
/// be only a few bytes long.
struct Patient(BufWriter<File>);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the parent directory of `dir`.
fn above(dir: &Path) -> &Path {
    dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates the parent directories of `dir`, and returns those that did not exist, the deepest
/// first.
fn make_above(dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let above = above(dir);
    let absent = above
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && path.symlink_metadata().is_err());
    let absent = absent.map(Path::to_owned).collect();
    fs::create_dir_all(above).map_err(|source| failed(above, source))?;
    Ok(absent)
}

/// Locks an unfinished directory, which is created if it does not exist. Returns `None` if another
/// process has locked it.
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
            // The owner has completed or removed the directory in the meantime: try again.
            Ok(Some(_)) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens and locks a file. Returns `None` if another process has locked it.
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

/// Removes unfinished directories of dead processes. Directories that cannot be removed do no harm.
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
