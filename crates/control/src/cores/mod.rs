//! The kernel's controllers: integer arithmetic in C (`cores/*.h`), which is compiled here for this
//! machine and by the loader for BPF, behind safe calls.
//!
//! A [`Core`] is one connection's controller; a [`Twin`] says what the kernel and the simulator
//! call it, and with which constants it starts. The only unsafe code of this crate is here.

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

/// The headers that a core in a file of its own includes, each with its text: `core.h`, which says
/// what a core is told and answers, and `window.h`, what Linux gives to controllers of the window
/// alone.
pub const CORE_HEADERS: [(&str, &str); 2] = [
    ("core.h", include_str!("../../cores/core.h")),
    ("window.h", include_str!("../../cores/window.h")),
];
