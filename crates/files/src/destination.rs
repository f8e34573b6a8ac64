//! Resolves a path to which a user wants something written.

use std::ffi::OsString;
use std::fs::{self, FileType, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process;

/// Most links that are followed one after another, as in Linux (path_resolution(7)).
const LINKS: u32 = 40;

/// The place to which a path leads after following its links.
pub(crate) enum Destination {
    /// A regular file, or nothing yet: the folder, the name in it, and metadata if the file exists.
    Regular { folder: PathBuf, name: OsString, there: Option<Metadata> },
    /// A pipe or a device.
    Stream(PathBuf),
    /// A file that this process has open, by its descriptor.
    Open(i32),
}

/// Follows `path`.
pub(crate) fn destination(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."))
            .to_owned();
        let Some(name) = path.file_name().map(OsString::from) else {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
        };
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return if path.as_os_str().as_bytes().ends_with(b"/") {
                    Err(io::Error::new(ErrorKind::IsADirectory, "its name is one of a directory"))
                } else {
                    Ok(Destination::Regular { folder, name, there: None })
                };
            }
            Err(error) => return Err(error),
            Ok(there) if there.is_symlink() => {
                let opened = open_files(&folder)?;
                if let (Some(own), Some(number)) =
                    (opened, name.to_str().and_then(|name| name.parse().ok()))
                {
                    return Ok(if own {
                        Destination::Open(number)
                    } else {
                        Destination::Stream(path)
                    });
                }
                path = folder.join(fs::read_link(&path)?);
            }
            Ok(there) => return of_kind(there.file_type(), folder, name, path, there),
        }
    }
    Err(io::Error::other("it is a symbolic link that leads through too many others"))
}

fn of_kind(
    kind: FileType,
    folder: PathBuf,
    name: OsString,
    path: PathBuf,
    there: Metadata,
) -> io::Result<Destination> {
    if kind.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
    }
    Ok(if kind.is_file() {
        Destination::Regular { folder, name, there: Some(there) }
    } else {
        Destination::Stream(path)
    })
}

/// Returns `None` if a folder is not the folder of open files of a process in /proc; otherwise,
/// whether it belongs to this process.
fn open_files(folder: &Path) -> io::Result<Option<bool>> {
    let folder = folder.canonicalize()?;
    let names: Vec<&str> = folder
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let own = |pid: &str| pid == process::id().to_string();
    Ok(match names[..] {
        ["proc", pid, "fd"] | ["proc", pid, "task", _, "fd"] => Some(own(pid)),
        _ => None,
    })
}
