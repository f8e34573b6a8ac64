//! The members of a kernel's socket that controllers of the window see.

use super::growth;
use crate::parts::micros::micros;
use crate::parts::restart::halvings;
use crate::parts::start::hystart::Sample;
use crate::parts::start::{Start, Starter, View};
use crate::parts::ticks::Ticks;
use crate::{CaState, Feedback, Setup};
use narrows_units::{Span, Time};

/// No slow start threshold yet (`TCP_INFINITE_SSTHRESH`).
pub const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// The socket (`struct tcp_sock`).
#[derive(Clone, Debug)]
pub struct Socket {
    /// Segments that may be in flight; during a reduction what the transport has spread so far
    /// (`snd_cwnd`).
    pub cwnd: u32,
    /// Slow start ends here (`snd_ssthresh`).
    pub threshold: u32,
    /// Segments acknowledged towards the next segment of growth (`snd_cwnd_cnt`).
    pub credit: u32,
    /// The window before the latest reduction (`prior_cwnd`).
    pub prior_cwnd: u32,
    /// The recovery state (`icsk_ca_state`).
    pub state: CaState,
    /// First segment not cumulatively acknowledged (`snd_una`).
    pub una: u64,
    /// First segment never sent (`snd_nxt`).
    pub next: u64,
    /// Segments sent and not cumulatively acknowledged, as of the latest acknowledgement
    /// (`packets_out`).
    pub packets_out: u32,
    /// The time (`tcp_mstamp`).
    pub now: Time,
    /// The kernel's clock.
    pub ticks: Ticks,
    /// The threshold before the latest reduction; 0 if that cannot be undone (`prior_ssthresh`).
    pub(super) prior_threshold: u32,
    /// A burst has filled the window (`is_cwnd_limited`), and what is out at the end of the largest
    /// (`max_packets_out`).
    pub(super) cwnd_limited: bool,
    pub(super) most_outstanding: u32,
    /// Segments delivered (`delivered`).
    pub(crate) delivered: u64,
    /// When the latest segment left (`lsndtime`).
    pub(super) last_sent: Option<Time>,
    pub(super) initial: u32,
    pub(super) starter: Starter,
}

impl Socket {
    /// At the start of a connection, on a host with `hz` ticks per second.
    pub fn new(setup: &Setup, hz: u64) -> Socket {
        let cwnd = setup.initial_window.whole().max(1);
        Socket {
            cwnd,
            threshold: NO_THRESHOLD,
            credit: 0,
            prior_cwnd: 0,
            state: CaState::Open,
            una: 0,
            next: 0,
            packets_out: 0,
            now: Time::ZERO,
            ticks: Ticks::new(hz),
            prior_threshold: 0,
            cwnd_limited: false,
            most_outstanding: 0,
            delivered: 0,
            last_sent: None,
            initial: cwnd,
            starter: Starter::own(Start::Classic),
        }
    }

    /// Returns the socket with another start.
    pub fn starting(self, starter: Starter) -> Socket {
        Socket { starter, ..self }
    }

    /// The window as a start sees it.
    pub(super) fn view(&self) -> View {
        View { cwnd: self.cwnd as f64, threshold: self.shown_threshold() }
    }

    /// Sets the threshold to `segments`, rounded down.
    pub(super) fn set_threshold(&mut self, segments: f64) {
        self.threshold = if segments.is_finite() { (segments as u32).max(2) } else { NO_THRESHOLD };
    }

    /// A round trip was measured in slow start. If the start is to end, the threshold becomes the
    /// window. `longest` gives the time in µs that a train of acknowledgements may last, and
    /// `min_rtt` is the least round trip of the connection; `rtt` and `min_rtt` are in µs.
    #[inline(never)]
    pub fn look_for_the_end(&mut self, rtt: u32, min_rtt: u32, longest: impl FnOnce() -> u32) {
        let Socket { una, next, cwnd: window, .. } = *self;
        let sample = Sample { now: micros(self.now), una, next, rtt, min_rtt, window };
        if self.starter.ends_at(sample, longest) {
            self.threshold = window;
        }
    }

    /// Slow start begins again, after a timeout.
    pub fn start_again(&mut self) {
        self.starter.begin_again(micros(self.now), self.next);
    }

    /// The present tick.
    pub fn tick(&mut self) -> u64 {
        self.ticks.at(self.now)
    }

