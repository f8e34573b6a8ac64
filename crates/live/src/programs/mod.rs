//! The user's programs on the hosts of a scenario's network.

mod child;
mod flows;
mod records;
mod run;
mod sampler;
mod set;

pub use child::{Exit, Stdout};
pub use run::run_program;
pub use set::{Beside, Ending, Program};
