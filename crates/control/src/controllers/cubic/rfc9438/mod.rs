//! CUBIC as printed in RFC 9438, in floating point.
//!
//! Sources: RFC 9438 (section numbers below are its), RFC 9406 (HyStart++), RFC 5681 section 4.1
//! (restart after idleness), RFC 3168 (marks).
//!
//! Choices that the RFC leaves open, and deviations:
//! * a reduction starts from the window, not from the flight (section 4.6 allows it if growth is
//!   validated: only segments sent while the window was the limit count);
//! * the growth of section 4.4 and 4.5 is per segment acknowledged, so that delayed
//!   acknowledgements do not slow it;
//! * in the Reno-friendly region (section 4.3) the window is not lowered to W_est if it is already
//!   above;
//! * slow start without HyStart++ has no limit per acknowledgement, and HyStart++ is used for the
//!   first slow start only (RFC 9406 section 4.3);
//! * time that the application limited (section 5.8) is the time between acknowledgements none of
//!   whose segments was sent while the window was the limit, and time with nothing in flight;
//! * a restart after idleness begins a new epoch towards the same W_max; the RFC says nothing of
//!   it, and W_est would otherwise bring back the old window at once.

#[cfg(test)]
mod tests;

use super::params::{FAST_CONVERGENCE, FRIENDLINESS, HYSTART};
use crate::Setup;
use crate::parts::ecn::codepoint;
use crate::parts::start::Start;
use crate::parts::start::hystartpp::HyStartPlusPlus;
use crate::parts::start::params::OwnStarts;
use crate::parts::window::Window;
use crate::{Congestion, Controller, Decision, Feedback, Open, Saved, Sent, Tag, Timeout};
use narrows_params::{ParamError, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// Growth, in segments/s³ (section 5.1).
// Requirement, RFC 9438 section 5.1: "C SHOULD be set to 0.4"
const C: f64 = 0.4;
/// The part of the window that a reduction leaves (section 4.6).
// Requirement, RFC 9438 section 4.6: "The parameter beta_cubic SHOULD be set to 0.7"
const BETA: f64 = 0.7;
/// Reno's growth per window that matches this reduction (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// The target is at most this multiple of the window (section 4.2).
const MAX_TARGET: f64 = 1.5;

/// The controller.
#[derive(Clone, Debug)]
pub struct Rfc9438 {
    window: Window,
    state: State,
    before: Before,
    /// Time counts on the curve from here to the next acknowledgement.
    last: Time,
    fast_convergence: bool,
    friendliness: bool,
    /// A full packet, headers included.
    packet: Bytes,
    ecn: Ecn,
}

/// The state before the latest reduction, which an undo restores (section 4.9).
#[derive(Clone, Copy, Debug)]
struct Before {
    at: Time,
    cwnd: f64,
    threshold: f64,
    state: State,
}

/// The curve, and what it begins from.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Where the curve is flat; unknown before a loss, after a timeout and after a slow start that
    /// ended without loss: then where the curve begins.
    w_max: Option<f64>,
    /// The window before the latest reduction.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

/// Congestion avoidance since a reduction.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    t: Span,
    w_max: f64,
    k: f64,
    w_est: f64,
}

impl Epoch {
    /// From `window` on (section 4.2).
    fn new(window: f64, w_max: f64) -> Epoch {
        let k = if window < w_max { libm::cbrt((w_max - window) / C) } else { 0.0 };
        // Requirement, RFC 9438 section 4.8: "W_est SHOULD be set to the congestion window size at
        // the beginning of the current congestion avoidance stage"
        Epoch { t: Span::ZERO, w_max, k, w_est: window }
    }

    /// W_cubic of equation 1.
    fn w_cubic(&self, t: f64) -> f64 {
        let off = t - self.k;
        C * (off * off * off) + self.w_max
    }
}

impl Rfc9438 {
    /// A controller at the start of a connection.
    ///
    /// # Errors
    ///
    /// Parameters of its start that nothing would use.
    pub fn new(setup: &Setup, params: &Params) -> Result<Rfc9438, ParamError> {
        let auto = if params.get(&HYSTART) {
            // Requirement, RFC 9438 section 4.10: "CUBIC SHOULD use the HyStart++ slow start
            // algorithm"
            Start::HyStartPlusPlus(HyStartPlusPlus::new())
        } else {
            Start::Classic
        };
        let starter = OwnStarts { auto, ..OwnStarts::classic(false) }.choose(setup, params)?;
        let window = Window::new(setup).starting(starter);
        let Window { cwnd, threshold, .. } = window;
        let state = State { w_max: None, cwnd_prior: cwnd, epoch: None };
        Ok(Rfc9438 {
            window,
            state,
            before: Before { at: Time::ZERO, cwnd, threshold, state },
            last: Time::ZERO,
            fast_convergence: params.get(&FAST_CONVERGENCE),
            friendliness: params.get(&FRIENDLINESS),
            packet: setup.mss + setup.headers,
            ecn: codepoint(params),
        })
    }

    fn grow(&mut self, acked: f64, srtt: Span) {
        let before = (self.window.cwnd, self.window.threshold);
        let slow = self.window.cwnd < self.window.threshold;
        let rest = if slow { self.window.slow_start(acked, 1.0) } else { acked };
        if rest > 0.0 {
            self.avoid(rest, srtt);
        }
        let curve = self
            .state
            .epoch
            .map_or(0.0, |epoch| epoch.w_cubic(epoch.t.as_secs_f64() + srtt.as_secs_f64()));
        self.window.limit(before, |flight| (MAX_TARGET * flight).min(curve).max(flight + ALPHA));
    }

