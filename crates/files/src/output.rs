//! A file that a command writes.

use crate::destination::{Destination, destination};
use crate::open::open_stream;
use crate::temporary::{Temporary, directory};
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, fchmod, fchown, fcntl_getfl};
use rustix::fs::{Gid, Uid};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Permissions of a new file, to which the process's umask applies: everybody may read and write.
const ORDINARY: u32 = 0o666;
/// Permissions that a file keeps when it is replaced: all except set-user-ID, set-group-ID and
/// sticky.
const KEPT: u32 = 0o777;

/// A file that is being written. A regular file gets its name in [`finish`](Output::finish), when
/// it is complete; until then an older file remains. Dropping the output earlier changes nothing.
/// Data for a pipe or a device is written immediately.
pub struct Output {
    file: BufWriter<File>,
    /// Data for naming a regular file at the end.
    regular: Option<Regular>,
}

struct Regular {
    temporary: Temporary,
    name: OsString,
    replace: bool,
}

impl Output {
    /// Begins a file at a path that a user gives. Links are followed. An existing regular file is
    /// replaced. It keeps its permissions and, if this process may change it, its owner. A pipe or
    /// a device is written into.
    ///
    /// # Errors
    /// Nothing can be written there, it is a directory, or a pipe that no program reads.
    pub fn create(path: &Path) -> io::Result<Output> {
        match destination(path)? {
            Destination::Regular { folder, name, there } => {
                if there.is_some() {
                    // A write-protected file is not replaced either.
                    accessat(CWD, folder.join(&name), Access::WRITE_OK, AtFlags::EACCESS)?;
                }
                Output::regular(
                    directory(CWD, &folder, true)?,
                    &name,
                    there.as_ref(),
                    ORDINARY,
                    true,
                )
            }
            stream => Output::stream(stream),
        }
    }

    /// Begins a file at a path without a regular file. A pipe or a device is written into.
    ///
    /// # Errors
    /// A regular file exists there, or nothing can be written there.
    pub fn create_new(path: &Path) -> io::Result<Output> {
        match destination(path)? {
            Destination::Regular { there: Some(_), .. } => Err(exists()),
            Destination::Regular { folder, name, there: None } => {
                Output::regular(directory(CWD, &folder, true)?, &name, None, ORDINARY, false)
            }
            stream => Output::stream(stream),
        }
    }

    /// Begins a regular file at a path where nothing exists, not even a link. Its permissions are
    /// `mode`, less those that the process's umask removes.
    ///
    /// # Errors
    /// Something exists there, or nothing can be written there.
    pub fn create_private(path: &Path, mode: u32) -> io::Result<Output> {
        if path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        match destination(path)? {
            Destination::Regular { folder, name, there: None } => {
                Output::regular(directory(CWD, &folder, true)?, &name, None, mode, false)
            }
            _ => Err(exists()),
        }
    }

    /// Begins a file in a folder. An existing file is replaced.
    pub(crate) fn inside(folder: OwnedFd, name: &OsStr, mode: Option<u32>) -> io::Result<Output> {
        let output = Output::regular(folder, name, None, ORDINARY, true)?;
        if let Some(mode) = mode {
            fchmod(output.file.get_ref(), Mode::from_raw_mode(mode & KEPT))?;
        }
        Ok(output)
    }

    fn regular(
        folder: OwnedFd,
        name: &OsStr,
        there: Option<&Metadata>,
        mode: u32,
        replace: bool,
    ) -> io::Result<Output> {
        let (temporary, file) = Temporary::new(folder, name, mode)?;
        if let Some(there) = there {
            let own = file.metadata()?;
            // Only root can change a file's owner. For other users the file becomes their own.
            if (own.uid(), own.gid()) != (there.uid(), there.gid()) {
                let _ = fchown(
                    &file,
                    Some(Uid::from_raw(there.uid())),
                    Some(Gid::from_raw(there.gid())),
                );
            }
            fchmod(&file, Mode::from_raw_mode(there.permissions().mode() & KEPT))?;
        }
        Ok(Output {
            file: BufWriter::new(file),
            regular: Some(Regular { temporary, name: name.to_owned(), replace }),
        })
    }

    fn stream(stream: Destination) -> io::Result<Output> {
        let file = match stream {
            // Opened again, a file would be written from its beginning.
            Destination::Open(1) => File::from(io::stdout().as_fd().try_clone_to_owned()?),
            Destination::Open(2) => File::from(io::stderr().as_fd().try_clone_to_owned()?),
            Destination::Open(number) => {
                open_stream(Path::new(&format!("/proc/self/fd/{number}")))?
            }
            Destination::Stream(path) => open_stream(&path)?,
            Destination::Regular { .. } => {
                return Err(io::Error::new(ErrorKind::InvalidInput, "it is a regular file"));
            }
        };
        if fcntl_getfl(&file)? & OFlags::RWMODE == OFlags::RDONLY {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "it is open for reading only"));
        }
        Ok(Output { file: BufWriter::new(file), regular: None })
    }

    /// Makes sure that everything is written, and gives the file its name.
    ///
    /// # Errors
    /// Something cannot be written. A regular file is then unchanged.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let Some(Regular { temporary, name, replace }) = self.regular else { return Ok(()) };
        file.sync_all()?;
        temporary.keep(&file, &name, replace)
    }

    /// Writes a whole file to a path that a user gives, like [`create`](Output::create).
    ///
    /// # Errors
    /// The errors of [`create`](Output::create) and [`finish`](Output::finish).
    pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
        let mut output = Output::create(path)?;
        output.write_all(content)?;
        output.finish()
    }
}

fn exists() -> io::Error {
    rustix::io::Errno::EXIST.into()
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("file", self.file.get_ref()).finish_non_exhaustive()
    }
}
