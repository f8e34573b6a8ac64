//! Counts of what a stack tells its controller: its statistics lack bytes in flight, and count each
//! batch of losses as a congestion event.

use narrows_control::GuestCounts;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Counts of one connection, shared by a controller and its host.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    in_flight: AtomicU64,
    lost: AtomicU64,
    congestion_events: AtomicU64,
    spurious: AtomicU64,
    persistent: AtomicU64,
}

impl Watch {
    pub(crate) fn sent(&self, bytes: u64) {
        self.in_flight.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn acknowledged(&self, in_flight: u64) {
        self.in_flight.store(in_flight, Relaxed);
    }

    pub(crate) fn lost(&self, packets: u64) {
        self.lost.fetch_add(packets, Relaxed);
    }

    pub(crate) fn spurious(&self) {
        self.spurious.fetch_add(1, Relaxed);
    }

    /// A batch of losses or a mark, the newest packet of which left at `sent`. It begins a recovery
    /// if that packet left after the latest recovery had begun (RFC 9002 section 7.3.2).
    pub(crate) fn congestion(
        &self,
        recovery: &mut Option<Instant>,
        (now, sent): (Instant, Instant),
        persistent: bool,
        lost_bytes: u64,
    ) {
        let in_flight = self.in_flight.load(Relaxed);
        self.in_flight.store(in_flight.saturating_sub(lost_bytes), Relaxed);
        self.persistent.fetch_add(u64::from(persistent), Relaxed);
        if recovery.is_none_or(|began| sent > began) {
            *recovery = Some(now);
            self.congestion_events.fetch_add(1, Relaxed);
        }
    }

    /// Bytes in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    pub(crate) fn counts(&self) -> GuestCounts {
        GuestCounts {
            lost: self.lost.load(Relaxed),
            congestion_events: self.congestion_events.load(Relaxed),
            spurious: self.spurious.load(Relaxed),
            persistent: self.persistent.load(Relaxed),
        }
    }
}
