//! A controller that stays in the kernel until it is unloaded, also after the process that loaded
//! it ends.

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

/// Symbolic link to the controller with its parameters, as on the command line.
const CHOICE: &str = "choice";

/// A pinned controller.
pub struct Pinned {
    name: String,
    path: PathBuf,
    text: String,
    made: Made,
}

/// The origin of a controller.
enum Made {
    /// A core of narrows, with its maps; without a twin if another version of this program loaded
    /// it.
    Core(Option<(&'static Twin, Choice)>, Box<Maps>),
    /// A file.
    File,
}

/// A controller with a missing or invalid pin.
#[derive(Clone, Debug)]
pub struct Damaged {
    name: String,
    path: PathBuf,
    problem: String,
}

/// The only reader of a controller's records, one process at a time.
pub struct Watching<'a> {
    pinned: &'a Pinned,
    maps: &'a Maps,
    lock: OwnedFd,
}

impl Damaged {
    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the fault.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Unregisters the controller, and removes the remaining pins.
    ///
    /// # Errors
    ///
    /// The errors of [`Pinned::unload`].
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
    /// Registers a controller under `name`, and pins it. `choice` is like `pcc-vivace?fixed=true`.
    /// The second value is true if the file system of pins had to be mounted.
    ///
    /// # Errors
    ///
    /// The errors of [`Loaded::new`], or the pins cannot be made; nothing is left in the kernel.
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

    /// Loads a controller with a given kind of registration, so that tests can use that of older
    /// kernels.
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

    /// Registers a controller from a file under `name`, and pins it; `text` describes it. Also
    /// returns the programs of the object that are not loaded because they are not callbacks, and
    /// true if the file system of pins had to be mounted.
    ///
    /// # Errors
    ///
    /// The errors of [`LoadedFile::new`], or the pins cannot be made; nothing is left in the
    /// kernel.
    pub fn load_file(
        program: &ForKernel,
        text: &str,
        name: &str,
    ) -> Result<(Pinned, Vec<String>, bool), KernelError> {
        given::check(name)?;
        fit()?;
        Pinned::file_held_by(Registration::probed(), program, text, name)
    }

    /// Loads a controller with a given kind of registration, so that tests can use that of older
    /// kernels.
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

    /// Makes the directory of a controller's pins, and lets `fill` fill it. Removes the directory
    /// if that fails.
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

    /// Returns all pinned controllers, including damaged ones, in the order of their names.
    ///
    /// # Errors
    ///
    /// This process may not read the directory of pins.
    pub fn all() -> Result<Vec<Result<Pinned, Damaged>>, KernelError> {
        fit()?;
        let Some(place) = Place::existing()? else { return Ok(Vec::new()) };
        Ok(place.directories()?.iter().map(|path| Pinned::found(path)).collect())
    }

    /// Finds a controller by its name in the kernel, also with `-` for `_`, or by any name of the
    /// twin that was loaded under its default name.
    ///
    /// # Errors
    ///
    /// The errors of [`Pinned::all`], or no controller has this name.
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

    /// Finds an undamaged controller by its name.
    ///
    /// # Errors
    ///
    /// The errors of [`Pinned::find`], or damaged pins.
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

