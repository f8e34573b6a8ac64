//! A folder in which a program chooses the names of files, such as a result directory.

use crate::open::regular;
use crate::output::Output;
use crate::temporary::directory;
use rustix::fs::{AtFlags, CWD, Mode, mkdirat, statat};
use rustix::io::Errno;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// An open folder. Links to it are followed. Links in it are not, because the folder may come from
/// elsewhere and the user has not named them.
#[derive(Debug)]
pub struct Folder {
    open: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens an existing folder.
    ///
    /// # Errors
    /// It does not exist, or is not a folder.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Ok(Folder { open: directory(CWD, path, true)?, path: path.to_owned() })
    }

    /// Opens a folder. Creates it and its parents if necessary.
    ///
    /// # Errors
    /// It cannot be created, or is not a folder.
    pub fn make(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        Folder::open(path)
    }

    /// Opens a folder in this one. Creates it if necessary.
    ///
    /// # Errors
    /// It cannot be created, is a link, or is not a folder.
    pub fn folder(&self, name: &str) -> io::Result<Folder> {
        plain(name)?;
        match mkdirat(&self.open, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // The kernel reports a link as not being a directory.
        let open =
            directory(&self.open, Path::new(name), false).map_err(|error| match error.kind() {
                ErrorKind::NotADirectory => {
                    io::Error::new(error.kind(), "it is a symbolic link or no folder; remove it")
                }
                _ => error,
            })?;
        Ok(Folder { open, path: self.path(name) })
    }

    /// Begins a file in this folder. An existing regular file is replaced when the new one is
    /// complete, and keeps its permissions.
    ///
    /// # Errors
    /// It cannot be written, or a link, a pipe, a device or a folder has its name.
    pub fn create(&self, name: &str) -> io::Result<Output> {
        plain(name)?;
        let mode = match statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => {
                regular(there.st_mode).map_err(|error| {
                    io::Error::new(ErrorKind::AlreadyExists, format!("{error}; remove it"))
                })?;
                Some(there.st_mode)
            }
            Err(Errno::NOENT) => None,
            Err(error) => return Err(error.into()),
        };
        Output::inside(self.open.try_clone()?, name.as_ref(), mode)
    }

    /// Writes a whole file in this folder.
    ///
    /// # Errors
    /// The errors of [`create`](Folder::create), or the disk is full. An existing file is then
    /// unchanged.
    pub fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut output = self.create(name)?;
        output.write_all(content)?;
        output.finish()
    }

    /// Returns the path of a name in this folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Refuses a folder with entries other than regular files and folders.
    ///
    /// # Errors
    /// An entry is a link, a pipe, a socket or a device, which is named, or it cannot be read.
    pub fn refuse_special(path: &Path) -> Result<(), (PathBuf, io::Error)> {
        let failed = |error| (path.to_owned(), error);
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let there = entry.metadata().map_err(|error| (entry.path(), error))?;
            if !there.is_dir() {
                regular(there.mode()).map_err(|error| (entry.path(), error))?;
            }
        }
        Ok(())
    }
}

/// Refuses a name that leads to another folder.
fn plain(name: &str) -> io::Result<()> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(()),
        _ => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not the name of a file in this folder",
        )),
    }
}
