//! The directory of pins, locked by one process at a time.

use crate::error::KernelError;
use crate::pins::PINS;
use crate::registered::{LINK, MAP};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Usual mount point of the file system of pins.
const FILE_SYSTEM: &str = "/sys/fs/bpf";
/// From include/uapi/linux/magic.h.
const BPF_FS_MAGIC: u64 = 0xcafe_4a11;

/// The directory of pins, locked while this process loads, unloads or looks. The lock ends with the
/// process, so an incomplete directory was left by a killed process, and is removed.
pub(crate) struct Place {
    _lock: OwnedFd,
    /// True if this process mounted the file system.
    pub mounted: bool,
}

impl Place {
    /// Mounts the file system if necessary, and makes the directory.
    pub fn make() -> Result<Place, KernelError> {
        let mounted = mount()?;
        loop {
            match fs::DirBuilder::new().mode(0o700).create(PINS) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(failed(Path::new(PINS), "made")(error));
                }
                _ => {}
            }
            if let Some(place) = Place::lock(mounted)? {
                return Ok(place);
            }
        }
    }

    /// Locks the directory, if it exists.
    pub fn existing() -> Result<Option<Place>, KernelError> {
        if is_mounted() { Place::lock(false) } else { Ok(None) }
    }

    /// Locks the directory; `None` if it does not exist or was removed meanwhile.
    fn lock(mounted: bool) -> Result<Option<Place>, KernelError> {
        let root = Path::new(PINS);
        let lock = match rustix::fs::open(
            root,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        ) {
            Err(Errno::NOENT) => return Ok(None),
            other => other.map_err(failed(root, "opened"))?,
        };
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).map_err(failed(root, "locked"))?;
        // The previous holder of the lock may have removed the directory.
        let same = rustix::fs::fstat(&lock).is_ok_and(|this| {
            rustix::fs::stat(root).is_ok_and(|there| this.st_ino == there.st_ino)
        });
        if !same {
            return Ok(None);
        }
        let place = Place { _lock: lock, mounted };
        place.sweep();
        Ok(Some(place))
    }

    /// Returns the directories of controllers, in the order of their names. Other files do not
    /// belong to narrows.
    pub fn directories(&self) -> Result<Vec<PathBuf>, KernelError> {
        Ok(Place::every()?.into_iter().filter(|directory| routed(directory).is_none()).collect())
    }

    /// Returns the directories of routers, with their interfaces.
    pub fn routers(&self) -> Result<Vec<(PathBuf, Routed)>, KernelError> {
        Ok(Place::every()?
            .into_iter()
            .filter_map(|directory| routed(&directory).map(|place| (directory, place)))
            .collect())
    }

    fn every() -> Result<Vec<PathBuf>, KernelError> {
        let entries = fs::read_dir(PINS).map_err(failed(Path::new(PINS), "read"))?.flatten();
        let mut all: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        all.sort();
        Ok(all)
    }

    /// Removes incomplete directories. A directory that cannot be removed does no harm, and looks
    /// like a damaged controller.
    fn sweep(&self) {
        let all = Place::every().unwrap_or_default();
        all.iter()
            .filter(|directory| !registers(directory))
            .for_each(|directory| drop(remove(directory)));
    }
}

/// Mounts the file system of pins, and returns true, unless it is mounted.
pub(crate) fn mount() -> Result<bool, KernelError> {
    let mounted = !is_mounted();
    if mounted {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        rustix::mount::mount("bpf", FILE_SYSTEM, "bpf", flags, c"mode=0700")
            .map_err(failed(Path::new(FILE_SYSTEM), "mounted"))?;
    }
    Ok(mounted)
}

impl Drop for Place {
    fn drop(&mut self) {
        // `remove_dir` fails unless the directory is empty. The lock keeps a file open, which does
        // not prevent a detached unmount.
        if fs::remove_dir(PINS).is_ok() && self.mounted {
            let _ = rustix::mount::unmount(FILE_SYSTEM, UnmountFlags::DETACH);
        }
    }
}

/// Returns the directory of a controller. The file system allows no dots in names, and the kernel
/// no dashes in names of controllers.
pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(PINS).join(name.replace('.', "-"))
}

/// Returns the name of the controller in a directory.
pub(crate) fn name(directory: &Path) -> String {
    directory.file_name().expect("an entry has a name").to_string_lossy().replace('-', ".")
}

/// An interface: the inode of its network namespace, and its index there, which is not reused while
/// the namespace exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Routed {
    pub network: u64,
    pub index: u32,
}

/// Prefix of routers' directories. With the numbers, the name is longer than any controller's name.
const ROUTER: &str = "router";

/// Returns the directory of the router at an interface. It has no interface name, because that may
/// have dots and may change.
pub(crate) fn router_directory(Routed { network, index }: Routed) -> PathBuf {
    Path::new(PINS).join(format!("{ROUTER}-{network:010}-{index}"))
}

/// Returns the interface of a router's directory; `None` for a controller's directory.
fn routed(directory: &Path) -> Option<Routed> {
    let mut parts =
        directory.file_name()?.to_str()?.strip_prefix(ROUTER)?.strip_prefix('-')?.splitn(2, '-');
    let (network, index) = (parts.next()?, parts.next()?);
    (network.len() >= 10)
        .then_some(Routed { network: network.parse().ok()?, index: index.parse().ok()? })
}

/// True if a directory holds a registration.
pub(crate) fn registers(directory: &Path) -> bool {
    directory.join(LINK).exists() || directory.join(MAP).exists()
}

/// Removes the pins of a controller or router.
pub(crate) fn remove(directory: &Path) -> Result<(), KernelError> {
    fs::remove_dir_all(directory).map_err(failed(directory, "removed"))
}

/// Returns a function that converts an error of the system.
pub(crate) fn failed<E: Into<std::io::Error>>(
    path: &Path,
    what: &'static str,
) -> impl FnOnce(E) -> KernelError {
    move |error| KernelError::Pins { path: path.to_owned(), what, source: error.into() }
}

fn is_mounted() -> bool {
    rustix::fs::statfs(FILE_SYSTEM).is_ok_and(|found| found.f_type as u64 == BPF_FS_MAGIC)
}
