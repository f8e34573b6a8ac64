//! A file before it is complete. It has no name if the file system supports that, otherwise an
//! unpredictable name.

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// Flags for a file that must not exist yet.
const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Number of names that are tried.
const TRIES: u32 = 8;

/// A new file in `folder`. It is removed if it is dropped without [`Temporary::keep`]. A killed
/// process leaves nothing behind if the file system supports files without names.
pub(crate) struct Temporary {
    folder: OwnedFd,
    /// Temporary name of the file, if it needs one.
    name: Option<OsString>,
}

impl Temporary {
    /// Creates the file with the permissions `mode`, less those that the process's umask removes.
    pub(crate) fn new(folder: OwnedFd, target: &OsStr, mode: u32) -> io::Result<(Temporary, File)> {
        let permissions = Mode::from_raw_mode(mode);
        // Naming the file needs /proc.
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

    /// Gives the file its name. Replaces an existing file if `replace` is true.
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

    /// Renames the file to a name that does not exist.
    fn rename_new(&self, name: &OsStr, target: &OsStr) -> Result<(), Errno> {
        match renameat_with(&self.folder, name, &self.folder, target, RenameFlags::NOREPLACE) {
            // Not every file system supports this flag.
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
            // An error cannot be reported to anybody here.
            let _ = unlinkat(&self.folder, name, AtFlags::empty());
        }
    }
}

/// Creates something under an unpredictable hidden name, so that lists of results do not show it.
fn with_new_name<T>(
    target: &OsStr,
    make: impl Fn(&OsStr) -> Result<T, Errno>,
) -> io::Result<(OsString, T)> {
    for _ in 0..TRIES {
        let drawn = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
        // A name has at most 255 bytes.
        let shown: String = target.to_string_lossy().chars().take(40).collect();
        let name = OsString::from(format!(".{shown}.{drawn:016x}.partial"));
        match make(&name) {
            Err(Errno::EXIST) => {}
            other => return Ok((name, other?)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no new name is free beside it"))
}

/// Opens a directory. Files are then created, renamed and removed in it even if its path changes.
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
