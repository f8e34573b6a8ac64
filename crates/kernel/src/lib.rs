//! Controllers in the Linux kernel: those of `narrows-control` that have a twin there, compiled to BPF and registered as congestion controllers (struct_ops), on
//! kernels from 6.0 on, without building any.
//!
//! Everything that needs bpf(2) is behind the feature `bpf`; without it each function answers with [`KernelError::NotBuilt`].

#[cfg(all(test, feature = "bpf"))]
mod bytecode;
mod error;
#[cfg_attr(not(feature = "bpf"), path = "absent.rs")]
mod loaded;
mod replayer;
mod shared;

pub use error::KernelError;
pub use loaded::Loaded;
pub use replayer::{Difference, Replayer, Tally};
pub use shared::{Record, Stats};
