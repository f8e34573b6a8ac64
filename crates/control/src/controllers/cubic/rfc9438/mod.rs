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

use super::hystartpp::HyStartPlusPlus;
use super::params::{FAST_CONVERGENCE, FRIENDLINESS, HYSTART};
use crate::Setup;
use crate::parts::ecn::codepoint;
use crate::parts::restart::{Restart, Rule};
use crate::{Congestion, Controller, Decision, Feedback, Sent, Tag, Timeout};
use narrows_params::Params;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// Growth, in segments/s³ (section 5.1).
const C: f64 = 0.4;
/// The part of the window that a reduction leaves (section 4.6).
const BETA: f64 = 0.7;
/// Reno's growth per window that matches this reduction (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Fewest segments after a loss, and after a mark (section 4.6).
const MIN_AFTER_LOSS: f64 = 2.0;
const MIN_AFTER_MARK: f64 = 1.0;
/// The target is at most this multiple of the window (section 4.2).
const MAX_TARGET: f64 = 1.5;

/// The controller.
#[derive(Clone, Debug)]
pub struct Rfc9438 {
    state: State,
    /// The state before the latest reduction and its time, for undo.
    prior: (State, Time),
    hystart: Option<HyStartPlusPlus>,
    /// Time counts on the curve from here to the next acknowledgement.
    last: Time,
    restart: Restart,
    fast_convergence: bool,
    friendliness: bool,
    /// A full packet, headers included.
    packet: Bytes,
    ecn: Ecn,
}

/// State that the undo of a spurious reduction restores (section 4.9).
#[derive(Clone, Copy, Debug)]
struct State {
    window: f64,
    threshold: f64,
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
    pub fn new(setup: &Setup, params: &Params) -> Rfc9438 {
        let window = setup.initial_window.get();
        let state = State {
            window,
            threshold: f64::INFINITY,
            w_max: None,
            cwnd_prior: window,
            epoch: None,
        };
        Rfc9438 {
            state,
            prior: (state, Time::ZERO),
            hystart: params.get(&HYSTART).then(HyStartPlusPlus::new),
            last: Time::ZERO,
            restart: Restart::new(Rule::Rfc5681, window),
            fast_convergence: params.get(&FAST_CONVERGENCE),
            friendliness: params.get(&FRIENDLINESS),
            packet: setup.mss + setup.headers,
            ecn: codepoint(params),
        }
    }

    fn grow(&mut self, mut acked: f64, srtt: Span) {
        let state = &mut self.state;
        if state.window < state.threshold {
            if let Some(hystart) = &self.hystart {
                state.window += hystart.growth(acked);
                return;
            }
            let step = acked.min(state.threshold - state.window);
            state.window += step;
            acked -= step;
        }
        if acked > 0.0 {
            self.avoid(acked, srtt);
        }
    }

    /// Congestion avoidance (sections 4.3 to 4.5).
    fn avoid(&mut self, acked: f64, srtt: Span) {
        let state = &mut self.state;
        let window = state.window;
        let epoch = state
            .epoch
            .get_or_insert_with(|| Epoch::new(window, *state.w_max.get_or_insert(window)));
        let t = epoch.t.as_secs_f64();
        let alpha = if epoch.w_est < state.cwnd_prior { ALPHA } else { 1.0 };
        epoch.w_est += alpha * acked / window;
        if self.friendliness && epoch.w_cubic(t) < epoch.w_est {
            state.window = window.max(epoch.w_est);
        } else {
            let target = epoch.w_cubic(t + srtt.as_secs_f64()).clamp(window, MAX_TARGET * window);
            state.window += (target - window) / window * acked;
        }
    }

    /// Sections 4.6 and 4.7.
    fn reduce(&mut self, least: f64, now: Time) {
        self.prior = (self.state, now);
        self.hystart = None;
        let state = &mut self.state;
        let shrinking =
            self.fast_convergence && state.w_max.is_some_and(|w_max| state.window < w_max);
        state.w_max =
            Some(if shrinking { state.window * (1.0 + BETA) / 2.0 } else { state.window });
        state.cwnd_prior = state.window;
        state.epoch = None;
        state.threshold = (state.window * BETA).max(MIN_AFTER_LOSS);
        state.window = (state.window * BETA).max(least);
    }
}

impl Controller for Rfc9438 {
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if let Some(hystart) = &mut self.hystart {
            hystart.on_sent(sent.number);
        }
        if sent.in_flight == 0 {
            self.last = sent.now;
        }
        if let Some((window, threshold)) =
            self.restart.on_sent(sent, (self.state.window, self.state.threshold))
        {
            (self.state.window, self.state.threshold) = (window, threshold);
            self.state.epoch = None;
        }
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        use crate::CaState::*;
        let (mut highest, mut grown) = (0, 0u32);
        for acked in feedback.acked {
            highest = highest.max(acked.number);
            grown += acked.window_limited as u32;
        }
        let passed = feedback.now.since(std::mem::replace(&mut self.last, feedback.now));
        if let Some(epoch) = &mut self.state.epoch
            && grown > 0
        {
            epoch.t += passed;
        }
        if let Some(congestion) = feedback.congestion {
            self.reduce(
                if congestion == Congestion::Mark { MIN_AFTER_MARK } else { MIN_AFTER_LOSS },
                feedback.now,
            );
            return;
        }
        if let Some(hystart) = &mut self.hystart
            && !feedback.acked.is_empty()
            && hystart.on_ack(highest, feedback.rtt)
        {
            self.hystart = None;
            self.state.threshold = self.state.window;
            self.state.cwnd_prior = self.state.window;
        }
        if grown > 0 && matches!(feedback.ca_state, Open | Disorder | Loss) {
            self.grow(grown as f64, feedback.srtt);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.reduce(MIN_AFTER_LOSS, timeout.now);
        }
        self.state.window = 1.0;
        self.state.w_max = None;
        self.state.epoch = None;
    }

    fn on_undo(&mut self, now: Time) {
        let (mut state, at) = self.prior;
        if self.state.window < state.window {
            // The epoch goes on as if it had never been interrupted.
            if let Some(epoch) = &mut state.epoch {
                epoch.t += now.since(at);
            }
            self.state = state;
            self.last = now;
        }
    }

    fn decision(&self) -> Decision {
        Decision::clocked(self.state.window, self.packet, self.ecn)
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let epoch = self.state.epoch;
        visit("cwnd", self.state.window);
        visit("ssthresh", self.state.threshold);
        visit("w_max", self.state.w_max.unwrap_or(f64::NAN));
        visit("k", epoch.map_or(f64::NAN, |epoch| epoch.k));
        visit("w_est", epoch.map_or(f64::NAN, |epoch| epoch.w_est));
        visit("cwnd_prior", self.state.cwnd_prior);
    }
}
