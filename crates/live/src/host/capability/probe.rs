//! Tries the features of this host that a live run needs.

use super::machine::{cores, ipv6, priority, rate, timers, tool};
use super::state::Capability;
use super::tcp::{loading, within};
use crate::error::LiveError;
use crate::host::namespace::Namespace;
use crate::host::privilege;
use crate::host::setup::Host;
use crate::host::tun::{self, Tun};
use crate::plan::Plan;
use std::fs;

/// Checks that a scenario can run live here. Tries the features that every run needs, and removes
/// them again. A process without root's rights must call it before it starts threads.
///
/// # Errors
///
/// A feature is missing; the error has its name and the remedy.
pub fn ready() -> Result<(), LiveError> {
    privilege::acquire()?;
    Host::new("probe", 0, &Plan::plain(1, 1500)).map(drop)
}

/// Checks all features that a live run needs or can use. A process without root's rights must call
/// it before it starts threads.
pub fn probe() -> Vec<Capability> {
    let mut all = vec![kernel(), rights()];
    match Namespace::new() {
        Ok(namespace) => {
            all.push(Capability::there("network namespaces", "can be created"));
            all.push(tun_file());
            all.push(device(&namespace));
            all.extend(within(&namespace));
        }
        Err(error) => {
            all.push(Capability::missing(
                "network namespaces",
                error.to_string(),
                privilege::REMEDY,
            ));
            all.push(tun_file());
        }
    }
    all.extend([ipv6(), cores(), rate(), timers(), priority(), loading()]);
    let tools = [
        (
            "iperf3",
            "--version",
            "iperf3",
            "traffic from a program of its own: narrows live FILE -- iperf3 ...",
        ),
        (
            "tshark",
            "--version",
            "tshark",
            "a reader of the captures that narrows run --pcap writes",
        ),
        (
            "clang",
            "--version",
            "clang",
            "what `make build` compiles controllers for the kernel with",
        ),
    ];
    all.extend(
        tools.map(|(name, argument, package, purpose)| tool(name, argument, package, purpose)),
    );
    all
}

fn kernel() -> Capability {
    let read = |name: &str| {
        fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default().trim().to_owned()
    };
    let (system, release) = (read("ostype"), read("osrelease"));
    Capability::there("kernel", format!("{system} {release} {}", std::env::consts::ARCH))
}

fn rights() -> Capability {
    const NAME: &str = "rights";
    match privilege::acquire() {
        Ok(()) if privilege::in_user_namespace() => {
            Capability::there(NAME, "not root, but what is needed in a user namespace")
        }
        Ok(()) => Capability::there(NAME, "CAP_SYS_ADMIN and CAP_NET_ADMIN"),
        Err(error) => Capability::missing(NAME, error.to_string(), privilege::REMEDY),
    }
}

fn tun_file() -> Capability {
    const NAME: &str = "/dev/net/tun";
    match fs::OpenOptions::new().read(true).write(true).open(NAME) {
        Ok(_) => Capability::there(NAME, "can be opened"),
        Err(error) => Capability::missing(NAME, error.to_string(), tun::remedy(&error)),
    }
}

fn device(namespace: &Namespace) -> Capability {
    const NAME: &str = "TUN device with offload";
    match namespace.enter(Tun::create) {
        Ok(_) => Capability::there(
            NAME,
            "can be created: checksums and segmentation of TCP are left to it",
        ),
        Err(error) => Capability::missing(NAME, error.to_string(), tun::remedy(&error)),
    }
}
