//! A window in fractions of a segment with its slow start threshold: what window-based controllers
//! share, whatever their steps.
//!
//! Sources: RFC 5681 (slow start), RFC 3465 with L unlimited (growth by segments acknowledged, as
//! Linux and QUIC count), RFC 3168 section 6.1.2 (marks).

use super::restart::{Restart, Rule};
use super::start::cut::CutEnd;
use super::start::{Start, Starter, Step, View};
use crate::Setup;
use crate::{CaState, Congestion, Decision, Feedback, Reduction, Saved, Sent, Timeout};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::Ecn;

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
    /// The part that the controller leaves of a window, while the start makes a reduction.
    left_by_cut: f64,
    restart: Restart,
    starter: Starter,
}

/// Effect of an acknowledgement on the start of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observed {
    /// The start is over, and the threshold is the window.
    pub exited: bool,
    /// A reduction that the start made itself is over: the window from which the controller's own
    /// reduction would have led to the threshold.
    pub reduced: Option<f64>,
    /// The window does not grow by this acknowledgement.
    pub holds: bool,
}

impl Window {
    /// At the start of a connection. Restarts after idleness as RFC 5681 says.
    pub fn new(setup: &Setup) -> Window {
        let cwnd = setup.initial_window.get();
        Window {
            cwnd,
            threshold: f64::INFINITY,
            prior: (cwnd, f64::INFINITY),
            left_by_cut: 1.0,
            restart: Restart::new(Rule::Rfc5681, cwnd),
            starter: Starter::own(Start::Classic),
        }
    }

    /// Returns the window with another start.
    pub fn starting(self, starter: Starter) -> Window {
        Window { starter, ..self }
    }

    /// Returns the window with another rule of restart after idleness.
    pub fn restarting(self, rule: Rule) -> Window {
        Window { restart: self.restart.by(rule), ..self }
    }

    fn view(&self) -> View {
        View { cwnd: self.cwnd, threshold: self.threshold }
    }

    /// The connection is open, after a handshake of `rtt`.
    pub fn on_open(&mut self, rtt: Span) {
        self.starter.on_open(rtt);
    }

    /// A segment leaves, possibly after idleness. True if the window restarts.
    #[inline]
    pub fn on_sent(&mut self, sent: &Sent) -> bool {
        if let Some((cwnd, threshold)) = self.starter.on_sent(sent, self.view()) {
            (self.cwnd, self.threshold) = (cwnd, threshold);
        }
        match self.restart.on_sent(sent, (self.cwnd, self.threshold)) {
            Some(_) if self.starter.keeps_when_idle() => false,
            Some((cwnd, threshold)) => {
                let end = self.starter.abandon();
                let threshold = end.map_or(threshold, |end| end.threshold.max(MIN_THRESHOLD));
                (self.cwnd, self.threshold) = (cwnd, threshold);
                self.starter.on_idle();
                true
            }
            None => false,
        }
    }

