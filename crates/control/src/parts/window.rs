//! A window in fractions of a segment with its slow start threshold: what window-based controllers
//! share, whatever their steps.
//!
//! Sources: RFC 5681 (slow start), RFC 3465 with L unlimited (growth by segments acknowledged, as
//! Linux and QUIC count), RFC 3168 section 6.1.2 (marks).

use super::restart::{Restart, Rule};
use super::start::Start;
use crate::Setup;
use crate::{CaState, Congestion, Feedback, Sent, Timeout};
use narrows_units::{Bytes, Rate, Span};

/// Fewest segments of the threshold, and of the window after a loss (RFC 5681 equation 4).
const MIN_THRESHOLD: f64 = 2.0;
/// Fewest segments of the window after a mark (RFC 3168 section 6.1.2).
const MIN_AFTER_MARK: f64 = 1.0;

/// The window and what it remembers.
#[derive(Clone, Debug)]
pub struct Window {
    /// Segments that may be in flight.
    pub cwnd: f64,
    /// Slow start ends here; infinite before the first reduction.
    pub threshold: f64,
    /// Window and threshold before the latest reduction, for undo.
    prior: (f64, f64),
    restart: Restart,
    start: Start,
}

impl Window {
    /// At the start of a connection. Restarts after idleness as RFC 5681 says.
    pub fn new(setup: &Setup) -> Window {
        let cwnd = setup.initial_window.get();
        Window {
            cwnd,
            threshold: f64::INFINITY,
            prior: (cwnd, f64::INFINITY),
            restart: Restart::new(Rule::Rfc5681, cwnd),
            start: Start::Classic,
        }
    }

    /// Returns the window with another start.
    pub fn starting(self, start: Start) -> Window {
        Window { start, ..self }
    }

    /// Returns the window with another rule of restart after idleness.
    pub fn restarting(self, rule: Rule) -> Window {
        Window { restart: self.restart.by(rule), ..self }
    }

    /// A segment leaves, possibly after idleness. True if the window restarts.
    #[inline]
    pub fn on_sent(&mut self, sent: &Sent) -> bool {
        self.start.on_sent(sent.number);
        match self.restart.on_sent(sent, (self.cwnd, self.threshold)) {
            Some((cwnd, threshold)) => {
                (self.cwnd, self.threshold) = (cwnd, threshold);
                true
            }
            None => false,
        }
    }

    /// An acknowledgement up to segment `highest`, with its round trip. True if it ends the start:
    /// then the threshold is the window.
    #[inline]
    pub fn look_for_the_end(&mut self, highest: u64, rtt: Option<Span>) -> bool {
        let ends = self.start.ends(highest, rtt);
        if ends {
            self.start = Start::Classic;
            self.threshold = self.cwnd;
        }
        ends
    }

    /// Slow start by `step` per segment of `acked`, up to the threshold. Returns the segments left
    /// over for avoidance.
    #[inline]
    pub fn slow_start(&mut self, acked: f64, step: f64) -> f64 {
        if let Some(growth) = self.start.growth(acked) {
            self.cwnd += growth * step;
            return 0.0;
        }
        let room = (self.threshold - self.cwnd).max(0.0);
        let growth = (acked * step).min(room);
        self.cwnd += growth;
        acked - growth / step
    }

    /// A reduction that leaves `left` segments: the new threshold, and the window.
    pub fn reduce(&mut self, left: f64, why: Congestion) {
        self.start = Start::Classic;
        self.prior = (self.cwnd, self.threshold);
        self.threshold = left.max(MIN_THRESHOLD);
        self.cwnd = match why {
            Congestion::Loss => self.threshold,
            // Requirement, RFC 9438 section 4.6: "MUST continue to reduce cwnd in response to
            // congestion events due to ECN-Echo ACKs until it reaches a value of 1 MSS"
            Congestion::Mark => left.max(MIN_AFTER_MARK),
        };
    }

    /// The window collapses; the threshold becomes `left`, once for the same losses.
    pub fn collapse(&mut self, timeout: &Timeout, left: f64) {
        if !timeout.repeated {
            self.reduce(left, Congestion::Loss);
        }
        self.cwnd = 1.0;
    }

    /// The latest reduction was spurious. A window that has grown beyond it stays.
    pub fn undo(&mut self) {
        self.cwnd = self.cwnd.max(self.prior.0);
        self.threshold = self.threshold.max(self.prior.1);
    }

    /// [`pacing`] of this window.
    pub fn pacing(&self, gains: (f64, f64), packet: Bytes, srtt: Span) -> Option<Rate> {
        pacing((self.cwnd, self.threshold), gains, packet, srtt)
    }

    /// Names window and threshold.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.cwnd);
        visit("ssthresh", self.threshold);
    }
}