    /// Returns the maps of a controller of narrows; `None` for one from a file.
    fn maps(&self) -> Option<&Maps> {
        match &self.made {
            Made::Core(_, maps) => Some(maps),
            Made::File => None,
        }
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the controller with its parameters, as it was loaded: `pcc-vivace?fixed=true`,
    /// `/home/me/mine.bpf.c?gain=700`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the twin and the choice; `None` if another version of this program loaded the
    /// controller, or if it came from a file.
    pub fn known(&self) -> Option<(&'static Twin, &Choice)> {
        match &self.made {
            Made::Core(Some((twin, choice)), _) => Some((*twin, choice)),
            _ => None,
        }
    }

    /// True if the controller came from a file.
    pub fn is_file(&self) -> bool {
        matches!(self.made, Made::File)
    }

    /// Returns the constants in the kernel; empty for a controller from a file.
    pub fn constants(&self) -> Vec<u8> {
        self.maps().map_or_else(Vec::new, Maps::constants)
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the time at which the controller was loaded, if the file system has it.
    pub fn since(&self) -> Option<SystemTime> {
        fs::symlink_metadata(self.path.join(CHOICE)).and_then(|found| found.modified()).ok()
    }

    /// Returns the counters; `None` for a controller from a file, which has
    /// [`callbacks`](Pinned::callbacks).
    pub fn stats(&self) -> Option<Stats> {
        self.maps().map(Maps::stats)
    }

    /// Returns the number of connections with the controller. For a controller from a file, it
    /// includes network namespaces that have it as their default.
    pub fn open(&self) -> u64 {
        self.stats().map_or_else(|| sockets(&self.path).unwrap_or_default(), |stats| stats.open())
    }

    /// Returns the callbacks of a controller from a file: the number and the time of their calls,
    /// while the kernel [counted](crate::Counting).
    ///
    /// # Errors
    ///
    /// The pins cannot be read.
    pub fn callbacks(&self) -> Result<Vec<Calls>, KernelError> {
        calls(&self.path)
    }

    /// Returns the price of connections for each socket priority (`SO_PRIORITY`) that has one.
    ///
    /// # Errors
    ///
    /// [`KernelError::NoPrices`]: the controller does not support prices.
    pub fn prices(&self) -> Result<Vec<(u32, Price)>, KernelError> {
        let prices = self.maps().and_then(Maps::prices);
        prices.ok_or_else(|| KernelError::NoPrices { name: self.name.clone() })
    }

    /// Sets the price of connections with a priority, 0 to 15, or resets it to the controller's.
    /// Open connections use it from their next interval on.
    ///
    /// # Errors
    ///
    /// [`KernelError::NoPrices`]: the controller does not support prices. Or the kernel refuses,
    /// for example a priority above 15.
    pub fn set_price(&self, priority: u32, price: Price) -> Result<(), KernelError> {
        self.prices()?;
        let Some(maps) = self.maps() else { return Ok(()) };
        maps.set_price(priority, price)
            .map_err(|error| failed(&self.path, "written")(std::io::Error::other(error)))
    }

    /// Becomes the only process that reads the records.
    ///
    /// # Errors
    ///
    /// [`KernelError::Watched`]: another process reads them. [`KernelError::NoRecords`]: the
    /// controller came from a file.
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
                // Drop old records of an earlier reader.
                maps.records(Duration::ZERO, drop);
                Ok(watching)
            }
        }
    }

    /// Unregisters the controller and removes its pins. Connections that have it keep it until they
    /// end; returns their number.
    ///
    /// # Errors
    ///
    /// The pins cannot be removed, or the kernel still lists the controller after five seconds.
    pub fn unload(self) -> Result<u64, KernelError> {
        let open = self.open();
        take_away(&self.name, &self.path)?;
        Ok(open)
    }
}

/// Unregisters a controller and removes its pins, as far as they exist.
fn take_away(name: &str, path: &Path) -> Result<(), KernelError> {
    let place = Place::existing()?;
    let loaded = place.as_ref().map_or_else(|| Ok(Vec::new()), Place::directories)?;
    if !loaded.iter().any(|one| one == path) {
        // Another process has removed it.
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
    // Remove the holder of the registration first: if this process is killed, the next command
    // removes a directory without one.
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
    /// Time for which recording continues after the last call of [`Watching::records`], so that
    /// connections pay nothing for a reader that was killed.
    pub const GRACE: Duration = Duration::from_secs(2);

    /// Reads the records since the last call. Waits for them up to `wait`, which must be less than
    /// [`Watching::GRACE`].
    pub fn records(&self, wait: Duration, each: impl FnMut(Record)) {
        self.maps.record_until(monotonic() + Self::GRACE.as_micros() as u64);
        self.maps.records_within(wait, each);
    }

    /// True until the controller is unloaded, even if another one is loaded under its name later.
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

/// Returns the clock of the kernel's TCP (`tcp_clock_us`), in µs.
fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000
}
