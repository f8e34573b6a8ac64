//! The samples that callbacks are given: `struct ack_sample` and `struct rate_sample`.

use super::Around;
use crate::machine::Callback;
use crate::program::address;
use crate::socket::Field;
use crate::socket::fields as f;
use narrows_control::Feedback;
use narrows_units::Span;

impl Around {
    #[inline(always)]
    fn put(&mut self, field: Field, value: u64) {
        field.set(self.machine.sample_mut(), value);
    }

    /// Of an acknowledgement of `packets` segments that left the retransmission queue, with the
    /// round trip of the newest that was sent once.
    pub(super) fn fill_ack_sample(&mut self, packets: u64, rtt: Option<Span>, in_flight: u64) {
        self.put(f::ACK_PACKETS, packets);
        self.put(f::ACK_RTT, rtt.map_or(u64::MAX, |rtt| rtt.as_micros().min(i32::MAX as u64)));
        self.put(f::ACK_IN_FLIGHT, in_flight);
    }

    pub(super) fn tell_of_acknowledged(&mut self) {
        self.call(self.callbacks.pkts_acked, [address::of(address::SAMPLE, 0)]);
    }

    /// `tcp_rate_gen`, for a program that is given the sample: without one neither deliveries nor
    /// an interval are known, but losses and the flight are.
    pub(super) fn fill_rate_sample(&mut self, feedback: &Feedback<'_>, newly: u64) {
        if self.details
            && let Some((rate, interval)) =
                feedback.rate.and_then(|rate| Some((rate, rate.interval?)))
        {
            self.keep_rate(rate.delivered, interval, rate.app_limited);
        }
        if !self.controls() {
            return;
        }
        self.fill_no_rate_sample();
        let micros = |span: Span| span.as_micros().min(u32::MAX as u64);
        if let Some(rate) = feedback.rate {
            let end = self.sequence(rate.end);
            let prior =
                self.outside.micros(feedback.now).saturating_sub(rate.ack_interval.as_micros());
            let marked = self.get(f::DELIVERED_CE).wrapping_sub(rate.delivered_ce as u64);
            for (field, value) in [
                (f::RATE_PRIOR_MSTAMP, prior),
                // The handshake's segment counts as delivered.
                (f::RATE_PRIOR_DELIVERED, rate.prior_delivered + 1),
                (f::RATE_PRIOR_DELIVERED_CE, marked),
                (f::RATE_DELIVERED_NOW, rate.delivered as u64),
                (f::RATE_DELIVERED_CE, rate.delivered_ce as u64 & 0xf_ffff),
                (
                    f::RATE_INTERVAL_US,
                    rate.interval.map_or(u64::MAX, |interval| interval.as_micros()),
                ),
                (f::RATE_SEND_INTERVAL, micros(rate.send_interval)),
                (f::RATE_ACK_INTERVAL, micros(rate.ack_interval)),
                (f::RATE_LAST_END_SEQ, end),
                (f::RATE_IS_APP_LIMITED, rate.app_limited as u64),
                (f::RATE_IS_RETRANS, rate.resent as u64),
                (f::RATE_IS_ACK_DELAYED, rate.ack_delayed as u64),
            ] {
                self.put(field, value);
            }
        }
        self.put(f::RATE_RTT, feedback.rtt.map_or(u64::MAX, |rtt| rtt.as_micros()));
        self.put(f::RATE_LOSSES, feedback.lost.len() as u64);
        self.put(f::RATE_ACKED_SACKED, newly);
        self.put(f::RATE_PRIOR_IN_FLIGHT, feedback.in_flight_before as u64);
    }

    /// The socket keeps the best sample, of those that the application limited only better ones
    /// (`tcp_rate_gen`).
    fn keep_rate(&mut self, delivered: u32, interval: Span, app_limited: bool) {
        let interval = interval.as_micros().clamp(1, u32::MAX as u64);
        let better =
            delivered as u64 * self.get(f::RATE_INTERVAL) >= self.get(f::RATE_DELIVERED) * interval;
        if !app_limited || better {
            self.set(f::RATE_DELIVERED, delivered as u64);
            self.set(f::RATE_INTERVAL, interval);
            self.set(f::RATE_APP_LIMITED, app_limited as u64);
        }
    }

    pub(super) fn fill_no_rate_sample(&mut self) {
        self.machine.sample_mut().fill(0);
        self.put(f::RATE_DELIVERED_NOW, u64::MAX);
        self.put(f::RATE_INTERVAL_US, u64::MAX);
        self.put(f::RATE_RTT, u64::MAX);
    }

    /// `cong_control`, with the acknowledged sequence number, the flags of the acknowledgement, and
    /// the rate sample.
    pub(super) fn control(&mut self, acknowledged: u64, flags: u64) {
        let control: Option<Callback> = self.callbacks.cong_control;
        self.call(control, [acknowledged, flags, address::of(address::SAMPLE, 0)]);
    }
}
