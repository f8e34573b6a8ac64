//! Parts that both versions of BBR share, in the kernel's integers: packets, microseconds, gains in
//! 1/256.
//!
//! Names in code font are those of `net/ipv4/tcp_bbr.c`. "v1" cites
//! draft-cardwell-iccrg-bbr-congestion-control-00, "v3" draft-ietf-ccwg-bbr-06.

mod ack;
mod aggregation;
mod bandwidth;
mod pacing;
mod probe_rtt;
mod rounds;
mod saved;

pub use ack::{Ack, Counts};
pub use aggregation::{ExtraAcked, MaxExtraAcked};
pub use bandwidth::{BW_SCALE, GAIN_SCALE, UNIT, bandwidth, bandwidth_ceil, bdp};
pub use pacing::{Pacing, PacingRule};
pub use probe_rtt::{ProbeRtt, Progress};
pub use rounds::Rounds;
pub use saved::{Saved, repairs};

/// Fewest packets in flight outside of recovery: with delayed acknowledgements, two in each
/// direction (`bbr_cwnd_min_target`; v1 section 4.2.3.3, v3 section 5.6.4.3).
pub const FLOOR: u32 = 4;
