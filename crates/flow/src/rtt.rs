//! Round-trip estimation and the retransmission timeout.

use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// Smoothed round trip and its variation (RFC 6298), the timeout as Linux derives it (`tcp_rtt_estimator`, `tcp_set_rto`), and the windowed minimum
/// (`tcp_update_rtt_min`).
///
/// Linux differs from RFC 6298 in three ways, kept here: the variation is the largest mean deviation of the latest round trips, not the latest; a sample
/// below the mean moves the deviation eight times less; and the least timeout bounds the variation term, so that the timeout is at least the smoothed round
/// trip plus 200 ms.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    srtt: f64,
    deviation: f64,
    largest_deviation: f64,
    variation: f64,
    /// The round ends when this many segments have been delivered.
    round_end: u64,
    min_rto: Span,
    max_rto: Span,
    backoff: u32,
    timeout: Span,
    minimum: VecDeque<(Time, Span)>,
}

/// How long a sample counts for the minimum (`tcp_min_rtt_wlen`).
const MIN_WINDOW: Span = Span::from_secs(300);

impl RttEstimator {
    /// Before the first sample.
    pub fn new(initial_rto: Span, min_rto: Span, max_rto: Span) -> RttEstimator {
        RttEstimator {
            srtt: 0.0,
            deviation: 0.0,
            largest_deviation: 0.0,
            variation: 0.0,
            round_end: 0,
            min_rto,
            max_rto,
            backoff: 0,
            timeout: initial_rto,
            minimum: VecDeque::new(),
        }
    }

    /// A sample for the mean. `acked` is the first segment not yet acknowledged and `next` the first not yet sent: they mark the rounds.
    pub fn sample(&mut self, rtt: Span, acked: u64, next: u64) {
        let rtt = rtt.as_nanos() as f64;
        let floor = self.min_rto.as_nanos() as f64;
        if self.srtt == 0.0 {
            self.srtt = rtt;
            // In Linux's scale the deviation is 4 times the mean deviation, and starts at half of the round trip.
            self.deviation = rtt * 2.0;
            self.variation = self.deviation.max(floor);
            self.largest_deviation = self.variation;
            self.round_end = next;
        } else {
            let error = rtt - self.srtt;
            self.srtt += error / 8.0;
            let mut change = if error < 0.0 { -error } else { error } - self.deviation / 4.0;
            if error < 0.0 && change > 0.0 {
                change /= 8.0;
            }
            self.deviation += change;
            if self.deviation > self.largest_deviation {
                self.largest_deviation = self.deviation;
                self.variation = self.variation.max(self.largest_deviation);
            }
            if acked > self.round_end {
                if self.largest_deviation < self.variation {
                    self.variation -= (self.variation - self.largest_deviation) / 4.0;
                }
                self.round_end = next;
                self.largest_deviation = floor;
            }
        }
        self.backoff = 0;
        self.timeout = Span::from_nanos((self.srtt + self.variation) as u64).min(self.max_rto);
    }

    /// A sample for the minimum.
    #[inline]
    pub fn sample_minimum(&mut self, now: Time, rtt: Span) {
        // Kept ascending in time and value. Nearly every sample is above the minimum and only replaces the tail.
        while self.minimum.back().is_some_and(|(_, kept)| *kept >= rtt) {
            self.minimum.pop_back();
        }
        match self.minimum.back() {
            // A later, slightly larger sample is worth keeping only when it could outlive the others.
            Some((at, _)) if self.minimum.len() > 1 && now.since(*at) < MIN_WINDOW / 4 => {}
            _ => self.minimum.push_back((now, rtt)),
        }
        while self.minimum.len() > 1 && now.since(self.minimum[0].0) > MIN_WINDOW {
            self.minimum.pop_front();
        }
    }

    /// The smoothed round trip, zero before the first sample.
    #[inline]
    pub fn srtt(&self) -> Span {
        Span::from_nanos(self.srtt as u64)
    }

    /// The least round trip of the latest five minutes; `None` before the first sample.
    #[inline]
    pub fn minimum(&self) -> Option<Span> {
        self.minimum.front().map(|(_, rtt)| *rtt)
    }

    /// The retransmission timeout, back-off included.
    #[inline]
    pub fn timeout(&self) -> Span {
        if self.backoff == 0 { self.timeout } else { (self.timeout * (1 << self.backoff.min(32))).min(self.max_rto) }
    }

    /// The timer expired: the next timeout is twice as long.
    pub fn back_off(&mut self) {
        self.backoff += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator() -> RttEstimator {
        RttEstimator::new(Span::from_secs(1), Span::from_millis(200), Span::from_secs(120))
    }

    #[test]
    fn a_steady_round_trip_of_30_ms_gives_a_timeout_of_230_ms() {
        let mut rtt = estimator();
        assert_eq!(rtt.timeout(), Span::from_secs(1));
        for round in 0..200 {
            rtt.sample(Span::from_millis(30), round, round + 1);
        }
        assert_eq!(rtt.srtt(), Span::from_millis(30));
        assert_eq!(rtt.timeout(), Span::from_millis(230));
    }

    #[test]
    fn the_first_sample_gives_three_round_trips_and_back_off_doubles() {
        let mut rtt = estimator();
        rtt.sample(Span::from_millis(300), 0, 10);
        assert_eq!(rtt.timeout(), Span::from_millis(900));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.timeout(), Span::from_millis(3600));
        for _ in 0..20 {
            rtt.back_off();
        }
        assert_eq!(rtt.timeout(), Span::from_secs(120));
    }

    #[test]
    fn the_minimum_forgets_after_five_minutes() {
        let mut rtt = estimator();
        let second = Span::from_secs(1);
        rtt.sample_minimum(Time::ZERO, Span::from_millis(10));
        for s in 1..=300 {
            rtt.sample_minimum(Time::ZERO + second * s, Span::from_millis(20));
            assert_eq!(rtt.minimum(), Some(Span::from_millis(10)));
        }
        rtt.sample_minimum(Time::ZERO + second * 301, Span::from_millis(20));
        assert_eq!(rtt.minimum(), Some(Span::from_millis(20)));
        rtt.sample_minimum(Time::ZERO + second * 302, Span::from_millis(5));
        assert_eq!(rtt.minimum(), Some(Span::from_millis(5)));
    }
}
