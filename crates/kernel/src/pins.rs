//! Where controllers are pinned.

/// The directory of the pins of controllers that stay, each in a directory of its own.
pub const PINS: &str = "/sys/fs/bpf/narrows";
