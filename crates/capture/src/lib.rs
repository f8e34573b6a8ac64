//! Packet by packet: captures for Wireshark, logs for qvis, and samples at each acknowledgement, written while a simulation runs.

mod acks;
mod packets;
mod qlog;

pub use acks::{AckLog, Remembered, write_acks};
pub use packets::{Capture, CapturePoint};
pub use qlog::SenderLog;
