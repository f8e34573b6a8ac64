//! Path of the pins of controllers.

/// Directory of pinned controllers; each has its own directory there.
pub const PINS: &str = "/sys/fs/bpf/narrows";
