//! NewReno: additive increase, halving on loss.
//!
//! Sources: RFC 5681 (slow start, congestion avoidance), RFC 6582 and RFC 6675 (recovery, carried out by the transport), RFC 6928 (initial window),
//! RFC 3168 section 6.1.2 (marks), RFC 3465 with L unlimited (growth by segments acknowledged, as Linux and QUIC count).
//!
//! Deviations, both as Linux `net/ipv4/tcp_cong.c` has them:
//! * the threshold after loss is half of the window, not of the flight; the two differ only when the application limits sending, and then the window has not
//!   grown either;
//! * slow start is not limited to two segments per acknowledgement.

use crate::registry::{Built, Entry, Param, Params, Setup};
use crate::{Controller, Decision, Ecn, Feedback, Reduction, Timeout};
use narrows_units::{Bytes, Segments, Time};

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

const PARAMS: &[Param] = &[Param::flag("ecn", false, "send ECT(0) and treat an echoed mark as loss without retransmission (RFC 3168)")];

/// Fewest segments of the threshold after a loss (RFC 5681 equation 4).
const MIN_THRESHOLD: f64 = 2.0;

/// The NewReno controller.
#[derive(Clone, Debug)]
pub struct NewReno {
    window: f64,
    threshold: f64,
    /// Window and threshold before the latest reduction, for undo.
    prior: (f64, f64),
    mss: Bytes,
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
            mss: setup.mss,
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

    fn reduce(&mut self) {
        self.prior = (self.window, self.threshold);
        self.threshold = (self.window / 2.0).max(MIN_THRESHOLD);
    }
}

impl Controller for NewReno {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        use crate::Recovery::*;
        if feedback.congestion.is_some() {
            self.reduce();
            self.window = self.threshold;
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
        Decision { window: Segments::new(self.window), pacing: None, quantum: self.mss, ecn: self.ecn, reduction: Reduction::Transport }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window);
        visit("ssthresh", self.threshold);
    }
}
