//! Data Center TCP: gives way in proportion to the share of packets that were marked.
//!
//! Sources: RFC 8257; Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; Linux
//! `net/ipv4/tcp_dctcp.c`.
//!
//! The transport says once per window of data that marks were echoed, as it does for classic ECN;
//! only what is taken from the window then differs. The receiver's counts per code point stand for
//! the echo of section 3.2: α needs no state machine for delayed acknowledgements.
//!
//! The reduction lasts a round trip (proportional rate reduction), as in the kernel. While it
//! begins the queue may still be above the threshold, and the marks of that time then cause a
//! second reduction: the queue swings by some 10 to 20 % more than section 3.3 of the paper has it,
//! whose reduction is done at once.
//!
//! Deviations: windows and α are fractions (the kernel has whole segments and 1/1024); growth
//! counts segments, not acknowledgements.

use crate::parts::marks::{Losses, MarkedShare};
use crate::parts::restart::Rule;
use crate::parts::start::params::{OwnStarts, with_start};
use crate::parts::window::Window;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Congestion, Controller, Decision, Feedback, Open, Saved, Sent, Tag, Timeout};
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "dctcp",
    kernel: Some("dctcp"),
    summary: "Data Center TCP: reduces once per window by half of the average share of marked packets; for queues that mark at a threshold",
    source: "RFC 8257; Linux net/ipv4/tcp_dctcp.c",
    basis: Basis::Loss,
    needs: &[Need::EcnCounts],
    numbered: false,
    params: with_start!(GAIN.spec, ALPHA.spec),
    build: Build::Function(|setup, params| Ok(Built::new(Dctcp::new(setup, params)?))),
};

const GAIN: Param<f64> = Param::number(
    "gain",
    1.0 / 16.0,
    (1.0 / 1024.0, 1.0),
    "",
    "weight g of the latest window in the average (RFC 8257 section 4.2; dctcp_shift_g)",
);
const ALPHA: Param<f64> = Param::number(
    "alpha",
    1.0,
    (0.0, 1.0),
    "",
    "the average before the first window (RFC 8257 section 4.2; dctcp_alpha_on_init)",
);

/// Fewest segments of the window after a mark, as in Linux.
const MIN_WINDOW: f64 = 2.0;

/// The controller.
#[derive(Clone, Debug)]
struct Dctcp {
    window: Window,
    share: MarkedShare,
    losses: Losses,
    /// A full packet, headers included.
    packet: Bytes,
}

impl Dctcp {
    fn new(setup: &Setup, params: &Params) -> Result<Dctcp, ParamError> {
        let starter = OwnStarts::classic(false).choose(setup, params)?;
        Ok(Dctcp {
            window: Window::new(setup).restarting(Rule::Linux).starting(starter),
            share: MarkedShare::new(params.get(&ALPHA), params.get(&GAIN), Span::ZERO),
            losses: Losses::default(),
            packet: setup.mss + setup.headers,
        })
    }

    fn grow(&mut self, acked: f64) {
        let before = (self.window.cwnd, self.window.threshold);
        let rest = self.window.slow_start(acked, 1.0);
        self.window.cwnd += rest / self.window.cwnd;
        self.window.limit(before, |flight| flight + 1.0);
    }
}

