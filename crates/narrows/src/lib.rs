//! The program as a library: [`main`] is `narrows` with controllers of one's own. All of it is `narrows-cli`'s; the program is a package of its own because link-time
//! optimisation takes its level from there.

pub use narrows_cli::*;
