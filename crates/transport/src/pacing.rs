//! Pacing: releases bursts of a quantum at a rate.

use narrows_units::{Bytes, Rate, Span, Time};

/// A pacer. A burst may leave when its time has come; each packet of it moves the time of the next
/// burst by the packet's time at the pacing rate. A burst that left late brings the next one
/// forward by up to half of its own time (Linux `tcp_update_skb_after_send`), so that host delays
/// do not lower the rate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pacer {
    next: Time,
    /// Bytes that may still leave back to back.
    burst: u64,
    /// The lateness of the burst in progress.
    late: u64,
    /// Keeps to its schedule: whatever the host delays is made up for, as programs do that pace by
    /// themselves (RFC 9002 section 7.7, PCC in user space).
    exact: bool,
    /// The sender has stopped for another reason than pacing: the burst that comes next is not
    /// late.
    stopped: bool,
}

/// The most lateness that an exact pacer makes up for at once, in ns.
const MOST_LATE: u64 = 1_000_000;

impl Pacer {
    /// One that keeps to its schedule.
    pub(crate) fn exact() -> Pacer {
        Pacer { exact: true, stopped: true, ..Pacer::default() }
    }

    /// When the next packet may leave.
    #[inline]
    pub(crate) fn release(&self, size: Bytes) -> Time {
        if self.burst >= size.get() { Time::ZERO } else { self.next }
    }

    /// The longest delay of a burst that is made up for, if a packet takes `packet_time` at the
    /// pacing rate.
    #[inline]
    pub(crate) fn makes_up_for(&self, packet_time: Span) -> Span {
        Span::from_nanos(if self.exact { MOST_LATE } else { packet_time.as_nanos() / 2 })
    }

    /// A packet leaves, and the next is paced at `rate`.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, size: Bytes, rate: Rate, quantum: Bytes) {
        if self.burst < size.get() {
            self.burst = quantum.get().max(size.get());
            self.late = now.since(self.next).as_nanos();
            let on_schedule = self.exact && !self.stopped && self.late <= MOST_LATE;
            self.stopped = false;
            if on_schedule {
                self.late = 0;
            } else {
                self.next = now;
            }
        }
        self.burst = self.burst.saturating_sub(size.get());
        let took = rate.time_for(size);
        let credit = if self.exact { 0 } else { self.late.min(took.as_nanos() / 2) };
        self.late -= credit;
        self.next = self.next + took - Span::from_nanos(credit);
    }

    /// The sender stops for another reason than pacing: the rest of the burst is forfeited.
    #[inline]
    pub(crate) fn end_burst(&mut self) {
        self.burst = 0;
        self.stopped = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: Bytes = Bytes::new(1500);

    /// When the hundredth packet leaves at 120 us each, every one `late` after it could.
    fn hundredth(mut pacer: Pacer, late: Span) -> u64 {
        let rate = Rate::from_mbps(100);
        let mut now = Time::ZERO;
        for _ in 0..100 {
            now = pacer.release(PACKET).max(now) + late;
            pacer.on_sent(now, PACKET, rate, PACKET);
        }
        now.since(Time::ZERO).as_micros()
    }

    #[test]
    fn an_exact_pacer_makes_up_for_all_that_the_host_delays_and_another_for_half_a_packet_time() {
        let late = Span::from_micros(100);
        assert_eq!(hundredth(Pacer::exact(), late), 100 + 99 * 120 + 100);
        assert_eq!(hundredth(Pacer::default(), late), 99 * (120 + 100 - 60) + 100);
    }

    #[test]
    fn an_exact_pacer_does_not_make_up_for_time_in_which_there_was_nothing_to_send() {
        let mut pacer = Pacer::exact();
        let rate = Rate::from_mbps(100);
        pacer.on_sent(Time::ZERO, PACKET, rate, PACKET);
        pacer.end_burst();
        let now = Time::ZERO + Span::from_micros(900);
        pacer.on_sent(now, PACKET, rate, PACKET);
        assert_eq!(pacer.release(PACKET), now + Span::from_micros(120));
    }
}
