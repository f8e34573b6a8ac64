//! Delivery rate samples (draft-cheng-iccrg-delivery-rate-estimation-02, Linux
//! `net/ipv4/tcp_rate.c`).

use crate::scoreboard::{Flags, Slot, Stamp};
use narrows_control::RateSample;
use narrows_units::{Span, Time};

/// The connection's delivery state. Its last two fields are touched also if nobody samples.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct RateSampler {
    newest: Option<Newest>,
    delivered_at: Time,
    /// When the segment most recently acknowledged left: the send interval begins there.
    first_sent_at: Time,
    /// Samples are application-limited until this many segments are delivered; 0 if not limited.
    app_limited_until: u64,
    pub(crate) delivered: u64,
}

/// The most recently sent segment of those an acknowledgement delivers.
#[derive(Clone, Copy, Debug)]
struct Newest {
    sent_at: Time,
    stamp: Stamp,
    /// One past its number.
    end: u64,
    flags: Flags,
}

impl RateSampler {
    /// Stamps a transmission. `ce`: packets that the receiver has counted with CE.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, idle: bool, ce: u32) -> Stamp {
        if idle {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        Stamp {
            first_sent_at: self.first_sent_at,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            delivered_ce: ce,
        }
    }

    /// True while samples are limited by the application.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.app_limited_until != 0
    }

    /// The application has nothing more to send while the network could take more.
    pub(crate) fn limit_by_app(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + in_flight as u64).max(1);
    }

    /// Segment `number` is delivered at `now`.
    #[inline]
    pub(crate) fn on_delivered(&mut self, now: Time, number: u64, slot: &Slot, stamp: Stamp) {
        let Slot { sent_at, flags, .. } = *slot;
        self.delivered += 1;
        self.delivered_at = now;
        if self.newest.is_none_or(|newest| sent_at >= newest.sent_at) {
            self.first_sent_at = sent_at;
            self.newest = Some(Newest { sent_at, stamp, end: number + 1, flags });
        }
    }

    /// Ends the limit by the application once the segments in flight then have been delivered.
    #[inline]
    pub(crate) fn pass_app_limit(&mut self) {
        if self.app_limited_until != 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
    }

    /// The sample of the acknowledgement whose segments were just delivered, without an interval if
    /// that is shorter than the least round trip. `None` if it delivered nothing. `ce`: packets
    /// that the receiver has counted with CE.
    #[inline]
    pub(crate) fn sample(&mut self, now: Time, min_rtt: Span, ce: u32) -> Option<RateSample> {
        let newest = self.newest.take()?;
        let send_interval = newest.sent_at.since(newest.stamp.first_sent_at);
        let ack_interval = now.since(newest.stamp.delivered_at);
        let interval = send_interval.max(ack_interval);
        let delivered = (self.delivered - newest.stamp.delivered) as u32;
        let mut sample = RateSample::over(delivered, interval, newest.stamp.delivered);
        if interval < min_rtt || interval.is_zero() {
            sample.interval = None;
        }
        (sample.send_interval, sample.ack_interval) = (send_interval, ack_interval);
        sample.delivered_ce = ce.wrapping_sub(newest.stamp.delivered_ce);
        sample.end = newest.end;
        sample.resent = newest.flags.has(Flags::EVER_RETRANSMITTED);
        sample.app_limited = newest.flags.has(Flags::APP_LIMITED);
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments leave each millisecond and are acknowledged after ten, one by one. Each sample
    /// covers the ten deliveries of its round trip, so each delivery is part of ten samples ("A
    /// PCC-Vivace Kernel Module", slide 34: "a single packet's result appears in multiple
    /// samples").
    #[test]
    fn samples_of_successive_acknowledgements_overlap() {
        let at = |ms: u64| Time::ZERO + Span::from_millis(ms);
        let mut sampler = RateSampler::default();
        let mut stamps = Vec::new();
        let mut covered = 0;
        for ms in 0..110u64 {
            if let Some(number) = ms.checked_sub(10).filter(|number| *number < 100) {
                let slot = Slot { sent_at: at(number), ..Slot::default() };
                sampler.on_delivered(at(ms), number, &slot, stamps[number as usize]);
                let sample =
                    sampler.sample(at(ms), Span::ZERO, 0).expect("something was delivered");
                if number >= 50 {
                    assert_eq!(
                        (sample.delivered, sample.ack_interval),
                        (10, Span::from_millis(10))
                    );
                    covered += sample.delivered;
                }
            }
            stamps.push(sampler.on_sent(at(ms), ms == 0, 0));
        }
        assert_eq!(covered, 10 * 50, "fifty deliveries, each ten times");
    }
}
