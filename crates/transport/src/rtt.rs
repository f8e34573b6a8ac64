//! Round-trip estimation and the retransmission timeout.

use crate::{AckFormat, RtoRule, RttSamples, Transport};
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The settings of an estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttSettings {
    /// How the timeout follows from round trips.
    pub rule: TimeoutRule,
    /// Which acknowledgements give a round trip to the mean.
    pub samples: RttSamples,
    /// Round trips for the timeout are whole multiples of this, at least one; zero for exact ones.
    pub tick: Span,
    /// The timeout before the first round trip is known.
    pub initial: Span,
    /// The longest timeout after back-off.
    pub longest: Span,
}

/// How the timeout follows from round trips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeoutRule {
    /// As Linux since 2.4 (`tcp_rtt_estimator`): this least value bounds the variation.
    Linux(Span),
    /// RFC 6298 section 2: this least value bounds the whole.
    Rfc6298(Span),
    /// The probe timeout of RFC 9002 section 6.2.1, where the receiver delays acknowledgements by
    /// at most this.
    Rfc9002(Span),
}

impl RttSettings {
    /// Those of an endpoint. Numbered acknowledgements have the probe timeout, whatever `rto`,
    /// `min_rto` and `tick` are.
    pub fn of(transport: &Transport) -> RttSettings {
        let numbered = transport.acks == AckFormat::Numbered;
        RttSettings {
            rule: match transport.rto {
                _ if numbered => TimeoutRule::Rfc9002(transport.ack_delay),
                RtoRule::Linux => TimeoutRule::Linux(transport.min_rto),
                RtoRule::Rfc6298 => TimeoutRule::Rfc6298(transport.min_rto),
            },
            samples: if numbered { RttSamples::Every } else { transport.rtt_samples },
            tick: if numbered { Span::ZERO } else { transport.tick },
            initial: transport.initial_rto,
            longest: transport.max_rto,
        }
    }
}

/// Smoothed round trip and its variation, the timeout as [`TimeoutRule`] has it, and the windowed
/// minimum (Linux `tcp_update_rtt_min`).
///
/// Linux (`tcp_rtt_estimator`, `tcp_set_rto`) differs from RFC 6298 in three ways, kept here: the
/// variation is the largest mean deviation of the latest round trips, not the latest; a sample
/// below the mean moves the deviation eight times less; and the least timeout bounds the variation
/// term, so that the timeout is at least the smoothed round trip plus 200 ms.
///
/// The timer has a mean of its own: where round trips are counted in ticks (ns-2), only the timer
/// sees the ticks. Controllers that divide a window by the round trip need a finer clock than a
/// timeout does (`xcp-end-sys.cc` keeps an `xcp_srtt_` beside `t_srtt_` for that).
///
/// Every sample touches what comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct RttEstimator {
    /// The mean of the round trips in nanoseconds, and rounded down.
    srtt: f64,
    whole_srtt: Span,
    /// The timer's mean, of round trips in ticks, and its deviations.
    mean: f64,
    deviation: f64,
    largest_deviation: f64,
    variation: f64,
    /// The round ends when this many segments have been delivered.
    round_end: u64,
    timeout: Span,
    backoff: u32,
    /// The minimum; [`Span::MAX`] before the first sample.
    least: Span,
    /// A round trip above this and before this time changes nothing of `minimum`.
    quiet: (Span, Time),
    settings: RttSettings,
    /// Round trips of late, ascending in time and value: the first is the minimum.
    minimum: VecDeque<(Time, Span)>,
}

/// The least variation term of RFC 9002 (section 6.1.2, `kGranularity`).
pub(crate) const GRANULARITY: Span = Span::from_millis(1);

/// How long a sample counts for the minimum (`tcp_min_rtt_wlen`).
const MIN_WINDOW: Span = Span::from_secs(300);

impl RttEstimator {
    /// Before the first sample.
    pub fn new(settings: RttSettings) -> RttEstimator {
        RttEstimator {
            settings,
            srtt: 0.0,
            whole_srtt: Span::ZERO,
            mean: 0.0,
            deviation: 0.0,
            largest_deviation: 0.0,
            variation: 0.0,
            round_end: 0,
            backoff: 0,
            timeout: settings.initial,
            minimum: VecDeque::new(),
            least: Span::MAX,
            quiet: (Span::MAX, Time::ZERO),
        }
    }

