//! The directory of pins, for one process at a time.

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

/// Where systems mount the file system of pins.
const FILE_SYSTEM: &str = "/sys/fs/bpf";
/// include/uapi/linux/magic.h
const BPF_FS_MAGIC: u64 = 0xcafe_4a11;

/// The directory of pins while this process alone loads, unloads or looks. The lock ends with the process, so that what it finds half made
/// was left by one that was killed, and is removed.
pub(crate) struct Place {
    _lock: OwnedFd,
    /// True if the file system was not mounted before.
    pub mounted: bool,
}

impl Place {
    /// Mounts the file system if it is not there, and makes the directory.
    pub fn make() -> Result<Place, KernelError> {
        let mounted = !is_mounted();
        if mounted {
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            rustix::mount::mount("bpf", FILE_SYSTEM, "bpf", flags, c"mode=0700")
                .map_err(failed(Path::new(FILE_SYSTEM), "mounted"))?;
        }
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

    /// The directory if something was ever pinned there.
    pub fn existing() -> Result<Option<Place>, KernelError> {
        if is_mounted() { Place::lock(false) } else { Ok(None) }
    }

    /// `None` if there is no directory, or none any more.
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
        // Whoever had it before may have removed it.
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

    /// The directories of controllers, in the order of their names. What else lies there is not of narrows.
    pub fn directories(&self) -> Result<Vec<PathBuf>, KernelError> {
        Ok(Place::every()?.into_iter().filter(|directory| routed(directory).is_none()).collect())
    }

    /// The directories of routers.
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

    /// Removes half-made directories. One that cannot be removed is reported as damaged to whoever asks for it, and disturbs nobody else.
    fn sweep(&self) {
        let all = Place::every().unwrap_or_default();
        all.iter()
            .filter(|directory| !registers(directory))
            .for_each(|directory| drop(remove(directory)));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Only what is empty. The lock still holds a file of it, which detaching does not mind.
        if fs::remove_dir(PINS).is_ok() && self.mounted {
            let _ = rustix::mount::unmount(FILE_SYSTEM, UnmountFlags::DETACH);
        }
    }
}

/// The directory of a controller. The file system takes no dots, and the kernel no dashes in names of controllers.
pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(PINS).join(name.replace('.', "-"))
}

/// The name of the controller in a directory.
pub(crate) fn name(directory: &Path) -> String {
    directory.file_name().expect("an entry has a name").to_string_lossy().replace('-', ".")
}

/// An interface: its network namespace, by its inode, and its number there, which no other gets while the namespace lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Routed {
    pub network: u64,
    pub index: u32,
}

/// What the directory of a router begins with. With the numbers it is longer than the name of any controller.
const ROUTER: &str = "router";

/// The directory of the router at an interface, whose own name may have dots and change.
pub(crate) fn router_directory(Routed { network, index }: Routed) -> PathBuf {
    Path::new(PINS).join(format!("{ROUTER}-{network:010}-{index}"))
}

/// The interface of a router's directory; none for that of a controller.
fn routed(directory: &Path) -> Option<Routed> {
    let mut parts =
        directory.file_name()?.to_str()?.strip_prefix(ROUTER)?.strip_prefix('-')?.splitn(2, '-');
    let (network, index) = (parts.next()?, parts.next()?);
    (network.len() >= 10)
        .then_some(Routed { network: network.parse().ok()?, index: index.parse().ok()? })
}

/// True if a directory has what holds a registration.
pub(crate) fn registers(directory: &Path) -> bool {
    directory.join(LINK).exists() || directory.join(MAP).exists()
}

/// Removes the pins of a controller.
pub(crate) fn remove(directory: &Path) -> Result<(), KernelError> {
    fs::remove_dir_all(directory).map_err(failed(directory, "removed"))
}

/// The system's answer as an error.
pub(crate) fn failed<E: Into<std::io::Error>>(
    path: &Path,
    what: &'static str,
) -> impl FnOnce(E) -> KernelError {
    move |error| KernelError::Pins { path: path.to_owned(), what, source: error.into() }
}

fn is_mounted() -> bool {
    rustix::fs::statfs(FILE_SYSTEM).is_ok_and(|found| found.f_type as u64 == BPF_FS_MAGIC)
}
