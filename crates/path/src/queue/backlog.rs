//! How much waits, and how much may.

use narrows_units::Bytes;

/// How much a queue holds. The packet in transmission does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// Everything.
    #[default]
    None,
    /// So many bytes.
    Bytes(Bytes),
    /// So many packets.
    Packets(u32),
}

impl Limit {
    /// The part `share` of it, from 0 to 1.
    pub fn scaled(self, share: f64) -> Limit {
        match self {
            Limit::None => Limit::None,
            Limit::Bytes(limit) => {
                Limit::Bytes(Bytes::new(libm::round(limit.get() as f64 * share) as u64))
            }
            Limit::Packets(limit) => Limit::Packets(libm::round(limit as f64 * share) as u32),
        }
    }

    /// True if a packet of `size` fits behind `packets` packets of `bytes` together.
    #[inline]
    pub fn admits(self, bytes: Bytes, packets: usize, size: Bytes) -> bool {
        match self {
            Limit::None => true,
            Limit::Bytes(limit) => bytes + size <= limit,
            Limit::Packets(limit) => packets < limit as usize,
        }
    }
}

/// The queues of a discipline together, and the limit that they share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backlog {
    limit: Limit,
    bytes: Bytes,
    packets: usize,
}

impl Backlog {
    /// Nothing waits.
    pub fn new(limit: Limit) -> Backlog {
        Backlog { limit, ..Backlog::default() }
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Packets waiting.
    pub fn packets(&self) -> usize {
        self.packets
    }

    /// The limit.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// The limit holds from now on. Waiting packets beyond it stay.
    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    /// True if a packet of `size` fits.
    pub fn admits(&self, size: Bytes) -> bool {
        self.limit.admits(self.bytes, self.packets, size)
    }

    /// True if more waits than fits.
    pub fn is_exceeded(&self) -> bool {
        match self.limit {
            Limit::None => false,
            Limit::Bytes(limit) => self.bytes > limit,
            Limit::Packets(limit) => self.packets > limit as usize,
        }
    }

    /// A packet of `size` joins.
    pub fn add(&mut self, size: Bytes) {
        self.bytes += size;
        self.packets += 1;
    }

    /// A packet of `size` leaves.
    pub fn remove(&mut self, size: Bytes) {
        debug_assert!(self.packets > 0 && size <= self.bytes, "{size:?} leaves {self:?}");
        self.bytes -= size;
        self.packets -= 1;
    }

    /// One of the queues was left with `after` of `before`.
    pub fn shrink(&mut self, before: &Backlog, after: &Backlog) {
        debug_assert!(
            after.bytes <= before.bytes && before.bytes <= self.bytes,
            "{before:?} shrinks to {after:?} in {self:?}"
        );
        self.bytes -= before.bytes - after.bytes;
        self.packets -= before.packets - after.packets;
    }
}