    /// A sample for the means. `acked` is the first segment not yet acknowledged and `next` the
    /// first not yet sent: they mark the rounds.
    pub fn sample(&mut self, rtt: Span, acked: u64, next: u64) {
        if self.settings.samples == RttSamples::OncePerWindow
            && self.srtt > 0.0
            && acked <= self.round_end
        {
            return;
        }
        let exact = nanos(rtt);
        self.srtt = if self.srtt == 0.0 { exact } else { self.srtt + (exact - self.srtt) / 8.0 };
        self.whole_srtt = whole(self.srtt);
        let rtt = if self.settings.tick.is_zero() { exact } else { nanos(self.in_ticks(rtt)) };
        let longest = self.settings.longest;
        match self.settings.rule {
            TimeoutRule::Linux(least) => self.sample_as_linux(rtt, nanos(least), acked, next),
            TimeoutRule::Rfc6298(least) => {
                self.sample_by_rfc(rtt, next);
                let variation = whole(self.deviation * 4.0).max(self.settings.tick);
                self.timeout = (whole(self.mean) + variation).max(least).min(longest);
            }
            TimeoutRule::Rfc9002(ack_delay) => {
                self.sample_by_rfc(rtt, next);
                // Requirement, RFC 9002 section 6.2.1: "The PTO period MUST be at least
                // kGranularity to avoid the timer expiring immediately"
                let variation = whole(self.deviation * 4.0).max(GRANULARITY);
                self.timeout = (whole(self.mean) + variation + ack_delay).min(longest);
            }
        }
        self.reset_backoff();
    }

    /// The nearest number of whole ticks, at least one.
    fn in_ticks(&self, rtt: Span) -> Span {
        let tick = self.settings.tick.as_nanos();
        self.settings.tick * ((rtt.as_nanos() + tick / 2) / tick).max(1)
    }

    /// Mean and deviation of RFC 6298 section 2 and RFC 9002 section 5.3.
    fn sample_by_rfc(&mut self, rtt: f64, next: u64) {
        if self.mean == 0.0 {
            self.mean = rtt;
            self.deviation = rtt / 2.0;
        } else {
            let error = rtt - self.mean;
            self.deviation += (if error < 0.0 { -error } else { error } - self.deviation) / 4.0;
            self.mean += error / 8.0;
        }
        self.round_end = next;
    }

