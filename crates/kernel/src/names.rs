//! The names of controllers in the kernel.

use std::fs;
use std::io;
use std::path::PathBuf;

/// The controllers that the kernel lists, for all of its network namespaces.
pub fn available() -> Vec<String> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// The controllers that a network namespace other than the first one may have as its default, and that programs without rights may
/// choose (`net.ipv4.tcp_allowed_congestion_control`; `tcp_set_default_congestion_control`).
pub fn allowed() -> Vec<String> {
    let text =
        fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// The controller that new connections of this network namespace take unless they ask for another (`net.ipv4.tcp_congestion_control`).
pub fn default() -> String {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// A network namespace other than that of this process.
#[derive(Debug)]
pub struct Elsewhere {
    /// Where it can be entered, `/proc/12/ns/net`.
    pub path: PathBuf,
    /// Whose it is, for people: `process 12 (sleep)`, or the path.
    pub whose: String,
    /// As [`default`] there, or why it cannot be told.
    pub default: io::Result<String>,
}
