//! Counts of what a stack tells its controller: its statistics lack bytes in flight, and count each
//! batch of losses as a congestion event.

use narrows_control::GuestCounts;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Counts of one connection, shared by a controller and its host.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    in_flight: AtomicU64,
    lost: AtomicU64,
    congestion_events: AtomicU64,
    spurious: AtomicU64,
    persistent: AtomicU64,
    /// Times that the stack has asked for the window since it was last offered to send.
    asked: AtomicU64,
    /// It was told that the window is full since then.
    limited: AtomicBool,
    /// It has sent ack-eliciting packets since then without having asked.
    unasked: AtomicBool,
    probe_timeouts: AtomicU64,
}

impl Watch {
    /// The stack is about to be offered to send.
    pub(crate) fn offer(&self) {
        self.asked.store(0, Relaxed);
        self.limited.store(false, Relaxed);
        self.unasked.store(false, Relaxed);
    }

    /// The stack asks for the window: it has something to send that the window may forbid. It does
    /// not ask before a probe.
    pub(crate) fn ask(&self) {
        self.asked.fetch_add(1, Relaxed);
    }

    /// The window is full.
    #[cfg(feature = "noq")]
    pub(crate) fn limited(&self) {
        self.limited.store(true, Relaxed);
    }

    /// How often the stack has asked for the window since it was last offered to send.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Relaxed)
    }

    /// True if the stack was told since then that the window is full.
    #[cfg(feature = "noq")]
    pub(crate) fn is_limited(&self) -> bool {
        self.limited.load(Relaxed)
    }

    /// True if the stack has sent ack-eliciting packets since then without having asked.
    #[cfg(feature = "noq")]
    pub(crate) fn has_not_asked(&self) -> bool {
        self.unasked.load(Relaxed)
    }

    /// A probe timeout has made the stack send.
    pub(crate) fn probe(&self) {
        self.probe_timeouts.fetch_add(1, Relaxed);
    }

    pub(crate) fn sent(&self, bytes: u64) {
        if self.asked() == 0 {
            self.unasked.store(true, Relaxed);
        }
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
            probe_timeouts: self.probe_timeouts.load(Relaxed),
            ..GuestCounts::default()
        }
    }
}
