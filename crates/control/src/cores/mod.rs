//! The kernel's controllers: integer arithmetic in C (`cores/*.h`), which is compiled here for this machine and by the loader for BPF,
//! behind safe calls.
//!
//! A [`Core`] is one connection's controller; a [`Twin`] says what the kernel and the simulator call it, and with which constants it
//! starts. The only unsafe code of this crate is here.

mod call;
#[cfg(test)]
pub(crate) mod equations;
#[cfg(test)]
mod headers;
mod router;
mod twin;

pub use call::*;
pub use router::{RouterMeter, fraction};
pub(crate) use twin::replay;
pub use twin::{Replay, Twin};
