//! A program that assigns connections of control groups to the arms of an experiment
//! (`bpf/deploy.bpf.c`), pinned until it is removed.

mod draw;
mod exclusive;
mod open;
mod shared;

pub use draw::{Tuple, draw, draw_client};
pub use shared::{
    ACCEPTED, ARMS, CLASSES, Connection, Counts, Live, OPENED, PERIODS, Policy, Record, Share,
};
pub use shared::{class_ends, name_bytes, name_text};

use crate::error::KernelError;
use crate::fitness::fit_for_deployments;
use crate::log::listening;
use crate::place::failed;
use libbpf_rs::{
    Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, ProgramMut, RingBufferBuilder,
    num_possible_cpus,
};
use rustix::time::{ClockId, clock_gettime};
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/deploy.o"));
/// Directory of pinned deployments; each has its own directory there. It is not the directory of
/// controllers, in which every directory is one.
pub const PINS: &str = "/sys/fs/bpf/narrows-deploy";
/// Maps that are pinned, by their names in the object.
const MAPS: [&str; 10] = [
    "connections",
    "policies",
    "thresholds",
    "live",
    "records",
    "counts",
    "round_trips",
    "ports",
    "prefixes",
    "interfaces",
];

/// The program of control groups.
const PROGRAM: &str = "deploy";

/// A deployment in the kernel. It stays when it is dropped; its lease lapses.
pub struct Deployment {
    path: PathBuf,
    maps: Vec<(&'static str, MapHandle)>,
}

/// The time of the kernel's programs (CLOCK_MONOTONIC), in nanoseconds.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl Deployment {
    /// Loads the program, attaches it to control groups, and pins it under `name`. It assigns
    /// nobody until a policy that is on is set and the lease is renewed.
    ///
    /// # Errors
    ///
    /// The host is unfit, the name is taken, or the kernel refuses; nothing is left in the kernel.
    pub fn start(name: &str, cgroups: &[File]) -> Result<Deployment, KernelError> {
        fit_for_deployments()?;
        crate::place::mount()?;
        let path = Path::new(PINS).join(name);
        for directory in [Path::new(PINS), &path] {
            match fs::DirBuilder::new().mode(0o700).create(directory) {
                Err(error)
                    if directory == path || error.kind() != std::io::ErrorKind::AlreadyExists =>
                {
                    return Err(failed(directory, "made")(error));
                }
                _ => {}
            }
        }
        let made = listening(&format!("the deployment {name}"), || {
            let object = ObjectBuilder::default().name("narrows")?.open_memory(OBJECT)?.load()?;
            pin(object, &path, cgroups)
        });
        match made {
            Ok(maps) => Ok(Deployment { path, maps }),
            Err(error) => {
                let _ = Deployment { path, maps: Vec::new() }.remove();
                // The kernel gives the same reason, EPERM, for this and for much else.
                Err(cgroups.iter().find_map(exclusive::above).unwrap_or(error))
            }
        }
    }

    /// Attaches the program to a control group in place of its `place`-th one, which was made again
    /// and so has nothing of the program.
    ///
    /// # Errors
    ///
    /// The kernel refuses.
    pub fn attach(&self, place: usize, cgroup: &File) -> Result<(), KernelError> {
        listening("the deployment", || {
            let object = self.beside(OBJECT)?;
            let mut link = program(&object, PROGRAM).attach_cgroup(cgroup.as_raw_fd())?;
            let path = self.path.join(format!("link-{place}"));
            let _ = fs::remove_file(&path);
            link.pin(path)
        })
    }

    /// Loads an object whose maps are those of this deployment.
    fn beside(&self, object: &[u8]) -> libbpf_rs::Result<Object> {
        let mut open = ObjectBuilder::default().name("narrows")?.open_memory(object)?;
        for mut map in open.maps_mut() {
            let name = map.name().to_string_lossy().into_owned();
            if MAPS.contains(&name.as_str()) {
                map.reuse_pinned_map(self.path.join(name))?;
            }
        }
        open.load()
    }

