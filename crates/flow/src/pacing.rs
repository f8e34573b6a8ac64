//! Pacing: releases bursts of a quantum at a rate.

use narrows_units::{Bytes, Rate, Time};

/// A pacer. A burst may leave when its time has come; each packet of it moves the time of the next burst by what it takes at the pacing rate. A burst that
/// left late brings the next one forward by up to half of its own time (Linux `tcp_update_skb_after_send`), so that host delays do not lower the rate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pacer {
    next: Time,
    /// What may still leave back to back.
    burst: u64,
    /// The lateness of the burst in progress.
    late: u64,
}

impl Pacer {
    /// When the next packet may leave.
    #[inline]
    pub(crate) fn release(&self, size: Bytes, pacing: Option<Rate>) -> Time {
        if pacing.is_none() || self.burst >= size.get() { Time::ZERO } else { self.next }
    }

    /// A packet leaves.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, size: Bytes, pacing: Option<Rate>, quantum: Bytes) {
        let Some(rate) = pacing else { return };
        if self.burst < size.get() {
            self.burst = quantum.get().max(size.get());
            self.late = now.since(self.next).as_nanos();
            self.next = now;
        }
        self.burst = self.burst.saturating_sub(size.get());
        let took = rate.time_for(size);
        let credit = self.late.min(took.as_nanos() / 2);
        self.late -= credit;
        self.next = self.next + took - narrows_units::Span::from_nanos(credit);
    }

    /// The sender stops for another reason than pacing: what is left of the burst is forfeited.
    #[inline]
    pub(crate) fn end_burst(&mut self) {
        self.burst = 0;
    }
}
