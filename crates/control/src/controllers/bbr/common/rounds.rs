//! Packet-timed round trips (`bbr_update_bw`; v1 section 4.1.1.3, v3 section 5.5.1).

use super::ack::Ack;

/// A round ends when a packet sent after its beginning is delivered.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    count: u32,
    /// The round ends with a packet sent after this many were delivered (`next_rtt_delivered`).
    end: u64,
    start: bool,
}

impl Rounds {
    /// Rounds so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// True if the latest acknowledgement began a round.
    pub fn start(&self) -> bool {
        self.start
    }

    /// Begins a round now, not counted, with `delivered` packets delivered so far.
    pub fn restart(&mut self, delivered: u64) {
        self.end = delivered;
    }

    /// Takes in an acknowledgement.
    pub fn update(&mut self, ack: &Ack) {
        self.start = ack.sample.is_some_and(|sample| sample.prior_delivered >= self.end);
        if self.start {
            self.end = ack.counts.delivered;
            self.count += 1;
        }
    }
}
