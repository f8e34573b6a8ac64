//! NewReno: additive increase, halving on loss.
//!
//! Sources: RFC 5681 (slow start, congestion avoidance, restart after idleness), RFC 6582 and RFC 6675 (recovery, carried out by the transport), RFC 6928 (initial window),
//! RFC 3168 section 6.1.2 (marks), RFC 3465 with L unlimited (growth by segments acknowledged, as Linux and QUIC count).
//!
//! Deviations, both as Linux `net/ipv4/tcp_cong.c` has them:
//! * the threshold after loss is half of the window, not of the flight; the two differ only when the application limits sending, and then the window has not
//!   grown either;
//! * slow start is not limited to two segments per acknowledgement.

use crate::registry::{Built, Entry, Param, Params, Setup};
use crate::{Congestion, Controller, Decision, Ecn, Feedback, Reduction, Sent, Tag, Timeout};
use narrows_units::{Bytes, Rate, Segments, Span, Time};

/// Registry line.
pub const ENTRY: Entry = Entry {
    name: "newreno",
    kernel: Some("reno"),
    summary: "additive increase by one segment per round trip, halving on loss or mark",
    source: "RFC 5681, RFC 6582, RFC 6675, RFC 6928, RFC 3168",
    needs: &[],
    params: PARAMS,
    build: |setup, params| Ok(Built::new(NewReno::new(setup, params))),
};

const PARAMS: &[Param] = &[
    Param::flag("ecn", false, "send ECT(0) and treat an echoed mark as loss without retransmission (RFC 3168)"),
    Param::flag(
        "pacing",
        false,
        "pace at twice the window per round trip in slow start, 1.2 times later, as Linux does for a pacing queue (tcp_update_pacing_rate)",
    ),
];

/// Pacing rate over window per smoothed round trip, below half of the threshold and above (`sysctl_tcp_pacing_ss_ratio`, `sysctl_tcp_pacing_ca_ratio`).
const SLOW_START_PACING: f64 = 2.0;
const AVOIDANCE_PACING: f64 = 1.2;

/// Fewest segments of the threshold, and of the window after a loss (RFC 5681 equation 4).
const MIN_THRESHOLD: f64 = 2.0;
/// Fewest segments of the window after a mark (RFC 3168 section 6.1.2).
const MIN_AFTER_MARK: f64 = 1.0;

/// The NewReno controller.
#[derive(Clone, Debug)]
pub struct NewReno {
    window: f64,
    threshold: f64,
    /// Window and threshold before the latest reduction, for undo.
    prior: (f64, f64),
    initial_window: f64,
    last_sent: Option<Time>,
    /// A full packet, headers included.
    packet: Bytes,
    paces: bool,
    srtt: Span,
    ecn: Ecn,
}

impl NewReno {
    /// A controller at the start of a connection.
    pub fn new(setup: &Setup, params: &Params) -> NewReno {
        let window = setup.initial_window.get();
        NewReno {
            window,
            threshold: f64::INFINITY,
            prior: (window, f64::INFINITY),
            initial_window: window,
            last_sent: None,
            packet: setup.mss + setup.headers,
            paces: params.flag("pacing"),
            srtt: Span::ZERO,
            ecn: if params.flag("ecn") { Ecn::Ect0 } else { Ecn::NotEct },
        }
    }

    /// Slow start up to the threshold, then one segment per window acknowledged; growth that slow start leaves over counts for avoidance.
    fn grow(&mut self, mut acked: f64) {
        if self.window < self.threshold {
            let step = acked.min(self.threshold - self.window);
            self.window += step;
            acked -= step;
        }
        self.window += acked / self.window;
    }

    /// `None` before the first round trip is known: the initial window leaves as one burst.
    fn pacing(&self) -> Option<Rate> {
        if !self.paces || self.srtt.is_zero() {
            return None;
        }
        let ratio = if self.window < self.threshold / 2.0 { SLOW_START_PACING } else { AVOIDANCE_PACING };
        Some(Rate::from_bytes_per_sec(ratio * self.window * self.packet.get() as f64 / self.srtt.as_secs_f64()))
    }

    fn reduce(&mut self) {
        self.prior = (self.window, self.threshold);
        self.threshold = (self.window / 2.0).max(MIN_THRESHOLD);
    }
}

