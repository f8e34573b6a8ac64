//! Features of this host that a live run needs or can use, for `narrows doctor`.

mod machine;
mod probe;
mod state;
mod tcp;

pub use probe::{probe, ready};
pub use state::{Capability, State};
