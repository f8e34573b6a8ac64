//! A router of VCP at the egress of an interface, pinned until it is removed.
//!
//! The program is attached by a link to tcx (Linux 6.6), so that others at the same interface stay and go as they like. libbpf-rs has no call for that: the one of
//! libbpf is the only unsafe code.
#![allow(unsafe_code)]

use crate::error::KernelError;
use crate::fitness::fit_for_routers;
use crate::log::listening;
use crate::measured::Measured;
use crate::place::{self, Place, failed};
use libbpf_rs::query::LinkTypeInfo;
use libbpf_rs::{
    AsRawLibbpf, Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, ProgramMut, libbpf_sys,
};
use narrows_cores::vcp_router::Constants;
use rustix::net::{AddressFamily, SocketType, netdevice};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::time::SystemTime;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/router.o"));

/// The pins of a router: the link that holds it, its measurements and its constants; and links that say on which interface it is, and
/// which, as the command line has it.
const LINK: &str = crate::registered::LINK;
const MEASURED: &str = "measured";
const CONSTANTS: &str = "constants";
const INTERFACE: &str = "interface";
const CHOICE: &str = "choice";

/// A router that is pinned.
pub struct Router {
    interface: String,
    text: String,
    place: place::Routed,
    path: PathBuf,
}

impl Router {
    /// Makes this host a router at an interface of the network namespace of this process: `text` says which, `vcp?gamma=0.95`, for those
    /// who list it. The second value is true if the file system of pins had to be mounted.
    ///
    /// # Errors
    ///
    /// The host is unfit, there is no such interface or it has a router, or the kernel refuses; nothing is left of it then.
    pub fn route(
        interface: &str,
        text: &str,
        constants: &Constants,
    ) -> Result<(Router, bool), KernelError> {
        fit_for_routers()?;
        let routed = place::Routed { network: network()?, index: index(interface)? };
        let place = Place::make()?;
        let path = place::router_directory(routed);
        if path.exists() {
            let router = Router::found(&path, routed);
            return Err(KernelError::RoutedBefore {
                interface: interface.to_owned(),
                choice: router.text,
                path,
            });
        }
        let mut pinned = listening(&format!("the router of {interface}"), || {
            let mut open = ObjectBuilder::default().name("narrows")?.open_memory(OBJECT)?;
            let mut values = open
                .maps_mut()
                .find(|map| map.name() == ".rodata.constants")
                .expect("the object has it");
            values.set_initial_value(bytemuck::bytes_of(constants))?;
            let object = open.load()?;
            let link =
                attach(&mut object.progs_mut().next().expect("the object has one"), routed.index)?;
            Ok((object, link))
        })?;
        let done = pin(&mut pinned, &path, interface, text);
        if done.is_err() {
            let _ = place::remove(&path);
        }
        done?;
        Ok((Router::found(&path, routed), place.mounted))
    }

    /// All that are pinned: those of this network namespace first, in the order in which their interfaces were made.
    ///
    /// # Errors
    ///
    /// This process may not look.
    pub fn all() -> Result<Vec<Router>, KernelError> {
        crate::fitness::fit()?;
        let Some(place) = Place::existing()? else { return Ok(Vec::new()) };
        let mut all: Vec<Router> = place
            .routers()?
            .into_iter()
            .map(|(path, routed)| Router::found(&path, routed))
            .collect();
        all.sort_by_key(|router| (!router.is_here(), router.place));
        Ok(all)
    }

    /// The one at an interface of this network namespace.
    ///
    /// # Errors
    ///
    /// As [`Router::all`], or there is none.
    pub fn at(interface: &str) -> Result<Router, KernelError> {
        let mut all = Router::all()?;
        match all.iter().position(|router| router.is_here() && router.interface == interface) {
            Some(place) => Ok(all.swap_remove(place)),
            None => {
                let routed = all
                    .into_iter()
                    .filter(Router::is_here)
                    .map(|router| router.interface)
                    .collect();
                Err(KernelError::NotRouted { interface: interface.to_owned(), routed })
            }
        }
    }

    /// A link that cannot be read leaves a name that says so: the router can still be removed.
    fn found(path: &Path, routed: place::Routed) -> Router {
        let told = |link: &str| {
            fs::read_link(path.join(link)).map(|text| text.to_string_lossy().into_owned())
        };
        Router {
            interface: told(INTERFACE).unwrap_or_else(|_| format!("number {}", routed.index)),
            text: told(CHOICE).unwrap_or_else(|_| "unknown".to_owned()),
            place: routed,
            path: path.to_owned(),
        }
    }

    /// The name that the interface had when it became a router's.
    pub fn interface(&self) -> &str {
        &self.interface
    }

