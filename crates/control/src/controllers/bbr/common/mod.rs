//! What the versions of BBR have in common, in the kernel's integers: packets, microseconds, gains in 1/256.

mod ack;
mod aggregation;
mod bandwidth;
mod pacing;
mod probe_rtt;
mod rounds;
mod saved;

pub use ack::{Ack, Counts};
pub use aggregation::{Epoch, Slots};
pub use bandwidth::{BW_SCALE, GAIN_SCALE, UNIT, bandwidth, bandwidth_ceil, product};
pub use pacing::{Pacing, Rule};
pub use probe_rtt::{ProbeRtt, Progress};
pub use rounds::Rounds;
pub use saved::{Saved, repairs};

/// Fewest packets in flight when all is well: with every other packet acknowledged, two in each direction.
pub const FLOOR: u32 = 4;
