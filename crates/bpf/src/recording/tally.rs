//! The results of a replay.

use std::collections::BTreeMap;

/// Calls recorded in a kernel, and what became of them here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls decided again.
    pub calls: u64,
    /// Connections that they belong to.
    pub connections: u64,
    /// Calls for which there was no room to be recorded.
    pub missed: u64,
    /// Of the calls decided again, those that were not equal.
    pub unequal: u64,
    /// Of those that were equal, the calls that were so only one tick later: the tick came between the record and the program's own look at the clock.
    pub later: u64,
    /// The first that was not equal, in words.
    pub first: Option<String>,
    /// Calls that cannot be compared, by the callback: how many, and why.
    pub left: BTreeMap<String, (u64, String)>,
}

impl Tally {
    /// What was not compared, in words; empty if there is nothing.
    pub fn left(&self) -> String {
        let one = |(callback, (count, why)): (&String, &(u64, String))| match count {
            0 => format!("{callback} ({why})"),
            1 => format!("1 call of {callback} ({why})"),
            count => format!("{count} calls of {callback} ({why})"),
        };
        self.left.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}
