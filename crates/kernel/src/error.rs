//! Why a controller could not be given to the kernel.

use thiserror::Error;

/// What went wrong, and what to do about it.
#[derive(Debug, Error)]
pub enum KernelError {
    /// The feature `bpf` is off.
    #[error(
        "this narrows was built without controllers for the kernel: install clang, make, pkg-config and the headers of libelf and zlib (on Debian: apt install clang make pkg-config libelf-dev zlib1g-dev) and build it with `make build`"
    )]
    NotBuilt,
    /// The kernel took the object, but not under this name.
    #[error("the kernel already has a controller \"{name}\": {remedy}")]
    NameTaken {
        /// The kernel's name.
        name: String,
        /// What to do.
        remedy: String,
    },
    /// The kernel refused.
    #[error("the kernel refuses {name}: {reason}")]
    Refused {
        /// The kernel's name of the controller.
        name: String,
        /// In words.
        reason: String,
    },
}
