//! A file before it is complete: without a name where the file system can, else under a name that
//! nobody can guess.

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// Flags of a file that nobody else has opened before.
const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Names that are tried.
const TRIES: u32 = 8;

/// A new file in `folder`. Dropped without [`Temporary::keep`] it is gone; killed, a process leaves
/// nothing where files can be without a name.
pub(crate) struct Temporary {
    folder: OwnedFd,
    /// The name that the file has in the meantime, if it must have one.
    name: Option<OsString>,
}

impl Temporary {
    /// Makes the file, with the permissions `mode` less those that the process's mask takes.
    pub(crate) fn new(folder: OwnedFd, target: &OsStr, mode: u32) -> io::Result<(Temporary, File)> {
        let permissions = Mode::from_raw_mode(mode);
        // Giving it a name goes through /proc.
        if Path::new("/proc/self/fd").exists()
            && let Ok(file) = openat(
                &folder,
                ".",
                OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC,
                permissions,
            )
        {
            return Ok((Temporary { folder, name: None }, File::from(file)));
        }
        let (name, file) = with_new_name(target, |name| openat(&folder, name, NEW, permissions))?;
        Ok((Temporary { folder, name: Some(name) }, File::from(file)))
    }

    /// Gives the file its name, in the place of what is there if `replace` allows it.
    pub(crate) fn keep(mut self, file: &File, target: &OsStr, replace: bool) -> io::Result<()> {
        let Some(name) = self.name.take() else { return self.link(file, target, replace) };
        let renamed = if replace {
            renameat(&self.folder, &name, &self.folder, target)
        } else {
            self.rename_new(&name, target)
        };
        renamed.map_err(|error| {
            let _ = unlinkat(&self.folder, &name, AtFlags::empty());
            error.into()
        })
    }

    /// Renames where nothing is.
    fn rename_new(&self, name: &OsStr, target: &OsStr) -> Result<(), Errno> {
        match renameat_with(&self.folder, name, &self.folder, target, RenameFlags::NOREPLACE) {
            // Not every file system can.
            Err(Errno::INVAL | Errno::NOSYS) => {
                linkat(&self.folder, name, &self.folder, target, AtFlags::empty())?;
                unlinkat(&self.folder, name, AtFlags::empty())
            }
            other => other,
        }
    }

    /// Names a file that has no name.
    fn link(&self, file: &File, target: &OsStr, replace: bool) -> io::Result<()> {
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link =
            |name: &OsStr| linkat(CWD, own.as_str(), &self.folder, name, AtFlags::SYMLINK_FOLLOW);
        match link(target) {
            Err(Errno::EXIST) if replace => {}
            other => return Ok(other?),
        }
        let (name, ()) = with_new_name(target, link)?;
        renameat(&self.folder, &name, &self.folder, target).map_err(|error| {
            let _ = unlinkat(&self.folder, &name, AtFlags::empty());
            error.into()
        })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nobody is left to tell if this fails.
            let _ = unlinkat(&self.folder, name, AtFlags::empty());
        }
    }
}

/// Makes something under a name that nobody can guess: a hidden one, so that no list of results
/// shows it.
fn with_new_name<T>(
    target: &OsStr,
    make: impl Fn(&OsStr) -> Result<T, Errno>,
) -> io::Result<(OsString, T)> {
    for _ in 0..TRIES {
        let drawn = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
        // The longest name has 255 bytes.
        let shown: String = target.to_string_lossy().chars().take(40).collect();
        let name = OsString::from(format!(".{shown}.{drawn:016x}.partial"));
        match make(&name) {
            Err(Errno::EXIST) => {}
            other => return Ok((name, other?)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no new name is free beside it"))
}

/// Opens a directory, in which files are then made, renamed and removed whatever happens to its
/// path.
pub(crate) fn directory(
    at: impl std::os::fd::AsFd,
    path: &Path,
    follow: bool,
) -> io::Result<OwnedFd> {
    let no_link = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    Ok(openat(
        at,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | no_link,
        Mode::empty(),
    )?)
}
