//! A reliable transport endpoint, sans-IO: numbering, acknowledgement, loss detection, recovery, retransmission timeout and pacing. It turns packets into the
//! [`Feedback`](narrows_control::Feedback) that controllers see.
//!
//! Segments are numbered from 0 and all of one size, but for the last of a transfer.

mod pacing;
mod ranges;
mod rate;
mod receiver;
mod recovery;
mod rtt;
mod scoreboard;
mod sender;
mod transport;
mod wire;

pub use ranges::RangeSet;
pub use receiver::Receiver;
pub use rtt::RttEstimator;
pub use sender::{Sender, SenderCounters};
pub use transport::Transport;
pub use wire::{Ack, Block, Data, MAX_BLOCKS};
