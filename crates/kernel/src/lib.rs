//! Controllers in the Linux kernel, from 6.0 on, without building a kernel. Controllers of
//! `narrows-control` with a kernel twin are compiled to BPF and registered as congestion
//! controllers (struct_ops).
//!
//! [`Loaded`] is registered as long as the process holds it, [`Pinned`] until it is unloaded.
//! [`Router`] writes the load factor of VCP into packets that leave through an interface. The
//! feature `bpf` contains everything that needs bpf(2). Without it, each function returns
//! [`KernelError::NotBuilt`].

#[cfg(not(feature = "bpf"))]
mod absent;
#[cfg(feature = "bpf")]
mod accurate;
#[cfg(feature = "bpf")]
mod acknowledgements;
#[cfg(all(test, feature = "bpf"))]
mod bytecode;
mod called;
#[cfg(feature = "bpf")]
mod calls;
#[cfg(feature = "bpf")]
mod cgroups;
#[cfg(feature = "bpf")]
pub mod deployment;
mod error;
mod fitness;
#[cfg(feature = "bpf")]
mod given;
#[cfg(feature = "bpf")]
mod judge;
#[cfg(feature = "bpf")]
mod loaded;
#[cfg(feature = "bpf")]
mod loaded_file;
#[cfg(feature = "bpf")]
mod log;
#[cfg(feature = "bpf")]
mod maps;
mod measured;
mod names;
#[cfg(feature = "bpf")]
mod namespaces;
#[cfg(feature = "bpf")]
mod pinned;
mod pins;
#[cfg(feature = "bpf")]
mod place;
#[cfg(feature = "bpf")]
mod registered;
#[cfg(all(test, feature = "bpf"))]
mod relocated;
mod replayer;
#[cfg(feature = "bpf")]
mod router;
mod shared;

#[cfg(not(feature = "bpf"))]
pub use absent::{
    Acknowledgements, Counting, Damaged, Loaded, LoadedFile, Pinned, Router, Watching, elsewhere,
    judge, of_bpf,
};
#[cfg(feature = "bpf")]
pub use acknowledgements::Acknowledgements;
pub use called::Calls;
#[cfg(feature = "bpf")]
pub use calls::Counting;
#[cfg(feature = "bpf")]
pub use cgroups::cgroup_mount;
pub use error::KernelError;
pub use fitness::{counts_code_points, fit, fit_for_deployments};
#[cfg(feature = "bpf")]
pub use judge::judge;
#[cfg(feature = "bpf")]
pub use loaded::Loaded;
#[cfg(feature = "bpf")]
pub use loaded_file::LoadedFile;
pub use measured::Measured;
pub use names::{Elsewhere, allowed, available, default};
#[cfg(feature = "bpf")]
pub use namespaces::elsewhere;
#[cfg(feature = "bpf")]
pub use pinned::{Damaged, Pinned, Watching};
pub use pins::PINS;
#[cfg(feature = "bpf")]
#[doc(hidden)]
pub use registered::Registration;
#[cfg(feature = "bpf")]
pub use registered::of_bpf;
pub use replayer::{Difference, Replayer, Tally};
#[cfg(feature = "bpf")]
pub use router::Router;
pub use shared::{Acknowledgement, Price, Record, RouterCounts, Stats};

/// True if this build can load controllers into the kernel: the feature `bpf`.
pub const BUILT: bool = cfg!(feature = "bpf");
