//! A router of VCP at the egress of an interface, pinned until it is removed.
//!
//! The program is attached by a link to tcx (Linux 6.6), so that other programs at the interface
//! can come and go. The only unsafe code is the call of the libbpf function for that, which
//! libbpf-rs lacks.
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

/// Pins of a router: the link that holds it, its measurements and its constants; and symbolic links
/// with the interface, and with the router as on the command line.
const LINK: &str = crate::registered::LINK;
const MEASURED: &str = "measured";
const CONSTANTS: &str = "constants";
const INTERFACE: &str = "interface";
const CHOICE: &str = "choice";

/// A pinned router.
pub struct Router {
    interface: String,
    text: String,
    place: place::Routed,
    path: PathBuf,
}

impl Router {
    /// Makes this host a router at an interface of this process's network namespace. `text`
    /// describes the router in lists: `vcp?gamma=0.95`. The second value is true if the file system
    /// of pins had to be mounted.
    ///
    /// # Errors
    ///
    /// The host is unfit, the interface does not exist or has a router, or the kernel refuses;
    /// nothing is left in the kernel.
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

    /// Returns all pinned routers: first those of this network namespace, in the order in which
    /// their interfaces were made.
    ///
    /// # Errors
    ///
    /// This process may not read the directory of pins.
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

    /// Finds the router at an interface of this network namespace.
    ///
    /// # Errors
    ///
    /// The errors of [`Router::all`], or the interface has no router.
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

    /// Reads a router's pins. For an unreadable symbolic link it fills in a name, so that the
    /// router can still be removed.
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

    /// Returns the name that the interface had when it became a router.
    pub fn interface(&self) -> &str {
        &self.interface
    }

    /// Returns the router with its parameters: `vcp?gamma=0.95`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the time at which the router was made, if the file system has it.
    pub fn since(&self) -> Option<SystemTime> {
        fs::symlink_metadata(self.path.join(INTERFACE)).and_then(|found| found.modified()).ok()
    }

    /// True if the interface is in the network namespace of this process.
    pub fn is_here(&self) -> bool {
        network().is_ok_and(|network| network == self.place.network)
    }

    /// True if packets pass through the router. Removing an interface detaches its programs, but
    /// leaves their pins.
    pub fn is_attached(&self) -> bool {
        let information = Link::open(self.path.join(LINK)).and_then(|link| link.info());
        matches!(information.map(|it| it.info), Ok(LinkTypeInfo::Tcx(tcx)) if tcx.ifindex == self.place.index)
    }

    /// Returns the constants in the kernel.
    ///
    /// # Errors
    ///
    /// A pin is damaged.
    pub fn constants(&self) -> Result<Constants, KernelError> {
        let value = self.value(CONSTANTS, MapFlags::ANY)?;
        bytemuck::try_pod_read_unaligned(&value).map_err(|_| self.damaged(CONSTANTS))
    }

    /// Returns measurements and counts.
    ///
    /// # Errors
    ///
    /// A pin is damaged.
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

    /// Removes the router. Packets pass the interface unchanged.
    ///
    /// # Errors
    ///
    /// The pins cannot be removed.
    pub fn remove(self) -> Result<(), KernelError> {
        let _place = Place::existing()?;
        if !self.path.exists() {
            // Another process has removed it.
            return Err(KernelError::NotRouted { interface: self.interface, routed: Vec::new() });
        }
        place::remove(&self.path)
    }
}

fn attach(program: &mut ProgramMut<'_>, index: u32) -> libbpf_rs::Result<Link> {
    // SAFETY: the program is loaded, and the options may be null.
    let link = unsafe {
        libbpf_sys::bpf_program__attach_tcx(
            program.as_libbpf_object().as_ptr(),
            index as i32,
            std::ptr::null(),
        )
    };
    // On failure, libbpf returns a null pointer, with the reason in errno.
    let link = NonNull::new(link)
        .ok_or_else(|| libbpf_rs::Error::from(std::io::Error::last_os_error()))?;
    // SAFETY: the link is new, and nothing else owns it.
    Ok(unsafe { Link::from_ptr(link) })
}

/// Pins the router. The link comes last, so that a directory with a link is complete.
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

/// Returns the network namespace of this thread, as an inode.
fn network() -> Result<u64, KernelError> {
    let path = Path::new("/proc/thread-self/ns/net");
    rustix::fs::stat(path).map(|file| file.st_ino).map_err(failed(path, "read"))
}

/// Returns the index of an interface by its name in the network namespace of this thread.
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
