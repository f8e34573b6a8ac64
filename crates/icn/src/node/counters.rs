//! What a node and its faces have counted.

/// Of a node, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Interests that joined an entry of the table, and were not passed on.
    pub aggregated: u64,
    /// Of these, Interests that were to take another way than the one which they joined.
    pub diverted: u64,
    /// Interests that came again from the same face, and were passed on again.
    pub retransmitted: u64,
    /// Interests that had been here before: refused.
    pub duplicate: u64,
    /// Interests to which no route leads: refused.
    pub no_route: u64,
    /// Interests whose path is not there, and that were to take no other: refused.
    pub invalid_label: u64,
    /// Interests whose path is not there, and that took another.
    pub fallback: u64,
    /// Interests of a face that has as many pending as it may: refused.
    pub table_full: u64,
    /// Interests that came with no hops left, or would have left with none.
    pub hop_limit: u64,
    /// Entries of the table that were never answered.
    pub expired: u64,
    /// Interests that waited until nobody waited for them.
    pub stale: u64,
    /// Data and refusals that nobody waits for.
    pub unsolicited: u64,
    /// Interests that the content store answered.
    pub cache_hits: u64,
}

/// Of a face, since it was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceCounters {
    /// Interests that came in.
    pub interests_in: u64,
    /// Interests that left.
    pub interests_out: u64,
    /// Data that came in.
    pub data_in: u64,
    /// Data that left.
    pub data_out: u64,
    /// Refusals that came in.
    pub nacks_in: u64,
    /// Refusals that left.
    pub nacks_out: u64,
    /// Interests that the shaper refused, primary and secondary.
    pub refused: [u64; 2],
    /// Secondary Interests that waited and gave way to primary ones; they are counted as refused too.
    pub evicted: u64,
    /// The most Interests that waited at once.
    pub most_waiting: usize,
}
