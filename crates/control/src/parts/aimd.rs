//! The controllers that differ only in their two steps: how much the window grows per round trip,
//! and which part of it a reduction takes.

use crate::Setup;
use crate::parts::ecn::codepoint;
use crate::parts::start::params::OwnStarts;
use crate::parts::window::{LINUX_PACING_GAINS, Window};
use crate::{Controller, Decision, Feedback, Open, Saved, Sent, Tag, Timeout};
use narrows_params::{ParamError, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// The two steps, a(w) and b(w) of RFC 3649.
pub trait Response: Send {
    /// Growth in congestion avoidance per window acknowledged, in segments, at a window of `w`
    /// segments.
    fn increase(&self, w: f64) -> f64;

    /// The part of a window of `w` segments that a reduction takes.
    fn decrease(&self, w: f64) -> f64;

    /// Growth in slow start per segment acknowledged.
    fn slow_start(&self, w: f64) -> f64 {
        let _ = w;
        1.0
    }
}

/// A controller with these steps.
#[derive(Clone, Debug)]
pub struct Aimd<S> {
    steps: S,
    window: Window,
    /// A full packet, headers included.
    packet: Bytes,
    paces: bool,
    srtt: Span,
    ecn: Ecn,
}

impl<S: Response> Aimd<S> {
    /// A controller at the start of a connection, paced or not.
    ///
    /// # Errors
    ///
    /// Parameters of its start that nothing would use.
    pub fn new(
        steps: S,
        setup: &Setup,
        params: &Params,
        paces: bool,
    ) -> Result<Aimd<S>, ParamError> {
        let starter = OwnStarts::classic(paces).choose(setup, params)?;
        Ok(Aimd {
            steps,
            window: Window::new(setup).starting(starter),
            packet: setup.mss + setup.headers,
            paces,
            srtt: Span::ZERO,
            ecn: codepoint(params),
        })
    }

    /// Slow start up to the threshold; segments that it leaves over count for avoidance.
    #[inline]
    fn grow(&mut self, acked: f64) {
        let before = (self.window.cwnd, self.window.threshold);
        let rest = self.window.slow_start(acked, self.steps.slow_start(before.0));
        self.window.cwnd += self.steps.increase(self.window.cwnd) * rest / self.window.cwnd;
        self.window.limit(before, |flight| flight + self.steps.increase(flight).max(1.0));
    }

    #[inline]
    fn left(&self) -> f64 {
        let w = self.window.cwnd;
        (1.0 - self.steps.decrease(w)) * w
    }
}

impl<S: Response> Controller for Aimd<S> {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
        self.window.on_open(open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.window.on_sent(sent);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        if let Some(why) = feedback.congestion {
            self.window.cut(feedback, self.left(), why);
        } else if !self.window.on_feedback(feedback).holds {
            self.grow(self.window.growth(feedback) as f64);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.collapse(timeout, self.left());
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn decision(&self) -> Decision {
        let mut decision = self.window.decision(self.packet, self.ecn);
        if self.paces && decision.pacing.is_none() {
            decision.pacing = self.window.pacing(LINUX_PACING_GAINS, self.packet, self.srtt);
        }
        decision
    }

    fn saved(&self) -> Option<Saved> {
        self.window.saved()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::testing::{acked, acknowledge, at, inspect, setup};
    use crate::{CaState, Congestion};
    use narrows_units::Rate;

    /// Adds a tenth of the window per window and takes a quarter.
    struct Tenth;

    impl Response for Tenth {
        fn increase(&self, w: f64) -> f64 {
            0.1 * w
        }
        fn decrease(&self, _: f64) -> f64 {
            0.25
        }
    }

    fn tenth(window: f64, threshold: f64) -> Aimd<Tenth> {
        let params = "newreno".parse::<Choice>().unwrap().params();
        let mut aimd = Aimd::new(Tenth, &setup(window), &params, true).unwrap();
        aimd.window.threshold = threshold;
        aimd
    }

    fn state(aimd: &Aimd<Tenth>) -> (f64, f64) {
        (inspect(aimd, "cwnd"), inspect(aimd, "ssthresh"))
    }

    #[test]
    fn avoidance_takes_what_slow_start_leaves_over() {
        let mut aimd = tenth(10.0, 16.0);
        acknowledge(&mut aimd, at(50), &acked(0..10));
        assert_eq!(state(&aimd).0, 16.0 + 0.1 * 4.0);
    }

    #[test]
    fn a_loss_takes_its_part_once_per_recovery() {
        let mut aimd = tenth(32.0, f64::INFINITY);
        let feedback = Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            ..Feedback::at(at(100))
        };
        aimd.on_feedback(&Feedback { acked: &acked(0..3), ..feedback });
        assert_eq!(state(&aimd), (24.0, 24.0));
        aimd.on_feedback(&Feedback { congestion: None, acked: &acked(3..9), ..feedback });
        assert_eq!(state(&aimd), (24.0, 24.0), "waits for the end of recovery");
        acknowledge(&mut aimd, at(150), &acked(9..19));
        assert_eq!(state(&aimd), (25.0, 24.0));
    }

    #[test]
    fn timeouts_collapse_the_window_and_lower_the_threshold_once() {
        let mut aimd = tenth(32.0, f64::INFINITY);
        aimd.on_timeout(&Timeout::new(at(300), 30, 30, false));
        assert_eq!(state(&aimd), (1.0, 24.0));
        aimd.on_timeout(&Timeout::new(at(700), 1, 1, true));
        assert_eq!(state(&aimd), (1.0, 24.0));
        aimd.on_feedback(&Feedback {
            ca_state: CaState::Loss,
            acked: &acked(0..2),
            ..Feedback::at(at(800))
        });
        assert_eq!(state(&aimd).0, 3.0, "slow start while losses are repaired");
        aimd.on_undo(at(900));
        assert_eq!(state(&aimd), (32.0, f64::INFINITY));
    }

    #[test]
    fn paces_at_twice_and_then_at_1_2_windows_per_round_trip() {
        let mut aimd = tenth(10.0, 40.0);
        assert_eq!(aimd.decision().pacing, None);
        aimd.on_feedback(&Feedback { srtt: Span::from_millis(100), ..Feedback::at(at(100)) });
        // 10 packets of 1500 B in 100 ms are 1.2 Mbit/s.
        assert_eq!(aimd.decision().pacing, Some(Rate::from_kbps(2_400)));
        aimd.window.threshold = 20.0;
        assert_eq!(aimd.decision().pacing, Some(Rate::from_kbps(1_440)));
    }
}
