//! A controller that stays in the kernel until it is unloaded, whatever becomes of the process that loaded it.

use crate::accurate;
use crate::called::Calls;
use crate::calls::{calls, sockets};
use crate::error::KernelError;
use crate::fitness::fit;
use crate::given;
use crate::loaded::Loaded;
use crate::loaded_file::LoadedFile;
use crate::maps::Maps;
use crate::names::available;
use crate::place::{self, Place, failed};
use crate::registered::{LINK, MAP, Registration};
use crate::shared::{Price, Record, Stats};
use libbpf_rs::{MapCore, MapHandle, MapType};
use narrows_bpf::ForKernel;
use narrows_control::cores::Twin;
use narrows_control::{Choice, names_file};
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// A link that says which controller it is, with its parameters, as the command line has them.
const CHOICE: &str = "choice";

/// A controller that is pinned.
pub struct Pinned {
    name: String,
    path: PathBuf,
    text: String,
    made: Made,
}

/// What a controller was made of.
enum Made {
    /// One of ours, unless another version of this program loaded it: around a core, with maps of its own.
    Core(Option<(&'static Twin, Choice)>, Box<Maps>),
    /// A file.
    File,
}

/// A controller of which a pin is missing, or is not what it should be.
#[derive(Clone, Debug)]
pub struct Damaged {
    name: String,
    path: PathBuf,
    problem: String,
}

/// One process at a time that reads the records of a controller.
pub struct Watching<'a> {
    pinned: &'a Pinned,
    maps: &'a Maps,
    lock: OwnedFd,
}

impl Damaged {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The directory of its pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fault.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Unregisters it and removes the pins that are left.
    ///
    /// # Errors
    ///
    /// As [`Pinned::unload`].
    pub fn unload(self) -> Result<(), KernelError> {
        take_away(&self.name, &self.path)
    }
}

impl From<Damaged> for KernelError {
    fn from(Damaged { name, path, problem }: Damaged) -> KernelError {
        KernelError::Damaged { name, path, problem }
    }
}

impl Pinned {
    /// Registers the controller of this text, `pcc-vivace?fixed=true`, under `name`, and pins it. The second value is true if the file
    /// system of pins had to be mounted.
    ///
    /// # Errors
    ///
    /// As [`Loaded::new`], or the pins cannot be made; nothing is left of it then.
    pub fn load(
        twin: &'static Twin,
        choice: &Choice,
        constants: &[u8],
        name: &str,
    ) -> Result<(Pinned, bool), KernelError> {
        given::check(name)?;
        fit()?;
        accurate::fit(twin)?;
        Pinned::held_by(Registration::probed(), twin, choice, constants, name)
    }

    /// The same with what holds the registration chosen, for tests of older kernels' way.
    #[doc(hidden)]
    pub fn held_by(
        registration: Registration,
        twin: &'static Twin,
        choice: &Choice,
        constants: &[u8],
        name: &str,
    ) -> Result<(Pinned, bool), KernelError> {
        Pinned::made(name, choice.text(), |path| {
            let loaded = Loaded::held_by(registration, twin, constants, name)?;
            loaded
                .pin(path)
                .map_err(|error| failed(path, "filled")(std::io::Error::other(error)))?;
            Ok(())
        })
        .map(|(pinned, (), mounted)| (pinned, mounted))
    }

    /// Registers a controller from a file under `name`, and pins it. `text` says which it is. Beside it the programs of the object that were not loaded, since they
    /// are no callbacks, and whether the file system of pins had to be mounted.
    ///
    /// # Errors
    ///
    /// As [`LoadedFile::new`], or the pins cannot be made; nothing is left of it then.
    pub fn load_file(
        program: &ForKernel,
        text: &str,
        name: &str,
    ) -> Result<(Pinned, Vec<String>, bool), KernelError> {
        given::check(name)?;
        fit()?;
        Pinned::file_held_by(Registration::probed(), program, text, name)
    }

    /// The same with what holds the registration chosen, for tests of older kernels' way.
    #[doc(hidden)]
    pub fn file_held_by(
        registration: Registration,
        program: &ForKernel,
        text: &str,
        name: &str,
    ) -> Result<(Pinned, Vec<String>, bool), KernelError> {
        Pinned::made(name, text, |path| {
            let loaded = LoadedFile::held_by(registration, program, name)?;
            let left = loaded.left().to_vec();
            loaded
                .pin(path)
                .map_err(|error| failed(path, "filled")(std::io::Error::other(error)))?;
            Ok(left)
        })
    }

