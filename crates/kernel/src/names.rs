//! Names of controllers in the kernel.

use std::fs;
use std::io;
use std::path::PathBuf;

/// Returns the controllers that the kernel lists, for all network namespaces.
pub fn available() -> Vec<String> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns the controllers that a network namespace other than the first may have as its default,
/// and that unprivileged programs may choose (`net.ipv4.tcp_allowed_congestion_control`;
/// `tcp_set_default_congestion_control`).
pub fn allowed() -> Vec<String> {
    let text =
        fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns the default controller of new connections in this network namespace
/// (`net.ipv4.tcp_congestion_control`).
pub fn default() -> String {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// A network namespace other than this process's.
#[derive(Debug)]
pub struct Elsewhere {
    /// Path with which it can be entered: `/proc/12/ns/net`.
    pub path: PathBuf,
    /// Owner, for people: `process 12 (sleep)`, or the path.
    pub whose: String,
    /// The [`default`] there, or the error of reading it.
    pub default: io::Result<String>,
}
