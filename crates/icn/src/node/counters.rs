//! Counters of a node and of its faces.

/// Counters of a node since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Interests aggregated with a PIT entry, and therefore not forwarded.
    pub aggregated: u64,
    /// Aggregated Interests whose hint differs from the entry's.
    pub diverted: u64,
    /// Interests retransmitted by a face that already waits, and forwarded again.
    pub retransmitted: u64,
    /// Interests returned with a Nack because their nonce was known (a loop).
    pub duplicate: u64,
    /// Interests returned with a Nack because no route matches.
    pub no_route: u64,
    /// Strictly steered Interests returned with a Nack because their hint names no next hop.
    pub invalid_label: u64,
    /// Interests whose hint names no next hop, forwarded by the strategy.
    pub fallback: u64,
    /// Interests returned with a Nack because their face has its most pending Interests.
    pub table_full: u64,
    /// Interests dropped because their hop limit ended.
    pub hop_limit: u64,
    /// PIT entries answered by Data.
    pub satisfied: u64,
    /// PIT entries that expired without an answer.
    pub expired: u64,
    /// Interests that waited in a shaper until their PIT entry was gone.
    pub stale: u64,
    /// Data and Nacks without a PIT entry.
    pub unsolicited: u64,
    /// Interests repeated too soon after they were forwarded, and therefore not forwarded again.
    pub suppressed: u64,
    /// Packets dropped because their names must not leave their host.
    pub out_of_scope: u64,
    /// Interests that failed, of neighbours that are not told by a Nack.
    pub unreported: u64,
    /// Interests answered by the content store.
    pub cache_hits: u64,
    /// Interests that found no Data in the content store, or no content store.
    pub cache_misses: u64,
}

/// Counters of a face since it was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceCounters {
    /// Interests received.
    pub interests_in: u64,
    /// Interests sent.
    pub interests_out: u64,
    /// Data received.
    pub data_in: u64,
    /// Data sent.
    pub data_out: u64,
    /// Nacks received.
    pub nacks_in: u64,
    /// Nacks sent.
    pub nacks_out: u64,
    /// Interests refused by the shaper, which are returned with a Nack: primary and secondary.
    pub refused: [u64; 2],
    /// Waiting secondary Interests evicted for primary ones; `refused` counts them too.
    pub evicted: u64,
    /// The most Interests that waited in the shaper at once.
    pub most_waiting: usize,
    /// Interests that arrived here and had to wait in the proxy.
    pub proxied: u64,
    /// Interests that arrived here and were dropped, because too many waited in the proxy or they
    /// would have waited too long.
    pub proxy_full: u64,
    /// Primary Interests that arrived here and were refused, because they asked for more than the
    /// rate of a policed face.
    pub policed: u64,
}