    /// True below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.threshold
    }

    /// True if the window was what held sending back; in slow start half of it is enough
    /// (`tcp_is_cwnd_limited`). A rule of growth that was chosen may say otherwise.
    pub fn is_limited(&self) -> bool {
        if self.starter.is_chosen()
            && let Some(counts) = self.starter.counts(self.cwnd as f64)
        {
            return counts;
        }
        self.cwnd_limited
            || (self.in_slow_start() && self.cwnd < self.most_outstanding.saturating_mul(2))
    }

    /// True while the transport lowers the window (`tcp_in_cwnd_reduction`).
    pub fn is_reducing(&self) -> bool {
        matches!(self.state, CaState::Cwr | CaState::Recovery)
    }

    /// Slow start up to the threshold. Returns the segments left over for avoidance
    /// (`tcp_slow_start`).
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let grows = if self.starter.is_chosen() { self.starter.whole_growth(acked) } else { acked };
        let rest;
        (self.cwnd, rest) = growth::slow_start(self.cwnd, self.threshold, grows);
        // Segments that gave more or less than one leave nothing over.
        if grows == acked { rest } else { 0 }
    }

    /// One segment per `count` acknowledged (`tcp_cong_avoid_ai`).
    pub fn step(&mut self, count: u32, acked: u32) {
        (self.cwnd, self.credit) = growth::step(self.cwnd, self.credit, count, acked);
    }

    /// Takes in the counts of an acknowledgement, before losses are looked for.
    pub(super) fn update(&mut self, feedback: &Feedback<'_>) {
        (self.una, self.next, self.packets_out) =
            (feedback.una, feedback.next, feedback.outstanding.packets);
        (self.cwnd_limited, self.most_outstanding) =
            (feedback.cwnd_limited, feedback.most_outstanding);
        self.delivered = feedback.totals.delivered;
        if self.is_reducing() {
            self.cwnd = feedback.window.max(1);
        }
    }

    /// The threshold, or three quarters of the window if that is more (`tcp_current_ssthresh`).
    pub fn current_threshold(&self) -> u32 {
        if self.is_reducing() {
            self.threshold
        } else {
            self.threshold.max(self.cwnd / 2 + self.cwnd / 4)
        }
    }

    /// After `idle` ticks the window halves for each retransmission timeout, down to the initial
    /// one (`tcp_cwnd_restart`).
    pub(super) fn restart(&mut self, idle: u64, timeout: u64) {
        self.threshold = self.current_threshold();
        let least = self.initial.min(self.cwnd);
        self.cwnd = self.cwnd.checked_shr(halvings(idle, timeout)).unwrap_or(0).max(least);
    }

    /// Ticks from the latest segment that left until `now`; `None` before the first.
    pub(super) fn idle(&self, now: Time) -> Option<u64> {
        self.last_sent.map(|last| self.ticks.between(last, now))
    }

    /// True after idleness of `idle` ticks for which the window decays.
    pub(super) fn is_stale(&self, idle: u64, rto: Span) -> bool {
        idle > self.ticks.of(rto)
    }

    /// Names window and threshold.
    pub(super) fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.cwnd as f64);
        visit("ssthresh", self.shown_threshold());
        self.starter.inspect(visit);
    }

    fn shown_threshold(&self) -> f64 {
        if self.threshold >= NO_THRESHOLD { f64::INFINITY } else { self.threshold as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::setup;

    fn socket(cwnd: u32, threshold: u32) -> Socket {
        Socket { cwnd, threshold, ..Socket::new(&setup(10.0), 250) }
    }

    #[test]
    fn half_a_window_is_enough_in_slow_start() {
        let limited = |cwnd, threshold, most_outstanding| {
            Socket { most_outstanding, ..socket(cwnd, threshold) }.is_limited()
        };
        assert_eq!(
            [limited(20, 30, 10), limited(20, 30, 11), limited(30, 30, 29)],
            [false, true, false]
        );
        assert!(Socket { cwnd_limited: true, ..socket(30, 30) }.is_limited());
    }

    #[test]
    fn idleness_halves_the_window_per_timeout_and_keeps_the_initial_one() {
        // Ticks of 4 ms, and a timeout of 200 ms.
        let resume = |idle| {
            let mut socket = socket(100, 60);
            socket.restart(idle, 50);
            (socket.cwnd, socket.threshold)
        };
        assert_eq!([51, 100, 101, 2_500].map(resume), [(50, 75), (50, 75), (25, 75), (10, 75)]);
    }
}