impl Controller for Dctcp {
    fn on_open(&mut self, open: &Open) {
        self.window.on_open(open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.window.on_sent(sent);
        self.share.on_sent(sent.number);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.share.on_feedback(feedback);
        let cwnd = self.window.cwnd;
        if self.losses.begin_with(feedback) {
            self.window.cut(feedback, cwnd / 2.0, Congestion::Loss);
        } else if feedback.congestion == Some(Congestion::Mark) {
            let left = cwnd * (1.0 - self.share.alpha() / 2.0);
            self.window.cut(feedback, left.max(MIN_WINDOW), Congestion::Mark);
        } else if !self.window.on_feedback(feedback).holds {
            self.grow(self.window.growth(feedback) as f64);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.collapse(timeout, self.window.cwnd / 2.0);
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn decision(&self) -> Decision {
        self.window.decision(self.packet, Ecn::Ect0)
    }

    fn saved(&self) -> Option<Saved> {
        self.window.saved()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
        visit("alpha", self.share.alpha());
    }
}

#[cfg(test)]
mod tests {
    use crate::Choice;
    use crate::testing::{acked, acknowledge, at, inspect, send, setup};
    use crate::{CaState, Congestion, Controller, EcnDelta, Feedback, Timeout};

    fn dctcp(options: &str, window: f64) -> Box<dyn Controller> {
        format!("dctcp?{options}").parse::<Choice>().unwrap().build(&setup(window)).unwrap()
    }

    fn state(dctcp: &dyn Controller) -> (f64, f64) {
        (inspect(dctcp, "cwnd"), inspect(dctcp, "ssthresh"))
    }

    fn mark(dctcp: &mut dyn Controller) {
        dctcp.on_feedback(&Feedback {
            congestion: Some(Congestion::Mark),
            ca_state: CaState::Cwr,
            ..Feedback::at(at(100))
        });
    }

    #[test]
    fn a_mark_takes_half_of_alpha() {
        for (alpha, left) in [(1.0, 50.0), (0.5, 75.0), (0.125, 93.75), (0.0, 100.0)] {
            let mut dctcp = dctcp(&format!("alpha={alpha}"), 100.0);
            mark(&mut *dctcp);
            assert_eq!(state(&*dctcp), (left, left), "α = {alpha}");
        }
        let mut small = dctcp("", 3.0);
        mark(&mut *small);
        assert_eq!(state(&*small), (2.0, 2.0));
    }

    /// Section 3.3: the window that ends with this acknowledgement counts before its own reduction.
    #[test]
    fn the_average_is_renewed_before_it_is_used() {
        let mut dctcp = dctcp("alpha=0.5", 64.0);
        send(&mut *dctcp, at(0), 0..64);
        dctcp.on_feedback(&Feedback {
            acked: &acked(0..1),
            ecn: EcnDelta { ce: 1, echo: true, ..EcnDelta::default() },
            congestion: Some(Congestion::Mark),
            ca_state: CaState::Cwr,
            ..Feedback::at(at(10))
        });
        // 0.5 + (1 - 0.5) / 16 = 0.53125, of which half goes.
        assert_eq!(inspect(&*dctcp, "alpha"), 0.53125);
        assert_eq!(state(&*dctcp).0, 64.0 * (1.0 - 0.53125 / 2.0));
    }

    #[test]
    fn losses_halve_whatever_alpha_also_beside_a_mark() {
        let mut dctcp = dctcp("alpha=0", 100.0);
        dctcp.on_feedback(&Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            ..Feedback::at(at(100))
        });
        assert_eq!(state(&*dctcp), (50.0, 50.0));
        acknowledge(&mut *dctcp, at(200), &acked(0..25));
        assert_eq!(state(&*dctcp).0, 50.5);
        mark(&mut *dctcp);
        dctcp.on_feedback(&Feedback { ca_state: CaState::Recovery, ..Feedback::at(at(300)) });
        assert_eq!(state(&*dctcp), (25.25, 25.25), "the transport reports no second reduction");
        dctcp.on_timeout(&Timeout::new(at(900), 20, 20, false));
        assert_eq!(state(&*dctcp), (1.0, 12.625));
    }

    #[test]
    fn nothing_grows_in_the_window_after_a_mark() {
        let mut dctcp = dctcp("alpha=0.5", 40.0);
        mark(&mut *dctcp);
        dctcp.on_feedback(&Feedback {
            acked: &acked(0..10),
            ca_state: CaState::Cwr,
            ..Feedback::at(at(120))
        });
        assert_eq!(state(&*dctcp).0, 30.0);
        acknowledge(&mut *dctcp, at(200), &acked(10..40));
        assert_eq!(state(&*dctcp).0, 31.0);
    }
}