    /// An acknowledgement without congestion, before the window grows.
    #[inline]
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>) -> Observed {
        if self.starter.is_plain() { Observed::default() } else { self.observe(feedback) }
    }

    #[inline(never)]
    fn observe(&mut self, feedback: &Feedback<'_>) -> Observed {
        if self.starter.cut_window().is_some() {
            return self.progress(feedback);
        }
        let step = self.starter.on_feedback(feedback, self.view());
        let mut observed = Observed { holds: true, ..Observed::default() };
        match step {
            Step::Grow => observed.holds = false,
            Step::Hold => {}
            Step::Set(window) => self.cwnd = window,
            Step::Both(window, threshold) => (self.cwnd, self.threshold) = (window, threshold),
            Step::Exit(window) => {
                self.starter.end();
                (self.cwnd, self.threshold) = (window, window);
                (observed.exited, observed.holds) = (true, false);
            }
        }
        observed
    }

    #[cold]
    fn progress(&mut self, feedback: &Feedback<'_>) -> Observed {
        let before = self.starter.cut_window().unwrap_or(self.cwnd);
        let end = self.starter.progress(feedback);
        self.cwnd = self.starter.cut_window().unwrap_or(before);
        Observed { exited: false, reduced: self.finish(end), holds: true }
    }

    /// A reduction of the start is over, or none was in progress. Returns the window from which the
    /// controller's own would have led to the threshold.
    fn finish(&mut self, end: Option<CutEnd>) -> Option<f64> {
        let end = end?;
        let part = self.left_by_cut;
        self.cwnd = end.window.max(MIN_AFTER_MARK);
        self.threshold = end.threshold.max(MIN_THRESHOLD);
        Some(self.threshold / part)
    }

    /// Segments that this acknowledgement adds to growth, by the rule that was chosen.
    #[inline]
    pub fn growth(&self, feedback: &Feedback<'_>) -> u32 {
        match self.starter.counts(self.cwnd) {
            None => growth(feedback),
            Some(counts) => match feedback.ca_state {
                CaState::Cwr | CaState::Recovery => 0,
                CaState::Open | CaState::Disorder | CaState::Loss => {
                    if counts {
                        feedback.acked.len() as u32
                    } else {
                        0
                    }
                }
            },
        }
    }

    /// True if acknowledgements count by a rule that was chosen, and false if not; `None` if no
    /// rule was.
    #[inline]
    pub fn counts(&self) -> Option<bool> {
        self.starter.counts(self.cwnd)
    }

    /// Limits what the window has grown to since it was `before`, with its threshold. `avoidance`
    /// gives the window that one round trip of congestion avoidance makes of so many segments.
    #[inline]
    pub fn limit(&mut self, before: (f64, f64), avoidance: impl FnOnce(f64) -> f64) {
        if self.starter.is_chosen() {
            let before = View { cwnd: before.0, threshold: before.1 };
            if let Some(limit) = self.starter.limit(before, avoidance) {
                self.cwnd = self.cwnd.min(limit);
            }
        }
    }

    /// Slow start by `step` per segment of `acked`, up to the threshold. Returns the segments left
    /// over for avoidance.
    #[inline]
    pub fn slow_start(&mut self, acked: f64, step: f64) -> f64 {
        let room = (self.threshold - self.cwnd).max(0.0);
        if let Some(growth) = self.starter.growth(acked) {
            self.cwnd += (growth * step).min(room);
            return 0.0;
        }
        let growth = (acked * step).min(room);
        self.cwnd += growth;
        acked - growth / step
    }

    /// A reduction that leaves `left` segments, at this acknowledgement. True if the start makes it
    /// in its own way.
    pub fn cut(&mut self, feedback: &Feedback<'_>, left: f64, why: Congestion) -> bool {
        if !self.starter.is_chosen() {
            self.reduce(left, why);
            return false;
        }
        let end = self.starter.abandon();
        self.finish(end);
        let view = self.view();
        let part = left / self.cwnd;
        if !self.starter.on_congestion(feedback, why, view, part) {
            self.reduce(left, why);
            return false;
        }
        self.prior = (self.cwnd, self.threshold);
        self.left_by_cut = part;
        self.threshold = left.max(MIN_THRESHOLD);
        self.cwnd = self.starter.cut_window().unwrap_or(left);
        true
    }

    /// A reduction that leaves `left` segments: the new threshold, and the window.
    pub fn reduce(&mut self, left: f64, why: Congestion) {
        self.starter.end();
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
        let end = self.starter.abandon();
        self.finish(end);
        if !timeout.repeated {
            self.reduce(left, Congestion::Loss);
        }
        self.starter.on_timeout();
        self.cwnd = 1.0;
    }

    /// The latest reduction was spurious. A window that has grown beyond it stays.
    pub fn undo(&mut self) {
        self.cwnd = self.cwnd.max(self.prior.0);
        self.threshold = self.threshold.max(self.prior.1);
        self.forget_cut();
    }

    /// A reduction of the start that is in progress was for nothing.
    pub fn forget_cut(&mut self) {
        self.starter.undo();
    }

    /// [`pacing`] of this window.
    pub fn pacing(&self, gains: (f64, f64), packet: Bytes, srtt: Span) -> Option<Rate> {
        let doubling = self.starter.paces_as_below();
        let threshold = if doubling { f64::INFINITY } else { self.threshold };
        pacing((self.cwnd, threshold), gains, packet, srtt)
    }

    /// A decision of this window: acknowledgements clock it, unless the start paces by itself or
    /// makes a reduction. Packets are `packet` with their headers.
    #[inline]
    pub fn decision(&self, packet: Bytes, ecn: Ecn) -> Decision {
        let mut decision = Decision::clocked(self.cwnd, packet, ecn);
        if self.starter.is_chosen() {
            decision.pacing = self.starter.pacing(self.view(), packet);
            if self.starter.cuts_at_once() {
                decision.reduction = Reduction::Immediate;
            }
        }
        decision
    }

    /// State of the path for a later connection.
    pub fn saved(&self) -> Option<Saved> {
        self.starter.saved()
    }

    /// Names window and threshold, and a start that was chosen.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.cwnd);
        visit("ssthresh", self.threshold);
        self.starter.inspect(visit);
    }
}

/// Gains of Linux: pacing rate over window per smoothed round trip, below half of the threshold and
/// above (`sysctl_tcp_pacing_ss_ratio`, `sysctl_tcp_pacing_ca_ratio`).
pub const LINUX_PACING_GAINS: (f64, f64) = (2.0, 1.2);

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
