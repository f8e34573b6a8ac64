//! Records of single packets: captures for Wireshark and logs for qvis, written while a simulation
//! runs, and the table of samples at each acknowledgement, written after any run.

mod acks;
mod own_log;
mod packets;
mod qlog;

pub use acks::{ACK_COLUMNS, ACKS, AckColumn, AckLog, Remembered, write_acks};
pub use own_log::OwnLog;
pub use packets::{Capture, CapturePoint};
pub use qlog::SenderLog;
