//! Why a controller could not be given to the kernel, or found there.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The problem and its remedy.
#[derive(Debug, Error)]
pub enum KernelError {
    /// The feature `bpf` is off.
    #[error(
        "this narrows was built without controllers for the kernel: install clang, make, pkg-config and the headers of libelf and zlib (on Debian: apt install clang make pkg-config libelf-dev zlib1g-dev) and build it with `make build`"
    )]
    NotBuilt,
    /// This host does not take controllers from this process.
    #[error("{reason}: {remedy}")]
    Unfit {
        /// The missing feature.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// Not a name for a controller.
    #[error(
        "\"{name}\" cannot be the name of a controller: the kernel takes 1 to 15 letters, digits, \"_\" and \".\""
    )]
    BadName {
        /// As given.
        name: String,
    },
    /// The name belongs to somebody else.
    #[error(
        "the kernel already has a controller \"{name}\", {whose}: choose another name, for example --as {proposal}"
    )]
    NameTaken {
        /// The kernel's name.
        name: String,
        /// Where it comes from.
        whose: &'static str,
        /// A name that is free.
        proposal: String,
    },
    /// Loaded under this name before.
    #[error(
        "\"{name}\" is loaded already, as {choice} (pinned in {}): `narrows kernel unload {name}` removes it, and --as {proposal} loads another beside it", path.display()
    )]
    LoadedBefore {
        /// The kernel's name.
        name: String,
        /// The controller with its parameters.
        choice: String,
        /// Its pins.
        path: PathBuf,
        /// A name that is free.
        proposal: String,
    },
    /// The verifier found fault with a program.
    #[error("the kernel's verifier refuses the program \"{program}\" of {name}: {said}")]
    Verifier {
        /// The kernel's name of the controller.
        name: String,
        /// The callback.
        program: String,
        /// The end of what it said.
        said: String,
        /// All that it and libbpf said.
        log: String,
    },
    /// The kernel refused.
    #[error("the kernel refuses {name}: {reason}")]
    Refused {
        /// The kernel's name of the controller.
        name: String,
        /// In words.
        reason: String,
        /// All that libbpf said.
        log: String,
    },
    /// The file system of pins does not do what is asked of it.
    #[error("{} cannot be {what}: {source}", path.display())]
    Pins {
        /// Which file or directory.
        path: PathBuf,
        /// The attempt: `made`, `locked`.
        what: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// It is pinned, but not whole.
    #[error("the pins of \"{name}\" in {} are damaged: {problem}; `narrows kernel unload {name}` removes what is left of it", path.display())]
    Damaged {
        /// The kernel's name.
        name: String,
        /// Where they are.
        path: PathBuf,
        /// The fault.
        problem: String,
    },
    /// Nothing of this name is pinned.
    #[error("narrows has loaded no controller \"{name}\"; it has loaded {}", if loaded.is_empty() { "none".to_owned() } else { loaded.join(", ") })]
    NotLoaded {
        /// As given.
        name: String,
        /// The names of those that are loaded.
        loaded: Vec<String>,
    },
    /// No interface of this name.
    #[error("there is no interface \"{interface}\" in this network namespace; it has {}", if there.is_empty() { "none".to_owned() } else { there.join(", ") })]
    NoInterface {
        /// As given.
        interface: String,
        /// The names of those that are there.
        there: Vec<String>,
    },
    /// The interface has a router.
    #[error("{interface} is a router's already, {choice} (pinned in {}): `narrows kernel unroute {interface}` removes it", path.display())]
    RoutedBefore {
        /// Its name.
        interface: String,
        /// The router with its parameters.
        choice: String,
        /// Its pins.
        path: PathBuf,
    },
    /// The interface has no router.
    #[error("narrows has made no router of {interface} in this network namespace; it has of {}", if routed.is_empty() { "none".to_owned() } else { routed.join(", ") })]
    NotRouted {
        /// As given.
        interface: String,
        /// Those that have one.
        routed: Vec<String>,
    },
    /// A router is pinned, but not whole.
    #[error("the pin \"{pin}\" of the router of {interface} in {} cannot be read: `narrows kernel unroute {interface}` removes what is left of it", path.display())]
    RouterDamaged {
        /// Its name.
        interface: String,
        /// Where its pins are.
        path: PathBuf,
        /// The one that cannot be read.
        pin: String,
    },
    /// One from a file, which records nothing.
    #[error(
        "\"{name}\" came from a file and records no calls: `narrows kernel stats {name}` counts them, and `narrows live --replay` records those of a source"
    )]
    NoRecords {
        /// The kernel's name.
        name: String,
    },
    /// A controller whose connections cannot have prices of their own.
    #[error(
        "connections of \"{name}\" have no prices of their own: load \"pcc-vivace\" with its own utility for that"
    )]
    NoPrices {
        /// The kernel's name.
        name: String,
    },
    /// Somebody reads its records already.
    #[error(
        "\"{name}\" is being watched already, and each record can be read once: stop the other `narrows kernel watch {name}` first"
    )]
    Watched {
        /// The kernel's name.
        name: String,
    },
}

impl KernelError {
    /// The kernel names no cause if it refuses a table: adds what is known to be wrong with the
    /// table.
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

    /// All that the kernel's verifier and libbpf said, of a controller that the kernel refused.
    pub fn log(&self) -> Option<&str> {
        match self {
            KernelError::Verifier { log, .. } | KernelError::Refused { log, .. } => Some(log),
            _ => None,
        }
    }
}
