//! The network of a scenario between the hosts' devices, in real time.

mod classifier;
mod egress;
mod event_loop;
mod round_trip;
mod scheduler;
mod session;
mod snapshot;
mod stats;
mod transit;

pub use classifier::Classifier;
pub use egress::{Egress, EgressPacket, EgressQueue};
pub use session::{Progress, Session};
pub use stats::{Emulated, FlowStats, with_sockets};
pub use transit::{Identity, Load, Transit};
