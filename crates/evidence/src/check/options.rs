//! How a check is made.

use crate::suite::Scope;

/// How a check is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Few cells and five seeds, or all cells and ten. A program has few cells always, and one run of each or five.
    pub quick: bool,
    /// Where the controller is meant to be used.
    pub scope: Scope,
    /// Only these criteria, by id; all, if there are none.
    pub only: Vec<String>,
    /// How many seeds each cell has at first, instead of 5 or 10; at least 5.
    pub seeds: Option<u16>,
    /// The first seed, at most 60,000.
    pub first_seed: u16,
    /// True if the controller uses signals of routers: it marks its packets as ECN-capable.
    pub signals: bool,
}
