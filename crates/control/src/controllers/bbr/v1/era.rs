//! The kernels that version 1 follows.

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Linux 4.15.
    Linux4_15,
    /// Linux 6.
    Linux6,
}
