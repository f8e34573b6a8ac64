//! The program as a library: [`main`] is `narrows` with controllers of one's own. All of it is `narrows-cli`'s.

pub use narrows_cli::*;
