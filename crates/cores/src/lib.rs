//! The arithmetic of kernel controllers and of VCP's router: integers in C (`c/*.h`), which is
//! compiled here for this machine and by the loader for BPF, behind safe calls.
//!
//! A [`Core`] is one connection's controller, a [`RouterMeter`] one link's router. Unsafe code is
//! in the modules that call C, and nowhere else in the crates of the simulator.

mod call;
pub mod equations;
#[cfg(test)]
mod headers;
mod router;

pub use call::*;
pub use router::{RouterMeter, fraction};

/// The headers that a core in a file of its own includes, each with its text: `core.h`, which says
/// what a core is told and answers, and `window.h`, what Linux gives to controllers of the window
/// alone.
pub const CORE_HEADERS: [(&str, &str); 2] =
    [("core.h", include_str!("../c/core.h")), ("window.h", include_str!("../c/window.h"))];
