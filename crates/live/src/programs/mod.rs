//! The user's own programs on the hosts of a scenario's network.

mod child;
mod flows;
mod records;
mod run;
mod sampler;
mod set;

pub use child::Exit;
pub use run::run_program;
pub use set::{Ending, Program};
