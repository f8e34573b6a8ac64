//! What this host has of what a live run needs or can use, for `narrows doctor`.

mod machine;
mod probe;
mod state;
mod tcp;

pub use probe::{probe, ready};
pub use state::{Capability, State};
