//! Rounds counted in segment numbers: a round ends when a segment sent after its beginning is acknowledged.

/// One round after another.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The number of the next segment to be sent for the first time.
    next: u64,
    /// Segments from this one on were sent in the round.
    first: u64,
}

impl Round {
    /// A segment leaves.
    pub fn on_sent(&mut self, number: u64) {
        self.next = self.next.max(number + 1);
    }

    /// True if acknowledging the segment `highest` ends the round; the next one has then begun.
    pub fn ends_with(&mut self, highest: u64) -> bool {
        let ends = highest >= self.first;
        if ends {
            self.begin();
        }
        ends
    }

    /// Begins a round now.
    pub fn begin(&mut self) {
        self.first = self.next;
    }
}
