//! Experiments on a host's connections as their folders keep them: the file, the state, the periods,
//! and the result. An agent locks the folder of its experiment.

mod folder;
mod owned;
mod result;
mod state;
mod writer;

pub use folder::{EXPERIMENT, Stored, has_agent, stored};
pub use owned::{Own, want};
pub use result::{place, plan, remove_old, write_result};
pub use state::{FILE, names, read};
pub use writer::{Writer, write};
