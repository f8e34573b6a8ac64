//! A reliable transport endpoint, sans-IO: numbering, acknowledgement, loss detection, recovery,
//! retransmission timeout and pacing. It turns packets into the
//! [`Feedback`](narrows_control::Feedback) that controllers see.
//!
//! Segments are numbered from 0 and all of one size, but for the last of a message.
//!
//! It follows TCP of Linux 6.x, with these differences:
//! * clocks count nanoseconds and timers expire exactly;
//! * the receiver acknowledges each segment that arrives out of order (Linux gathers those after
//!   the third for up to 1 ms or 5 % of a round trip); its delay and its silence before it
//!   acknowledges quickly again know no round trip: at most 200 ms, and 1 s;
//! * pacing begins with the first segment, in Linux with the eleventh;
//! * a round counts as limited by the window if the window was full in it; in slow start Linux is
//!   content with half of it;
//! * a timeout presumes lost also the segments sent within the last round trip, and a second loss
//!   during its repair starts no new recovery;
//! * a probe counts as in flight beside the segment it repeats;
//! * the timer for reordering follows the oldest late segment, in Linux the youngest;
//! * a reduction is undone as soon as it is known to be spurious, whatever is still being repaired;
//! * reordering of any distance counts: the 300 segments of `tcp_max_reordering` do not bound it.

mod autotuning;
mod handshake;
mod misbehaviour;
mod observer;
mod pacing;
mod ranges;
mod rate;
mod receiver;
mod rtt;
mod scoreboard;
mod sender;
mod short;
mod signals;
mod transport;
mod wire;

pub use handshake::Handshake;
pub use observer::{Content, Observer, Point, Seen};
pub use ranges::RangeSet;
pub use receiver::Receiver;
pub use rtt::{RttEstimator, RttSettings, TimeoutRule};
pub use scoreboard::MAX_DUPTHRESH;
pub use sender::{Answer, Room, Sender, SenderCounters};
pub use signals::Signals;
pub use transport::{
    AckFormat, LossDetection, MAX_ACK_PIECES, MAX_OFFLOAD, RecoveryAlgorithm, RtoRule, RttSamples,
    Transport, Tso,
};
pub use wire::{Ack, Block, Blocks, Data, MAX_BLOCKS};
