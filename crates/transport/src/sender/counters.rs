//! Counters of a sender.

/// Counters of a sender since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Transmissions, retransmissions included.
    pub sent: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// Transmissions declared lost.
    pub declared_lost: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that a recovery began.
    pub recoveries: u64,
    /// Reductions undone as spurious.
    pub undone: u64,
}
