//! The segments that numbered transmissions carry.

use std::collections::{BTreeSet, VecDeque};

/// Which segment each outstanding transmission carries, and which segments have been delivered.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Stream {
    /// Segment of each outstanding transmission, the oldest first.
    carried: VecDeque<u64>,
    /// The number of the oldest transmission.
    first: u64,
    una: u64,
    /// For each segment from `una` on that was ever sent, whether it is delivered.
    delivered: VecDeque<bool>,
    /// Lost and not sent again since.
    to_retransmit: BTreeSet<u64>,
    /// Lost transmissions, each with the one whose delivery ends the watch for a late
    /// acknowledgement.
    remembered: VecDeque<(u64, u64)>,
}

impl Stream {
    /// First segment not delivered.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// First segment never sent.
    #[inline]
    pub fn next(&self) -> u64 {
        self.una + self.delivered.len() as u64
    }

    /// The first segment that waits for retransmission.
    #[inline]
    pub fn first_to_retransmit(&self) -> Option<u64> {
        self.to_retransmit.first().copied()
    }

    /// The segment that a probe carries if there is no new data: the first not delivered, or the
    /// last one sent if only acknowledgements are missing.
    pub fn to_probe(&self) -> u64 {
        self.una.min(self.next() - 1)
    }

    /// A transmission of `segment` leaves.
    pub fn on_sent(&mut self, segment: u64) {
        self.carried.push_back(segment);
        if segment == self.next() {
            self.delivered.push_back(false);
        } else {
            debug_assert!(segment < self.next(), "segments leave in their order");
            self.to_retransmit.remove(&segment);
        }
    }

    /// The segment that an outstanding transmission carries.
    pub fn segment(&self, packet: u64) -> u64 {
        self.carried[(packet - self.first) as usize]
    }

    fn has(&self, segment: u64) -> bool {
        segment.checked_sub(self.una).is_none_or(|place| self.delivered[place as usize])
    }

    /// A segment is delivered, if it was not before.
    pub fn deliver(&mut self, segment: u64) {
        if self.has(segment) {
            return;
        }
        self.to_retransmit.remove(&segment);
        self.delivered[(segment - self.una) as usize] = true;
        while self.delivered.front() == Some(&true) {
            self.delivered.pop_front();
            self.una += 1;
        }
    }

    /// Transmission `packet` is lost, and remembered until `next_packet` or a later one is
    /// delivered. Returns the segment that it carried.
    pub fn lose(&mut self, packet: u64, next_packet: u64) -> u64 {
        self.remembered.push_back((packet, next_packet));
        self.repeat(packet)
    }

    /// The segment that `packet` carried is to be sent again, unless it was delivered otherwise.
    /// Returns it.
    pub fn repeat(&mut self, packet: u64) -> u64 {
        let segment = self.segment(packet);
        if !self.has(segment) {
            self.to_retransmit.insert(segment);
        }
        segment
    }

    /// True once a transmission that left after `packet` was lost has been delivered: `highest` is
    /// one past the highest delivered.
    pub fn forgets(&mut self, packet: u64, highest: u64) -> bool {
        while self.remembered.front().is_some_and(|(lost, end)| *lost < packet || *end < highest) {
            self.remembered.pop_front();
        }
        self.remembered.front().is_none_or(|(lost, _)| *lost > packet)
    }

    /// Transmissions below `packet` are settled.
    pub fn forget_below(&mut self, packet: u64) {
        self.carried.drain(..(packet - self.first) as usize);
        self.first = packet;
    }
}
