//! Errors of loading controllers into the kernel, and of finding them there.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A problem and its remedy.
#[derive(Debug, Error)]
pub enum KernelError {
    /// The feature `bpf` is off.
    #[error(
        "this narrows was built without controllers for the kernel: install clang, make, pkg-config and the headers of libelf and zlib (on Debian: apt install clang make pkg-config libelf-dev zlib1g-dev) and build it with `make build`"
    )]
    NotBuilt,
    /// This host does not accept controllers from this process.
    #[error("{reason}: {remedy}")]
    Unfit {
        /// Missing feature.
        reason: String,
        /// Remedy.
        remedy: String,
    },
    /// The name is not valid for a controller.
    #[error(
        "\"{name}\" cannot be the name of a controller: the kernel takes 1 to 15 letters, digits, \"_\" and \".\""
    )]
    BadName {
        /// Name as given.
        name: String,
    },
    /// The name belongs to another program or to the kernel.
    #[error(
        "the kernel already has a controller \"{name}\", {whose}: choose another name, for example --as {proposal}"
    )]
    NameTaken {
        /// The kernel's name.
        name: String,
        /// Origin of the controller with this name.
        whose: &'static str,
        /// Proposal of a free name.
        proposal: String,
    },
    /// A controller was loaded under this name before.
    #[error(
        "\"{name}\" is loaded already, as {choice} (pinned in {}): `narrows kernel unload {name}` removes it, and --as {proposal} loads another beside it", path.display()
    )]
    LoadedBefore {
        /// The kernel's name.
        name: String,
        /// Controller with its parameters.
        choice: String,
        /// Directory of the pins.
        path: PathBuf,
        /// Proposal of a free name.
        proposal: String,
    },
    /// The verifier refused a program.
    #[error("the kernel's verifier refuses the program \"{program}\" of {name}: {said}")]
    Verifier {
        /// The kernel's name of the controller.
        name: String,
        /// Name of the callback.
        program: String,
        /// End of the verifier's log.
        said: String,
        /// Complete log of the verifier and libbpf.
        log: String,
    },
    /// The kernel refused the controller.
    #[error("the kernel refuses {name}: {reason}")]
    Refused {
        /// The kernel's name of the controller.
        name: String,
        /// Reason in words.
        reason: String,
        /// Complete log of libbpf.
        log: String,
    },
    /// A program lets no other into its control group, or below it.
    #[error(
        "the program \"{program}\" (number {id}) has the control group {} for itself, with all below it: end the tool that attached it, have that tool attach it with BPF_F_ALLOW_MULTI, or detach it with `bpftool cgroup detach {} sock_ops id {id}`", cgroup.display(), cgroup.display()
    )]
    Exclusive {
        /// Control group of the other program.
        cgroup: PathBuf,
        /// Name of the other program; empty if it has none.
        program: String,
        /// Number of the other program.
        id: u32,
    },
    /// An operation on the file system of pins failed.
    #[error("{} cannot be {what}: {source}", path.display())]
    Pins {
        /// File or directory.
        path: PathBuf,
        /// Failed operation as a participle: `made`, `locked`.
        what: &'static str,
        /// Error of the system.
        source: io::Error,
    },
    /// The controller is pinned, but a pin is damaged.
    #[error("the pins of \"{name}\" in {} are damaged: {problem}; `narrows kernel unload {name}` removes what is left of it", path.display())]
    Damaged {
        /// The kernel's name.
        name: String,
        /// Directory of the pins.
        path: PathBuf,
        /// Damage.
        problem: String,
    },
    /// No controller of this name is pinned.
    #[error("narrows has loaded no controller \"{name}\"; it has loaded {}", if loaded.is_empty() { "none".to_owned() } else { loaded.join(", ") })]
    NotLoaded {
        /// Name as given.
        name: String,
        /// Names of the loaded controllers.
        loaded: Vec<String>,
    },
    /// No interface has this name.
    #[error("there is no interface \"{interface}\" in this network namespace; it has {}", if there.is_empty() { "none".to_owned() } else { there.join(", ") })]
    NoInterface {
        /// Name as given.
        interface: String,
        /// Names of the existing interfaces.
        there: Vec<String>,
    },
    /// The interface has a router already.
    #[error("{interface} already has a router, {choice} (pinned in {}): `narrows kernel unroute {interface}` removes it", path.display())]
    RoutedBefore {
        /// Name of the interface.
        interface: String,
        /// Router with its parameters.
        choice: String,
        /// Directory of the pins.
        path: PathBuf,
    },
    /// The interface has no router.
    #[error("{interface} has no router of narrows in this network namespace; with a router: {}", if routed.is_empty() { "none".to_owned() } else { routed.join(", ") })]
    NotRouted {
        /// Name as given.
        interface: String,
        /// Interfaces with a router.
        routed: Vec<String>,
    },
    /// A router is pinned, but a pin is damaged.
    #[error("the pin \"{pin}\" of the router of {interface} in {} cannot be read: `narrows kernel unroute {interface}` removes what is left of it", path.display())]
    RouterDamaged {
        /// Name of the interface.
        interface: String,
        /// Directory of the pins.
        path: PathBuf,
        /// Unreadable pin.
        pin: String,
    },
    /// The controller came from a file, so it records no calls.
    #[error(
        "\"{name}\" came from a file and records no calls: `narrows kernel stats {name}` counts them, and `narrows live --replay` records those of a source"
    )]
    NoRecords {
        /// The kernel's name.
        name: String,
    },
    /// The controller does not support prices of connections.
    #[error(
        "connections of \"{name}\" have no prices of their own: load \"pcc-vivace\" with its own utility for that"
    )]
    NoPrices {
        /// The kernel's name.
        name: String,
    },
    /// Another process reads the records already.
    #[error(
        "\"{name}\" is being watched already, and each record can be read once: stop the other `narrows kernel watch {name}` first"
    )]
    Watched {
        /// The kernel's name.
        name: String,
    },
}

impl KernelError {
    /// Adds the known faults of a program's table, because the kernel gives no reason when it
    /// refuses a table.
    #[cfg(feature = "bpf")]
    pub(crate) fn with_faults(self, program: &narrows_bpf::ForKernel) -> KernelError {
        match self {
            KernelError::Refused { name, reason, log } => {
                let reason =
                    program.faults.iter().fold(reason, |all, fault| format!("{all}; {fault}"));
                KernelError::Refused { name, reason, log }
            }
            other => other,
        }
    }

    /// Returns the complete log of the verifier and libbpf, if the kernel refused a controller.
    pub fn log(&self) -> Option<&str> {
        match self {
            KernelError::Verifier { log, .. } | KernelError::Refused { log, .. } => Some(log),
            _ => None,
        }
    }
}
