//! A reliable transport endpoint, sans-IO: numbering, acknowledgement, loss detection, recovery, retransmission timeout and pacing. It turns packets into the
//! [`Feedback`](narrows_control::Feedback) that controllers see.

mod transport;

pub use transport::Transport;