    /// Congestion avoidance (sections 4.3 to 4.5).
    fn avoid(&mut self, acked: f64, srtt: Span) {
        let state = &mut self.state;
        let window = self.window.cwnd;
        let epoch = state
            .epoch
            .get_or_insert_with(|| Epoch::new(window, *state.w_max.get_or_insert(window)));
        let t = epoch.t.as_secs_f64();
        // Requirement, RFC 9438 section 4.3: "the sender SHOULD set alpha_cubic to 1"
        let alpha = if epoch.w_est < state.cwnd_prior { ALPHA } else { 1.0 };
        epoch.w_est += alpha * acked / window;
        if self.friendliness && epoch.w_cubic(t) < epoch.w_est {
            // Requirement, RFC 9438 section 4.3: "cwnd SHOULD be set to W_est at each reception of
            // a new ACK"
            self.window.cwnd = window.max(epoch.w_est);
        } else {
            let target = epoch.w_cubic(t + srtt.as_secs_f64()).clamp(window, MAX_TARGET * window);
            // Requirement, RFC 9438 section 4.4: "In this region, cwnd MUST be incremented by
            // (target - cwnd)/cwnd"
            self.window.cwnd += (target - window) / window * acked;
        }
    }

    /// Sections 4.6 and 4.7.
    fn reduce(&mut self, why: Congestion, feedback: &Feedback<'_>) {
        let cwnd = self.window.cwnd;
        self.end_at(cwnd, feedback.now);
        // Requirement, RFC 9438 section 4.6: "the sender MUST reduce cwnd and ssthresh immediately
        // upon entering loss recovery"
        self.window.cut(feedback, cwnd * BETA, why);
    }

    /// Ends the epoch at a window of `cwnd` segments.
    fn end_at(&mut self, cwnd: f64, now: Time) {
        let threshold = self.window.threshold;
        self.before = Before { at: now, cwnd, threshold, state: self.state };
        // Requirement, RFC 9438 section 4.7: ""Fast Convergence" mechanism SHOULD be implemented"
        let shrinking = self.fast_convergence && self.state.w_max.is_some_and(|w_max| cwnd < w_max);
        let w_max = if shrinking { cwnd * (1.0 + BETA) / 2.0 } else { cwnd };
        self.state = State { w_max: Some(w_max), cwnd_prior: cwnd, epoch: None };
    }
}

impl Controller for Rfc9438 {
    fn on_open(&mut self, open: &Open) {
        self.window.on_open(open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if sent.in_flight == 0 {
            self.last = sent.now;
        }
        if self.window.on_sent(sent) {
            self.state.epoch = None;
        }
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        use crate::CaState::*;
        // Requirement, RFC 9438 section 4.6: "MUST use other measures to prevent cwnd from growing
        // when the volume of bytes in flight is smaller than cwnd"
        let grown = match self.window.counts() {
            None => feedback.acked.iter().filter(|acked| acked.window_limited).count(),
            Some(true) => feedback.acked.len(),
            Some(false) => 0,
        };
        let passed = feedback.now.since(std::mem::replace(&mut self.last, feedback.now));
        if let Some(epoch) = &mut self.state.epoch
            && grown > 0
        {
            // Requirement, RFC 9438 section 4.2: "The elapsed time t in Equation 1 MUST NOT include
            // periods during which cwnd has not been updated due to application-limited behavior"
            epoch.t += passed;
        }
        if let Some(congestion) = feedback.congestion {
            return self.reduce(congestion, feedback);
        }
        let seen = self.window.on_feedback(feedback);
        if seen.exited {
            self.state.cwnd_prior = self.window.cwnd;
        }
        if let Some(before) = seen.reduced {
            // The curve begins from the window whose ordinary reduction leads here.
            self.state = State { w_max: Some(before), cwnd_prior: before, epoch: None };
        }
        if !seen.holds && grown > 0 && matches!(feedback.ca_state, Open | Disorder | Loss) {
            self.grow(grown as f64, feedback.srtt);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.end_at(self.window.cwnd, timeout.now);
        }
        self.window.collapse(timeout, self.window.cwnd * BETA);
        self.state.w_max = None;
        self.state.epoch = None;
    }

    fn on_undo(&mut self, now: Time) {
        let Before { at, cwnd, threshold, mut state } = self.before;
        self.window.forget_cut();
        // Requirement, RFC 9438 section 4.9.2: "CUBIC SHOULD continue to use the current and the
        // most recent values of these variables"
        if self.window.cwnd < cwnd {
            // The epoch goes on as if it had never been interrupted.
            if let Some(epoch) = &mut state.epoch {
                epoch.t += now.since(at);
            }
            (self.window.cwnd, self.window.threshold) = (cwnd, threshold);
            self.state = state;
            self.last = now;
        }
    }

    fn decision(&self) -> Decision {
        self.window.decision(self.packet, self.ecn)
    }

    fn saved(&self) -> Option<Saved> {
        self.window.saved()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let epoch = self.state.epoch;
        self.window.inspect(visit);
        visit("w_max", self.state.w_max.unwrap_or(f64::NAN));
        visit("k", epoch.map_or(f64::NAN, |epoch| epoch.k));
        visit("w_est", epoch.map_or(f64::NAN, |epoch| epoch.w_est));
        visit("cwnd_prior", self.state.cwnd_prior);
    }
}
