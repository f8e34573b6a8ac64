//! The live world: moves packets of real kernel connections through paths, in real time.

mod acks;
mod clock;
mod emulator;
mod error;
mod host;
pub mod icn;
mod plan;
mod precision;
mod programs;
mod run;
mod sockets;
mod tap;
pub mod trial;
pub mod wire;

pub use acks::Acks;
pub use emulator::{Identity, Load, Progress, Transit};
pub use error::LiveError;
pub use host::raise_file_limit;
pub use host::{Capability, State, acquire, probe, ready};
pub use plan::{MAXIMUM, affordable};
pub use precision::{leave_emulators_core, reduce_wakeup_latency};
pub use programs::{Beside, Ending, Exit, Program, Stdout, run_program};
pub use run::{Extras, run, run_with, supports};