    fn sample_as_linux(&mut self, rtt: f64, floor: f64, acked: u64, next: u64) {
        if self.mean == 0.0 {
            self.mean = rtt;
            // In Linux's scale the deviation is 4 times the mean deviation, and starts at half of
            // the round trip.
            self.deviation = rtt * 2.0;
            self.variation = self.deviation.max(floor);
            self.largest_deviation = self.variation;
            self.round_end = next;
        } else {
            let error = rtt - self.mean;
            self.mean += error / 8.0;
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
        self.timeout = whole(self.mean + self.variation).min(self.settings.longest);
    }

    /// A sample for the minimum.
    #[inline]
    pub fn sample_minimum(&mut self, now: Time, rtt: Span) {
        let (above, until) = self.quiet;
        if rtt <= above || now >= until {
            self.keep(now, rtt);
        }
    }

    /// A sample that may change what is kept for the minimum.
    fn keep(&mut self, now: Time, rtt: Span) {
        // Requirement, RFC 9002 section 5.2: "min_rtt MUST be set to the lesser of min_rtt and
        // latest_rtt"
        while self.minimum.back().is_some_and(|(_, kept)| *kept >= rtt) {
            self.minimum.pop_back();
        }
        match self.minimum.back() {
            // A later, slightly larger sample is worth keeping only when it could outlive the
            // others.
            Some((at, _)) if self.minimum.len() > 1 && now.since(*at) < MIN_WINDOW / 4 => {}
            _ => self.minimum.push_back((now, rtt)),
        }
        while self.minimum.len() > 1 && now.since(self.minimum[0].0) > MIN_WINDOW {
            self.minimum.pop_front();
        }
        let (oldest, least) = self.minimum[0];
        let (newest, largest) = self.minimum[self.minimum.len() - 1];
        let until = (newest + MIN_WINDOW / 4).min(oldest + MIN_WINDOW);
        self.least = least;
        self.quiet = (largest, if self.minimum.len() > 1 { until } else { Time::ZERO });
    }

    /// The smoothed round trip, zero before the first sample.
    #[inline]
    pub fn srtt(&self) -> Span {
        self.whole_srtt
    }

    /// The least round trip of the latest five minutes; `None` before the first sample.
    #[inline]
    pub fn minimum(&self) -> Option<Span> {
        (self.least != Span::MAX).then_some(self.least)
    }

    /// The retransmission timeout, back-off included.
    #[inline]
    pub fn timeout(&self) -> Span {
        if self.backoff == 0 {
            self.timeout
        } else {
            (self.timeout * (1 << self.backoff.min(32))).min(self.settings.longest)
        }
    }

    /// The timeout without back-off.
    pub fn base_timeout(&self) -> Span {
        self.timeout
    }

    /// The peer has answered: the next timeout is not doubled. A sample does this, too.
    pub fn reset_backoff(&mut self) {
        self.backoff = 0;
    }

    /// The timer expired: the next timeout is twice as long.
    pub fn back_off(&mut self) {
        // Requirement, RFC 6298 section 5: "The host MUST set RTO <- RTO * 2"
        self.backoff += 1;
    }
}

/// A span as a number of nanoseconds, by way of a signed one: processors have an instruction for
/// that. Spans are below 2^63 ns, 292 years.
#[inline]
fn nanos(span: Span) -> f64 {
    span.as_nanos() as i64 as f64
}

/// Nanoseconds as a span, rounded down.
#[inline]
fn whole(nanos: f64) -> Span {
    Span::from_nanos(nanos as i64 as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator() -> RttEstimator {
        RttEstimator::new(RttSettings::of(&Transport::default()))
    }

    #[test]
    fn in_ns_2_one_round_trip_per_window_counts_in_whole_ticks() {
        let mut rtt = RttEstimator::new(RttSettings::of(&Transport::ns2_2005()));
        assert_eq!(rtt.timeout(), Span::from_secs(6));
        rtt.sample(Span::from_millis(104), 1, 2);
        // 100 ms and four times half of it.
        assert_eq!((rtt.srtt(), rtt.timeout()), (Span::from_millis(104), Span::from_millis(300)));
        rtt.sample(Span::from_millis(500), 2, 4);
        assert_eq!(
            rtt.timeout(),
            Span::from_millis(300),
            "the window that was out is not acknowledged yet"
        );
        rtt.sample(Span::from_millis(176), 3, 6);
        // Error 80 ms: the mean 110 ms, the deviation 50 + 30/4 = 57.5 ms.
        assert_eq!((rtt.srtt(), rtt.timeout()), (Span::from_millis(113), Span::from_millis(340)));
    }

    #[test]
    fn only_the_timer_counts_in_ticks() {
        let mut rtt = RttEstimator::new(RttSettings::of(&Transport::ns2_2005()));
        for round in 0..200 {
            rtt.sample(Span::from_millis(3), 2 * round, 2 * round);
        }
        assert_eq!(rtt.srtt(), Span::from_millis(3));
        assert_eq!(rtt.timeout(), Span::from_millis(200));
        let mut coarse = RttEstimator::new(RttSettings::of(&Transport {
            min_rto: Span::ZERO,
            ..Transport::ns2_2005()
        }));
        coarse.sample(Span::from_millis(3), 1, 2);
        assert_eq!(
            coarse.timeout(),
            Span::from_millis(30),
            "a tick, never less, and four times half of it"
        );
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

    /// RFC 9002 section 6.2.1: 30 ms + max(4 x 15 ms, 1 ms) + 25 ms at first. With a steady round
    /// trip the variation is the granularity.
    ///
    /// Shows RFC 9002 section 6.2.1: "The PTO period MUST be at least kGranularity to avoid the
    /// timer expiring immediately"
    #[test]
    fn the_probe_timeout_has_no_floor_of_200_ms_and_counts_delayed_acknowledgements() {
        let settings = RttSettings {
            rule: TimeoutRule::Rfc9002(Span::from_millis(25)),
            ..RttSettings::of(&Transport::default())
        };
        let mut rtt = RttEstimator::new(settings);
        assert_eq!(rtt.timeout(), Span::from_secs(1));
        rtt.sample(Span::from_millis(30), 0, 10);
        assert_eq!(rtt.timeout(), Span::from_millis(115));
        rtt.back_off();
        assert_eq!(
            (rtt.timeout(), rtt.base_timeout()),
            (Span::from_millis(230), Span::from_millis(115))
        );
        rtt.reset_backoff();
        assert_eq!(rtt.timeout(), Span::from_millis(115));
        for round in 0..200 {
            rtt.sample(Span::from_millis(30), round, round + 1);
        }
        assert_eq!(rtt.timeout(), Span::from_millis(56));
    }

    /// Shows RFC 9002 section 5.2: "min_rtt MUST be set to the lesser of min_rtt and latest_rtt"
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