    /// Opens a pinned deployment; `None` if no deployment has this name.
    ///
    /// # Errors
    ///
    /// This process has no rights, or a pin is damaged or of another version of narrows.
    pub fn adopt(name: &str) -> Result<Option<Deployment>, KernelError> {
        fit_for_deployments()?;
        let path = Path::new(PINS).join(name);
        if !path.is_dir() {
            return Ok(None);
        }
        let open = |map: &'static str| {
            MapHandle::from_pinned_path(path.join(map))
                .map(|handle| (map, handle))
                .map_err(|error| failed(&path.join(map), "opened")(std::io::Error::other(error)))
        };
        let maps = MAPS.into_iter().map(open).collect::<Result<_, _>>()?;
        let found = Deployment { path, maps };
        let sizes = [
            ("policies", size_of::<Policy>()),
            ("counts", size_of::<Counts>()),
            ("live", size_of::<Live>()),
        ];
        match sizes.into_iter().find(|(map, size)| found.map(map).value_size() as usize != *size) {
            None => Ok(Some(found)),
            Some((map, _)) => Err(failed(&found.path.join(map), "read")(std::io::Error::other(
                "another version of narrows made it; stop the experiment with that version, or remove the directory",
            ))),
        }
    }

    /// Removes the pins of a deployment, even if a killed process has not made all of them. Returns
    /// false if it has no pins.
    ///
    /// # Errors
    ///
    /// A pin cannot be removed.
    pub fn discard(name: &str) -> Result<bool, KernelError> {
        let path = Path::new(PINS).join(name);
        let is_there = path.is_dir();
        if is_there {
            Deployment { path, maps: Vec::new() }.remove()?;
        }
        Ok(is_there)
    }

    /// Returns the names of the pinned deployments.
    pub fn names() -> Vec<String> {
        let entries = fs::read_dir(PINS).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Returns the rest of the lease.
    ///
    /// # Errors
    ///
    /// The kernel refuses to tell.
    pub fn lease(&self) -> Result<Duration, KernelError> {
        let until = self.live()?.lease_until_ns;
        Ok(Duration::from_nanos(until.saturating_sub(monotonic_ns())))
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn map(&self, name: &str) -> &MapHandle {
        let found = self.maps.iter().find(|(own, _)| *own == name);
        &found.expect("every deployment has it").1
    }

    /// Makes the error of a map that the kernel refuses.
    fn refused(
        &self,
        map: &str,
        what: &'static str,
    ) -> impl FnOnce(libbpf_rs::Error) -> KernelError + use<> {
        let path = self.path.join(map);
        move |error| failed(&path, what)(std::io::Error::other(error))
    }

    fn put(&self, map: &str, key: &[u8], value: &[u8]) -> Result<(), KernelError> {
        let written = self.map(map).update(key, value, MapFlags::ANY);
        written.map_err(self.refused(map, "written"))
    }

    fn live(&self) -> Result<Live, KernelError> {
        let value = self.map("live").lookup(&0_u32.to_ne_bytes(), MapFlags::ANY);
        let value = value.map_err(self.refused("live", "read"))?;
        Ok(value.map_or_else(Live::default, |bytes| bytemuck::pod_read_unaligned(&bytes)))
    }

    /// Sets the ports, networks and interfaces that take part. Networks are an IPv6 address, the
    /// number of its bits that matter, and whether they take part.
    ///
    /// # Errors
    ///
    /// The kernel refuses a value.
    pub fn select(
        &self,
        ports: impl Iterator<Item = u16>,
        prefixes: &[([u8; 16], u8, bool)],
        interfaces: &[u32],
    ) -> Result<(), KernelError> {
        let mut words = [0_u64; 1024];
        ports.for_each(|port| words[usize::from(port >> 6)] |= 1 << (port & 63));
        for (place, word) in (0_u32..).zip(words) {
            self.put("ports", &place.to_ne_bytes(), &word.to_ne_bytes())?;
        }
        for (address, length, within) in prefixes {
            let key: Vec<u8> =
                u32::from(*length).to_ne_bytes().into_iter().chain(*address).collect();
            self.put("prefixes", &key, &u32::from(*within).to_ne_bytes())?;
        }
        for index in interfaces {
            self.put("interfaces", &index.to_ne_bytes(), &1_u32.to_ne_bytes())?;
        }
        Ok(())
    }

    /// Puts a policy in force, with what each of its periods does.
    ///
    /// # Errors
    ///
    /// The kernel refuses a value.
    pub fn set(&self, policy: &Policy, shares: &[Share]) -> Result<(), KernelError> {
        debug_assert!(shares.len() <= PERIODS && shares.len() == policy.periods as usize);
        let live = self.live()?;
        let which = 1 - (live.which & 1);
        for (period, share) in (0_u32..).zip(shares) {
            let place = which * PERIODS as u32 + period;
            self.put("thresholds", &place.to_ne_bytes(), &share.threshold().to_ne_bytes())?;
        }
        self.put("policies", &which.to_ne_bytes(), bytemuck::bytes_of(policy))?;
        self.put("live", &0_u32.to_ne_bytes(), bytemuck::bytes_of(&Live { which, ..live }))
    }

    /// Returns the policy in force.
    ///
    /// # Errors
    ///
    /// The kernel refuses to tell.
    pub fn policy(&self) -> Result<Policy, KernelError> {
        let which = (self.live()?.which & 1).to_ne_bytes();
        let value = self.map("policies").lookup(&which, MapFlags::ANY);
        let value = value.map_err(self.refused("policies", "read"))?;
        Ok(value.map_or_else(Policy::default, |bytes| bytemuck::pod_read_unaligned(&bytes)))
    }

    /// Lets the lease end so long from now. Afterwards nobody is treated, and open treated
    /// connections get back what they had, until it is renewed.
    ///
    /// # Errors
    ///
    /// The kernel refuses the value.
    pub fn renew(&self, lease: Duration) -> Result<(), KernelError> {
        let lease_until_ns = monotonic_ns().saturating_add(lease.as_nanos() as u64);
        let live = Live { lease_until_ns, ..self.live()? };
        self.put("live", &0_u32.to_ne_bytes(), bytemuck::bytes_of(&live))
    }

    /// Ends the treatment of new connections. Open treated ones keep theirs to their end.
    ///
    /// # Errors
    ///
    /// The kernel refuses the policy.
    pub fn switch_off(&self) -> Result<(), KernelError> {
        let policy = self.policy()?;
        self.set(&Policy { on: 0, periods: 0, epoch: policy.epoch + 1, ..policy }, &[])
    }

    /// Ends the treatment: nobody is treated any more, and open treated connections get back what
    /// they had, each with its next acknowledgement.
    ///
    /// # Errors
    ///
    /// The kernel refuses the policy.
    pub fn roll_back(&self) -> Result<(), KernelError> {
        let policy = self.policy()?;
        let over = Policy { on: 0, roll_back: 1, periods: 0, epoch: policy.epoch + 1, ..policy };
        self.set(&over, &[])
    }

    /// Reads the records of connections that were closed.
    pub fn read(&self, mut each: impl FnMut(Record)) {
        let mut builder = RingBufferBuilder::new();
        let take = |bytes: &[u8]| {
            let whole = bytes.get(..size_of::<Record>());
            whole.into_iter().for_each(|bytes| each(bytemuck::pod_read_unaligned(bytes)));
            0
        };
        builder.add(self.map("records"), take).expect("a ring buffer can be added");
        let ring = builder.build().expect("one ring buffer was added");
        // Records come without a wake-up, so the ring is read whether it wakes or not.
        let _ = ring.consume_raw();
    }

    /// Returns the counts of the arms: control, treated, and the rest.
    ///
    /// # Errors
    ///
    /// The kernel refuses to tell.
    pub fn counts(&self) -> Result<[Counts; ARMS], KernelError> {
        let mut all = [Counts::default(); ARMS];
        for (arm, sum) in (0_u32..).zip(&mut all) {
            for value in self.per_cpu("counts", arm)? {
                sum.add(&bytemuck::pod_read_unaligned(&value[..size_of::<Counts>()]));
            }
        }
        Ok(all)
    }

    /// Returns the number of round trips of an arm in each class ([`class_ends`]).
    ///
    /// # Errors
    ///
    /// The kernel refuses to tell.
    pub fn round_trips(&self, arm: usize) -> Result<Vec<u64>, KernelError> {
        let class = |class: usize| {
            let values = self.per_cpu("round_trips", (arm * CLASSES + class) as u32)?;
            let number = |bytes: &Vec<u8>| bytemuck::pod_read_unaligned::<u64>(&bytes[..8]);
            Ok(values.iter().map(number).sum())
        };
        (0..CLASSES).map(class).collect()
    }

    fn per_cpu(&self, map: &str, key: u32) -> Result<Vec<Vec<u8>>, KernelError> {
        let value = self.map(map).lookup_percpu(&key.to_ne_bytes(), MapFlags::ANY);
        let values = value.map_err(self.refused(map, "read"))?;
        debug_assert!(
            values.as_ref().is_none_or(|all| Ok(all.len()) == num_possible_cpus().map_err(drop))
        );
        Ok(values.unwrap_or_default())
    }

    /// Removes the deployment from the kernel. Open treated connections keep what they have then.
    ///
    /// # Errors
    ///
    /// A pin cannot be removed.
    pub fn remove(self) -> Result<(), KernelError> {
        // The links first: without them nothing runs.
        let entries = fs::read_dir(&self.path).map_err(failed(&self.path, "read"))?.flatten();
        let mut pins: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        pins.sort_by_key(|pin| {
            !pin.file_name().is_some_and(|name| name.to_string_lossy().starts_with("link-"))
        });
        for pin in pins {
            fs::remove_file(&pin).map_err(failed(&pin, "removed"))?;
        }
        fs::remove_dir(&self.path).map_err(failed(&self.path, "removed"))?;
        // It stays while there are others.
        let _ = fs::remove_dir(PINS);
        Ok(())
    }
}

/// Pins the maps, and then the links to the control groups.
fn pin(
    mut object: Object,
    path: &Path,
    cgroups: &[File],
) -> libbpf_rs::Result<Vec<(&'static str, MapHandle)>> {
    let mut maps = Vec::new();
    for name in MAPS {
        let mut map = object.maps_mut().find(|map| map.name() == name).expect("the object has it");
        map.pin(path.join(name))?;
        maps.push((name, MapHandle::from_pinned_path(path.join(name))?));
    }
    for (place, cgroup) in cgroups.iter().enumerate() {
        let mut link: Link = program(&object, PROGRAM).attach_cgroup(cgroup.as_raw_fd())?;
        link.pin(path.join(format!("link-{place}")))?;
    }
    Ok(maps)
}

/// Returns a program of the object.
fn program<'a>(object: &'a Object, name: &str) -> ProgramMut<'a> {
    let found = object.progs_mut().find(|own| own.name() == name);
    found.expect("the object has it")
}