impl Controller for NewReno {
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if sent.in_flight == 0 && !sent.retransmission {
            let idle = self.last_sent.map_or(Span::ZERO, |last| sent.now.since(last));
            if idle > sent.rto {
                self.window = self.window.min(self.initial_window);
            }
        }
        self.last_sent = Some(sent.now);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        use crate::Recovery::*;
        self.srtt = feedback.srtt;
        if let Some(congestion) = feedback.congestion {
            self.reduce();
            self.window = match congestion {
                Congestion::Loss => self.threshold,
                Congestion::Mark => (self.window / 2.0).max(MIN_AFTER_MARK),
            };
            return;
        }
        // In Recovery and Cwr the window waits at its new value; after a timeout (Loss) it grows again from one segment.
        if matches!(feedback.recovery, Open | Disorder | Loss) {
            let grown = feedback.acked.iter().filter(|acked| acked.window_limited).count();
            self.grow(grown as f64);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.reduce();
        }
        self.window = 1.0;
    }

    fn on_undo(&mut self, _now: Time) {
        self.window = self.window.max(self.prior.0);
        self.threshold = self.threshold.max(self.prior.1);
    }

    fn decision(&self) -> Decision {
        Decision {
            window: Segments::new(self.window),
            pacing: self.pacing(),
            quantum: self.packet,
            ecn: self.ecn,
            reduction: Reduction::Transport,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window);
        visit("ssthresh", self.threshold);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recovery;
    use crate::registry::Choice;
    use crate::testing::{acked, acked_one, acknowledge, at, setup};

    fn newreno(window: f64, threshold: f64) -> NewReno {
        let params = "newreno?ecn".parse::<Choice>().unwrap().params();
        NewReno { threshold, ..NewReno::new(&setup(window), &params) }
    }

    fn congest(newreno: &mut NewReno, why: Congestion) {
        newreno.on_feedback(&Feedback {
            congestion: Some(why),
            recovery: Recovery::Recovery,
            acked: &acked(0..3),
            ..Feedback::at(at(100))
        });
    }

    #[test]
    fn paces_at_twice_and_then_at_1_2_windows_per_round_trip() {
        let params = "newreno?pacing".parse::<Choice>().unwrap().params();
        let mut paced = NewReno { threshold: 40.0, ..NewReno::new(&setup(10.0), &params) };
        assert_eq!(paced.decision().pacing, None);
        paced.on_feedback(&Feedback { srtt: Span::from_millis(100), ..Feedback::at(at(100)) });
        // 10 packets of 1500 B in 100 ms are 1.2 Mbit/s.
        assert_eq!(paced.decision().pacing, Some(Rate::from_kbps(2_400)));
        paced.threshold = 20.0;
        assert_eq!(paced.decision().pacing, Some(Rate::from_kbps(1_440)));
    }

    #[test]
    fn slow_start_doubles_and_leaves_what_is_over_to_avoidance() {
        let mut newreno = newreno(10.0, 16.0);
        acknowledge(&mut newreno, at(50), &acked(0..10));
        assert_eq!(newreno.window, 16.0 + 4.0 / 16.0);
    }

    #[test]
    fn avoidance_adds_one_segment_per_window() {
        let mut newreno = newreno(20.0, 2.0);
        acknowledge(&mut newreno, at(50), &acked(0..10));
        assert_eq!(newreno.window, 20.5);
        acknowledge(&mut newreno, at(50), &acked(10..30));
        assert_eq!(newreno.window, 20.5 + 20.0 / 20.5);
    }

    #[test]
    fn losses_halve_once_per_recovery() {
        let mut newreno = newreno(31.0, f64::INFINITY);
        congest(&mut newreno, Congestion::Loss);
        assert_eq!((newreno.window, newreno.threshold), (15.5, 15.5));
        newreno.on_feedback(&Feedback { recovery: Recovery::Recovery, acked: &acked(3..9), ..Feedback::at(at(120)) });
        assert_eq!(newreno.window, 15.5, "waits for the end of recovery");
        acknowledge(&mut newreno, at(150), &acked(9..11));
        assert_eq!(newreno.window, 15.5 + 2.0 / 15.5);
    }

    #[test]
    fn losses_leave_two_segments_and_marks_one() {
        let left = |window, why| {
            let mut newreno = newreno(window, 8.0);
            congest(&mut newreno, why);
            (newreno.window, newreno.threshold)
        };
        assert_eq!(left(3.0, Congestion::Loss), (2.0, 2.0));
        assert_eq!(left(3.0, Congestion::Mark), (1.5, 2.0));
        assert_eq!(left(1.5, Congestion::Mark), (1.0, 2.0));
        assert_eq!(left(30.0, Congestion::Mark), (15.0, 15.0));
    }

    #[test]
    fn timeouts_collapse_the_window_and_lower_the_threshold_once() {
        let mut newreno = newreno(30.0, f64::INFINITY);
        newreno.on_timeout(&Timeout::new(at(300), 30, 30, false));
        assert_eq!((newreno.window, newreno.threshold), (1.0, 15.0));
        newreno.on_timeout(&Timeout::new(at(700), 1, 1, true));
        assert_eq!((newreno.window, newreno.threshold), (1.0, 15.0));
        newreno.on_feedback(&Feedback { recovery: Recovery::Loss, acked: &acked(0..2), ..Feedback::at(at(800)) });
        assert_eq!(newreno.window, 3.0, "slow start while losses are repaired");
        newreno.on_undo(at(900));
        assert_eq!((newreno.window, newreno.threshold), (30.0, f64::INFINITY));
    }

    #[test]
    fn only_segments_that_the_window_limited_count() {
        let mut newreno = newreno(10.0, f64::INFINITY);
        acknowledge(&mut newreno, at(50), &[acked_one(0, false), acked_one(1, true), acked_one(2, false)]);
        assert_eq!(newreno.window, 11.0);
    }

    #[test]
    fn an_idle_flow_restarts_from_its_initial_window() {
        let mut newreno = newreno(10.0, 40.0);
        newreno.window = 60.0;
        let sent = |ms, in_flight| Sent { rto: Span::from_millis(200), ..Sent::new(at(ms), ms, Bytes::new(1448), in_flight) };
        newreno.on_sent(&sent(1_000, 0));
        newreno.on_sent(&sent(1_500, 1));
        newreno.on_sent(&sent(1_700, 0));
        assert_eq!(newreno.window, 60.0);
        newreno.on_sent(&sent(1_901, 0));
        assert_eq!((newreno.window, newreno.threshold), (10.0, 40.0));
    }
}