    /// Which router it is, with its parameters: `vcp?gamma=0.95`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The directory of its pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When it began, if the file system tells.
    pub fn since(&self) -> Option<SystemTime> {
        fs::symlink_metadata(self.path.join(INTERFACE)).and_then(|found| found.modified()).ok()
    }

    /// True if its interface is in the network namespace of this process.
    pub fn is_here(&self) -> bool {
        network().is_ok_and(|network| network == self.place.network)
    }

    /// True if packets pass it: an interface that is removed takes its programs along, and leaves their pins.
    pub fn is_attached(&self) -> bool {
        let information = Link::open(self.path.join(LINK)).and_then(|link| link.info());
        matches!(information.map(|it| it.info), Ok(LinkTypeInfo::Tcx(tcx)) if tcx.ifindex == self.place.index)
    }

    /// Its constants, as the kernel has them.
    ///
    /// # Errors
    ///
    /// Its pins are damaged.
    pub fn constants(&self) -> Result<Constants, KernelError> {
        let value = self.value(CONSTANTS, MapFlags::ANY)?;
        bytemuck::try_pod_read_unaligned(&value).map_err(|_| self.damaged(CONSTANTS))
    }

    /// What it has measured, and done.
    ///
    /// # Errors
    ///
    /// Its pins are damaged.
    pub fn measured(&self) -> Result<Measured, KernelError> {
        Measured::from_bytes(&self.value(MEASURED, MapFlags::LOCK)?)
            .ok_or_else(|| self.damaged(MEASURED))
    }

    fn value(&self, pin: &str, flags: MapFlags) -> Result<Vec<u8>, KernelError> {
        let map =
            MapHandle::from_pinned_path(self.path.join(pin)).map_err(|_| self.damaged(pin))?;
        let value = map.lookup(&0_u32.to_ne_bytes(), flags).map_err(|_| self.damaged(pin))?;
        value.ok_or_else(|| self.damaged(pin))
    }

    fn damaged(&self, pin: &str) -> KernelError {
        KernelError::RouterDamaged {
            interface: self.interface.clone(),
            path: self.path.clone(),
            pin: pin.to_owned(),
        }
    }

    /// Ends it. Packets pass the interface as before.
    ///
    /// # Errors
    ///
    /// The pins cannot be removed.
    pub fn remove(self) -> Result<(), KernelError> {
        let _place = Place::existing()?;
        if !self.path.exists() {
            // Another process was faster.
            return Err(KernelError::NotRouted { interface: self.interface, routed: Vec::new() });
        }
        place::remove(&self.path)
    }
}

fn attach(program: &mut ProgramMut<'_>, index: u32) -> libbpf_rs::Result<Link> {
    // SAFETY: the program is loaded, and no options are allowed.
    let link = unsafe {
        libbpf_sys::bpf_program__attach_tcx(
            program.as_libbpf_object().as_ptr(),
            index as i32,
            std::ptr::null(),
        )
    };
    // libbpf answers with no pointer, and the reason in errno.
    let link = NonNull::new(link)
        .ok_or_else(|| libbpf_rs::Error::from(std::io::Error::last_os_error()))?;
    // SAFETY: it was just made, and nobody else has it.
    Ok(unsafe { Link::from_ptr(link) })
}

/// The link comes last, so that a directory that has it has all.
fn pin(
    (object, link): &mut (Object, Link),
    path: &Path,
    interface: &str,
    text: &str,
) -> Result<(), KernelError> {
    fs::create_dir(path).map_err(failed(path, "made"))?;
    for (name, value) in [(INTERFACE, interface), (CHOICE, text)] {
        std::os::unix::fs::symlink(value, path.join(name)).map_err(failed(path, "written"))?;
    }
    let filled = |error| failed(path, "filled")(std::io::Error::other(error));
    for (map, name) in [("router", MEASURED), (".rodata.constants", CONSTANTS)] {
        object
            .maps_mut()
            .find(|one| one.name() == map)
            .expect("the object has it")
            .pin(path.join(name))
            .map_err(filled)?;
    }
    link.pin(path.join(LINK)).map_err(filled)
}

/// The network namespace of this thread, by its inode.
fn network() -> Result<u64, KernelError> {
    let path = Path::new("/proc/thread-self/ns/net");
    rustix::fs::stat(path).map(|file| file.st_ino).map_err(failed(path, "read"))
}

/// The number of an interface, by its name in the network namespace of this thread.
fn index(interface: &str) -> Result<u32, KernelError> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None);
    let index = socket.and_then(|socket| netdevice::name_to_index(socket, interface));
    index.map_err(|_| {
        let text = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
        let there = text
            .lines()
            .filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()))
            .collect();
        KernelError::NoInterface { interface: interface.to_owned(), there }
    })
}