    /// Makes the directory of a controller's pins, which `fill` fills. Nothing is left of it if that fails.
    fn made<T>(
        name: &str,
        text: &str,
        fill: impl FnOnce(&Path) -> Result<T, KernelError>,
    ) -> Result<(Pinned, T, bool), KernelError> {
        let place = Place::make()?;
        let path = place::directory(name);
        if path.exists() {
            if let Err(damaged) = Pinned::found(&path) {
                return Err(damaged.into());
            }
            let choice = fs::read_link(path.join(CHOICE)).unwrap_or_default().display().to_string();
            return Err(KernelError::LoadedBefore {
                name: name.to_owned(),
                choice,
                path,
                proposal: given::proposal(name),
            });
        }
        let filled = fs::create_dir(&path).map_err(failed(&path, "made")).and_then(|()| {
            std::os::unix::fs::symlink(text, path.join(CHOICE))
                .map_err(failed(&path, "written"))?;
            let more = fill(&path)?;
            Ok((Pinned::found(&path)?, more))
        });
        if filled.is_err() {
            let _ = place::remove(&path);
        }
        let (pinned, more) = filled?;
        Ok((pinned, more, place.mounted))
    }

    /// All that are pinned, in the order of their names; of those that are not whole, in their places, what is known of them.
    ///
    /// # Errors
    ///
    /// This process may not look.
    pub fn all() -> Result<Vec<Result<Pinned, Damaged>>, KernelError> {
        fit()?;
        let Some(place) = Place::existing()? else { return Ok(Vec::new()) };
        Ok(place.directories()?.iter().map(|path| Pinned::found(path)).collect())
    }

    /// The one of this name: the kernel's, the same with `-` for `_`, or any name of the controller that was loaded under its own.
    ///
    /// # Errors
    ///
    /// As [`Pinned::all`], or there is none.
    pub fn find(name: &str) -> Result<Result<Pinned, Damaged>, KernelError> {
        let mut all = Pinned::all()?;
        let names: Vec<String> = all
            .iter()
            .map(|one| one.as_ref().map_or_else(|one| one.name(), |one| one.name()).to_owned())
            .collect();
        let alike = [name.to_owned(), name.replace('-', "_")]
            .into_iter()
            .chain(Twin::named(name).ok().map(|twin| twin.kernel.to_owned()));
        match alike.filter_map(|alike| names.iter().position(|one| *one == alike)).next() {
            Some(index) => Ok(all.swap_remove(index)),
            None => Err(KernelError::NotLoaded { name: name.to_owned(), loaded: names }),
        }
    }

    /// The same, if it is whole.
    ///
    /// # Errors
    ///
    /// As [`Pinned::find`], or its pins are damaged.
    pub fn named(name: &str) -> Result<Pinned, KernelError> {
        Ok(Pinned::find(name)??)
    }

    fn found(path: &Path) -> Result<Pinned, Damaged> {
        let name = place::name(path);
        let damaged = |problem| Damaged { name: name.clone(), path: path.to_owned(), problem };
        let text = fs::read_link(path.join(CHOICE))
            .map_err(|error| damaged(format!("\"{CHOICE}\" cannot be read: {error}")))?;
        let text = text.to_string_lossy().into_owned();
        let made = match text.split('?').next().is_some_and(names_file) {
            true => {
                sockets(path).map_err(damaged)?;
                Made::File
            }
            false => {
                let known = Twin::read(&text).ok();
                let state = known.as_ref().map_or(0, |(twin, _)| twin.state);
                Made::Core(known, Box::new(Maps::pinned(path, state).map_err(damaged)?))
            }
        };
        Ok(Pinned { name, path: path.to_owned(), text, made })
    }

