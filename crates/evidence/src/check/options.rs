//! The options of a check.

use crate::suite::Scope;

/// The options of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// If true, few cells with five seeds; otherwise all cells with ten. A program always has few
    /// cells, with one run each if true and five otherwise.
    pub quick: bool,
    /// Environment for which the controller is intended.
    pub scope: Scope,
    /// Ids of the criteria to check; all criteria if empty.
    pub only: Vec<String>,
    /// Number of first seeds of each cell instead of 5 or 10; at least 5.
    pub seeds: Option<u16>,
    /// The first seed, at most 60,000.
    pub first_seed: u16,
    /// True if the controller uses signals of routers, so that its packets are marked as
    /// ECN-capable.
    pub signals: bool,
}
