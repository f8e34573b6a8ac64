//! Tests of the crate as its users see it, in one program.

mod common;
#[cfg(feature = "bpf")]
mod deployed;
#[cfg(feature = "bpf")]
mod deployment;
mod files;
mod pins;
mod prices;
mod replay;
mod router;
mod sound;