    /// The maps of one of ours.
    fn maps(&self) -> Option<&Maps> {
        match &self.made {
            Made::Core(_, maps) => Some(maps),
            Made::File => None,
        }
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which controller it is with its parameters, as it was loaded: `pcc-vivace?fixed=true`, `/home/me/mine.bpf.c?gain=700`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same as this program knows it; `None` for one that another version loaded, and for one from a file.
    pub fn known(&self) -> Option<(&'static Twin, &Choice)> {
        match &self.made {
            Made::Core(Some((twin, choice)), _) => Some((*twin, choice)),
            _ => None,
        }
    }

    /// True if it came from a file.
    pub fn is_file(&self) -> bool {
        matches!(self.made, Made::File)
    }

    /// Its constants, as the kernel has them; none of one from a file.
    pub fn constants(&self) -> Vec<u8> {
        self.maps().map_or_else(Vec::new, Maps::constants)
    }

    /// The directory of its pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When it was loaded, if the file system tells.
    pub fn since(&self) -> Option<SystemTime> {
        fs::symlink_metadata(self.path.join(CHOICE)).and_then(|found| found.modified()).ok()
    }

    /// Its counters; of one from a file there are [`callbacks`](Pinned::callbacks).
    pub fn stats(&self) -> Option<Stats> {
        self.maps().map(Maps::stats)
    }

    /// How many connections have it. Of one from a file, those and the network namespaces that have it as their default.
    pub fn open(&self) -> u64 {
        self.stats().map_or_else(|| sockets(&self.path).unwrap_or_default(), |stats| stats.open())
    }

    /// The callbacks of one from a file: how often the kernel called each, and how long they took, while it [counted](crate::Counting).
    ///
    /// # Errors
    ///
    /// Its pins cannot be read.
    pub fn callbacks(&self) -> Result<Vec<Calls>, KernelError> {
        calls(&self.path)
    }

    /// The prices of connections, by the socket's priority (`SO_PRIORITY`): each priority that has prices.
    ///
    /// # Errors
    ///
    /// [`KernelError::NoPrices`]: its connections cannot have any.
    pub fn prices(&self) -> Result<Vec<(u32, Price)>, KernelError> {
        let prices = self.maps().and_then(Maps::prices);
        prices.ok_or_else(|| KernelError::NoPrices { name: self.name.clone() })
    }

    /// Gives connections of a priority, 0 to 15, prices of their own, or the controller's again. Open connections have them
    /// from their next interval on.
    ///
    /// # Errors
    ///
    /// [`KernelError::NoPrices`]: its connections cannot have any. The kernel refuses, for example a priority above 15.
    pub fn set_price(&self, priority: u32, price: Price) -> Result<(), KernelError> {
        self.prices()?;
        let Some(maps) = self.maps() else { return Ok(()) };
        maps.set_price(priority, price)
            .map_err(|error| failed(&self.path, "written")(std::io::Error::other(error)))
    }

    /// Becomes the one process that reads its records.
    ///
    /// # Errors
    ///
    /// [`KernelError::Watched`]: another one does. [`KernelError::NoRecords`]: it came from a file.
    pub fn watch(&self) -> Result<Watching<'_>, KernelError> {
        let Some(maps) = self.maps() else {
            return Err(KernelError::NoRecords { name: self.name.clone() });
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let lock = rustix::fs::open(&self.path, flags, Mode::empty())
            .map_err(failed(&self.path, "opened"))?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => {
                Err(KernelError::Watched { name: self.name.clone() })
            }
            other => {
                other.map_err(failed(&self.path, "locked"))?;
                let watching = Watching { pinned: self, maps, lock };
                // Records that an earlier reader left are of no use to this one.
                maps.records(Duration::ZERO, drop);
                Ok(watching)
            }
        }
    }

    /// Unregisters it and removes its pins. Connections that have it keep it until they end; the result says how many there are.
    ///
    /// # Errors
    ///
    /// The pins cannot be removed, or the kernel still lists it after five seconds.
    pub fn unload(self) -> Result<u64, KernelError> {
        let open = self.open();
        take_away(&self.name, &self.path)?;
        Ok(open)
    }
}

/// Unregisters a controller and removes its pins, as far as there are any.
fn take_away(name: &str, path: &Path) -> Result<(), KernelError> {
    let place = Place::existing()?;
    let loaded = place.as_ref().map_or_else(|| Ok(Vec::new()), Place::directories)?;
    if !loaded.iter().any(|one| one == path) {
        // Another process was faster.
        return Err(KernelError::NotLoaded {
            name: name.to_owned(),
            loaded: loaded.iter().map(|one| place::name(one)).collect(),
        });
    }
    let table = MapHandle::from_pinned_path(path.join(MAP))
        .ok()
        .filter(|map| map.map_type() == MapType::StructOps);
    if let Some(map) = table {
        let ended = map.delete(&0_u32.to_ne_bytes());
        ended.map_err(|error| failed(path, "unregistered")(std::io::Error::other(error)))?;
    }
    // First what holds the registration: a directory without is removed by the next command if this one is killed.
    let link = path.join(LINK);
    if link.exists() {
        fs::remove_file(&link).map_err(failed(&link, "removed"))?;
    }
    place::remove(path)?;
    let patience = Instant::now() + Duration::from_secs(5);
    while available().iter().any(|one| one == name) {
        if Instant::now() > patience {
            let log = String::new();
            let reason = "it is still listed five seconds after its pins were removed: another program holds it".to_owned();
            return Err(KernelError::Refused { name: name.to_owned(), reason, log });
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

impl Watching<'_> {
    /// For how long recording goes on after the last call of [`Watching::records`]: no longer, so that a reader that was killed costs
    /// connections nothing.
    pub const GRACE: Duration = Duration::from_secs(2);

    /// Reads what was recorded since the last call, waiting for it up to `wait`, which is less than [`Watching::GRACE`].
    pub fn records(&self, wait: Duration, each: impl FnMut(Record)) {
        self.maps.record_until(monotonic() + Self::GRACE.as_micros() as u64);
        self.maps.records_within(wait, each);
    }

    /// False once the controller is unloaded, also if another one was loaded under its name since.
    pub fn is_loaded(&self) -> bool {
        rustix::fs::fstat(&self.lock).is_ok_and(|directory| directory.st_nlink > 0)
            && place::registers(&self.pinned.path)
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.maps.record_until(0);
    }
}

/// The kernel's clock of TCP (`tcp_clock_us`), in µs.
fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000
}