/// The rate of `gains.0` windows per round trip below half of the threshold and `gains.1` above, in
/// packets of `packet` with their headers. `None` before the first round trip is known: the initial
/// window leaves as one burst.
pub fn pacing(
    (cwnd, threshold): (f64, f64),
    gains: (f64, f64),
    packet: Bytes,
    srtt: Span,
) -> Option<Rate> {
    if srtt.is_zero() {
        return None;
    }
    let gain = if cwnd < threshold / 2.0 { gains.0 } else { gains.1 };
    let rate = Rate::from_bytes_per_sec(gain * cwnd * packet.get() as f64 / srtt.as_secs_f64());
    Some(rate.max(Rate::from_bps(1)))
}

/// Segments that this acknowledgement adds to growth: those sent while the window was the limit. In
/// Recovery and Cwr the window waits at its new value; after a timeout (Loss) it grows again from
/// one segment.
pub fn growth(feedback: &Feedback<'_>) -> u32 {
    match feedback.ca_state {
        CaState::Open | CaState::Disorder | CaState::Loss => {
            // Requirement, RFC 9002 section 7.8: "the congestion window SHOULD NOT be increased in
            // either slow start or congestion avoidance"
            feedback.acked.iter().filter(|acked| acked.window_limited).count() as u32
        }
        CaState::Cwr | CaState::Recovery => 0,
    }
}

/// The same for a controller that paces at one window per round trip: its pace, and not the window,
/// may be what limits sending. So what the application did not limit counts, if at least half of
/// the window is in flight (Linux `tcp_is_cwnd_limited` asks that in slow start). The recovery
/// state is left to the caller.
pub fn used(feedback: &Feedback<'_>, cwnd: f64) -> u32 {
    let half = 2.0 * feedback.in_flight_before as f64 >= cwnd;
    feedback
        .acked
        .iter()
        .filter(|acked| acked.window_limited || (half && !acked.app_limited))
        .count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acked_one, at, setup};

    #[test]
    fn slow_start_leaves_what_is_beyond_the_threshold() {
        let mut window = Window { threshold: 16.0, ..Window::new(&setup(10.0)) };
        assert_eq!(window.slow_start(10.0, 1.0), 4.0);
        assert_eq!((window.cwnd, window.slow_start(3.0, 1.0)), (16.0, 3.0));
        let mut window = Window { threshold: 11.0, ..Window::new(&setup(10.0)) };
        assert_eq!(
            (window.slow_start(10.0, 0.25), window.cwnd),
            (6.0, 11.0),
            "four segments for one of growth"
        );
    }

    #[test]
    fn losses_leave_two_segments_and_marks_one() {
        let left = |left, why| {
            let mut window = Window::new(&setup(3.0));
            window.reduce(left, why);
            (window.cwnd, window.threshold)
        };
        assert_eq!(left(1.5, Congestion::Loss), (2.0, 2.0));
        assert_eq!(left(1.5, Congestion::Mark), (1.5, 2.0));
        assert_eq!(left(0.75, Congestion::Mark), (1.0, 2.0));
        assert_eq!(left(15.0, Congestion::Mark), (15.0, 15.0));
    }

    #[test]
    fn an_idle_flow_restarts_by_its_rule() {
        let sent = |ms, in_flight| Sent {
            rto: Span::from_millis(200),
            ..Sent::new(at(ms), ms, Bytes::new(1448), in_flight)
        };
        for (rule, restarted) in [(Rule::Rfc5681, (10.0, 40.0)), (Rule::Linux, (30.0, 45.0))] {
            let mut window = Window {
                cwnd: 60.0,
                threshold: 40.0,
                ..Window::new(&setup(10.0)).restarting(rule)
            };
            for (ms, in_flight) in [(1_000, 0), (1_500, 1), (1_700, 0)] {
                window.on_sent(&sent(ms, in_flight));
            }
            assert_eq!(window.cwnd, 60.0);
            window.on_sent(&sent(1_901, 0));
            assert_eq!((window.cwnd, window.threshold), restarted, "{rule:?}");
        }
    }

    /// Shows RFC 9002 section 7.8: "the congestion window SHOULD NOT be increased in either slow
    /// start or congestion avoidance"
    #[test]
    fn only_segments_that_the_window_limited_count_and_none_during_a_reduction() {
        let acked =
            [acked_one(0, false), acked_one(1, true), acked_one(2, false), acked_one(3, true)];
        let counts =
            |ca_state| growth(&Feedback { acked: &acked, ca_state, ..Feedback::at(at(50)) });
        assert_eq!([CaState::Open, CaState::Disorder, CaState::Loss].map(counts), [2; 3]);
        assert_eq!([CaState::Cwr, CaState::Recovery].map(counts), [0; 2]);
    }
}
