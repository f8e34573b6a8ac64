//! The kernel's TCP around a controller of the window: what it calls, in which order, and what it
//! does with the window itself.

use super::callbacks::Callbacks;
use super::socket::{NO_THRESHOLD, Socket};
use crate::parts::ecn::codepoint;
use crate::parts::start::Step;
use crate::parts::start::cut::CutEnd;
use crate::parts::window::{LINUX_PACING_GAINS, pacing};
use crate::{
    Awaited, CaState, Congestion, Controller, Decision, Feedback, Open, Reduction, Saved, Sent,
    Setup, Tag, Timeout,
};
use narrows_params::Params;
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// A connection whose controller decides the window alone.
#[derive(Clone, Debug)]
pub struct Linux<T> {
    pub(crate) controller: T,
    pub(crate) socket: Socket,
    packet: Bytes,
    paces: bool,
    srtt: Span,
    ecn: Ecn,
}

impl<T: Callbacks> Linux<T> {
    /// A controller at the start of a connection, which its host does not pace.
    pub fn new(controller: T, socket: Socket, setup: &Setup, params: &Params) -> Linux<T> {
        let packet = setup.mss + setup.headers;
        Linux { controller, socket, packet, paces: false, srtt: Span::ZERO, ecn: codepoint(params) }
    }

    /// The controller, paced by the kernel or not.
    pub fn paced(self, paces: bool) -> Linux<T> {
        Linux { paces, ..self }
    }

    fn enter(&mut self, state: CaState) {
        self.controller.set_state(&mut self.socket, state);
        self.socket.state = state;
    }

    /// A reduction begins (`tcp_init_cwnd_reduction`). `before`: the threshold that an undo
    /// restores.
    fn reduce(&mut self, before: u32) {
        self.socket.prior_threshold = before;
        self.socket.credit = 0;
        self.socket.prior_cwnd = self.socket.cwnd;
        self.socket.threshold = self.controller.ssthresh(&self.socket);
    }

    /// A reduction has arrived (`tcp_end_cwnd_reduction`).
    fn complete(&mut self) {
        if self.socket.threshold < NO_THRESHOLD {
            self.socket.cwnd = self.socket.threshold;
        }
    }

    /// A tail loss probe has repaired a loss (`tcp_process_tlp_ack`).
    fn repaired_by_probe(&mut self, after: CaState) {
        let own = self.socket.starter.abandon();
        self.finish(own);
        self.socket.starter.on_repaired_loss();
        self.reduce(0);
        self.enter(CaState::Cwr);
        self.complete();
        self.enter(if after == CaState::Disorder { CaState::Disorder } else { CaState::Open });
    }

    /// Everything that was sent before is acknowledged. Recovery is over before the window is set,
    /// a reduction for marks after it.
    fn end(&mut self, ended: CaState) {
        match ended {
            _ if self.socket.state != ended => {}
            _ if self.socket.starter.cut_window().is_some() => self.enter(CaState::Open),
            CaState::Recovery => {
                self.enter(CaState::Open);
                self.complete();
            }
            CaState::Cwr => {
                self.complete();
                self.enter(CaState::Open);
            }
            CaState::Loss => self.enter(CaState::Open),
            CaState::Open | CaState::Disorder => {}
        }
    }

    /// The latest reduction was for nothing (`tcp_undo_cwnd_reduction`).
    fn take_back(&mut self, after: CaState) {
        self.socket.starter.undo();
        if self.socket.prior_threshold > 0 {
            self.socket.cwnd = self.controller.undo_cwnd(&self.socket);
            self.socket.threshold = self.socket.threshold.max(self.socket.prior_threshold);
        }
        if self.socket.state != CaState::Open {
            self.enter(if after == CaState::Disorder { CaState::Disorder } else { CaState::Open });
        }
    }

    /// A reduction is due (`tcp_enter_recovery`, `tcp_enter_cwr`). Only with numbered transmissions
    /// may another be under way: this one begins where that one leads, not at what has been spread
    /// of it (RFC 9002 section 7.3.2: the window falls at once).
    fn begin(&mut self, congestion: Congestion, feedback: &Feedback<'_>) {
        let own = self.socket.starter.abandon();
        if own.is_some() {
            self.finish(own);
        } else if self.socket.is_reducing() {
            self.complete();
        }
        let marked = congestion == Congestion::Mark || feedback.ecn.echo;
        let before = if marked { 0 } else { self.socket.current_threshold() };
        if !self.socket.starter.is_chosen() || !self.cut(congestion, feedback, before) {
            self.reduce(before);
        }
        self.enter(if congestion == Congestion::Mark { CaState::Cwr } else { CaState::Recovery });
    }

    /// A reduction is due. True if the start makes it in its own way: then the controller hears of
    /// it when it is over.
    #[cold]
    fn cut(&mut self, why: Congestion, feedback: &Feedback<'_>, before: u32) -> bool {
        let left = self.controller.left();
        let view = self.socket.view();
        if !self.socket.starter.on_congestion(feedback, why, view, left) {
            return false;
        }
        self.socket.prior_threshold = before;
        self.socket.credit = 0;
        self.socket.prior_cwnd = self.socket.cwnd;
        self.socket.set_threshold(view.cwnd * left);
        true
    }

    /// A reduction of the start is over: the controller reduces the window from which it comes to
    /// this threshold.
    fn finish(&mut self, end: Option<CutEnd>) {
        let Some(CutEnd { window, threshold }) = end else { return };
        self.socket.cwnd = libm::ceil(threshold / self.controller.left()) as u32;
        self.controller.ssthresh(&self.socket);
        self.socket.set_threshold(threshold);
        self.socket.cwnd = (window as u32).max(1);
    }

    /// The start looks at an acknowledgement. True if the window does not grow by it.
    #[inline(never)]
    fn watch(&mut self, feedback: &Feedback<'_>) -> bool {
        if feedback.congestion.is_some() {
            return true;
        }
        if self.socket.starter.cut_window().is_some() {
            let end = self.socket.starter.progress(feedback);
            self.finish(end);
            return true;
        }
        let view = self.socket.view();
        match self.socket.starter.on_feedback(feedback, view) {
            Step::Grow => return false,
            Step::Hold => {}
            Step::Set(window) => self.socket.cwnd = (window as u32).max(1),
            Step::Both(window, threshold) => {
                self.socket.cwnd = (window as u32).max(1);
                self.socket.set_threshold(threshold);
            }
            Step::Exit(window) => {
                self.socket.cwnd = (window as u32).max(1);
                self.socket.threshold = self.socket.cwnd;
                return false;
            }
        }
        true
    }

    /// The window grows by `acked` segments, up to what a rule of growth allows.
    #[inline(never)]
    fn grow_within_limit(&mut self, acked: u32) {
        let before = self.socket.view();
        self.controller.cong_avoid(&mut self.socket, acked);
        let avoidance = |flight| self.controller.avoidance(&self.socket, flight);
        if let Some(limit) = self.socket.starter.limit(before, avoidance) {
            self.socket.cwnd = self.socket.cwnd.min(limit as u32);
        }
    }

    /// Rare transitions (`tcp_fastretrans_alert`).
    #[cold]
    fn step_state(&mut self, feedback: &Feedback<'_>) {
        if feedback.probe_loss {
            self.repaired_by_probe(feedback.ca_state);
        }
        if let Some(ended) = feedback.ended {
            self.end(ended);
        }
        if feedback.undone {
            self.take_back(feedback.ca_state);
        }
        let lowered =
            feedback.probe_loss && !matches!(feedback.ca_state, CaState::Cwr | CaState::Recovery);
        if let Some(congestion) = feedback.congestion.filter(|_| !lowered) {
            self.begin(congestion, feedback);
        }
        if self.socket.state != feedback.ca_state {
            self.enter(feedback.ca_state);
        }
    }

    /// Out of the way of connections that are not paced, which ask for their decision as often.
    #[inline(never)]
    fn pace(&self) -> Option<Rate> {
        let Socket { cwnd, threshold, .. } = self.socket;
        let threshold = if self.socket.starter.paces_as_below() { NO_THRESHOLD } else { threshold };
        pacing((cwnd as f64, threshold as f64), LINUX_PACING_GAINS, self.packet, self.srtt)
    }

    /// A decision where a start was chosen.
    #[inline(never)]
    fn decide_by_start(&self, decision: &mut Decision) {
        let starter = &self.socket.starter;
        if let Some(window) = starter.cut_window() {
            decision.window = Segments::new(window.max(1.0));
        }
        decision.reduction =
            if starter.cuts_at_once() { Reduction::Immediate } else { Reduction::Transport };
        let own = starter.pacing(self.socket.view(), self.packet);
        decision.pacing = if own.is_none() && self.paces { self.pace() } else { own };
    }
}

impl<T: Callbacks> Controller for Linux<T> {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
        self.socket.now = open.now;
        self.socket.starter.on_open(open.rtt);
        self.controller.paced(&self.socket, open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if self.socket.starter.is_chosen() {
            let view = self.socket.view();
            if let Some((cwnd, threshold)) = self.socket.starter.on_sent(sent, view) {
                self.socket.cwnd = (cwnd as u32).max(1);
                self.socket.set_threshold(threshold);
            }
        }
        if sent.in_flight == 0
            && let Some(idle) = self.socket.idle(sent.now)
        {
            self.socket.now = sent.now;
            if sent.outstanding == 0
                && !sent.retransmission
                && self.socket.is_stale(idle, sent.rto)
                && !self.socket.starter.keeps_when_idle()
            {
                let own = self.socket.starter.abandon();
                self.finish(own);
                self.socket.starter.on_idle();
                self.socket.restart(idle, self.socket.ticks.of(sent.rto));
            }
            self.controller.tx_start(&mut self.socket, idle);
        }
        self.socket.last_sent = Some(sent.now);
        if !sent.retransmission {
            self.socket.next = sent.number + 1;
        }
        self.controller.tag(sent)
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        self.socket.now = feedback.now;
        let moved = feedback.una.saturating_sub(self.socket.una) as u32;
        let newly = feedback.totals.delivered.saturating_sub(self.socket.delivered) as u32;
        self.socket.update(feedback);
        if moved == 0 && newly == 0 && self.socket.packets_out == 0 {
            return;
        }
        self.controller.pkts_acked(&mut self.socket, feedback, moved);
        let news = (self.socket.state != feedback.ca_state)
            | feedback.congestion.is_some()
            | feedback.ended.is_some();
        if news | feedback.undone | feedback.probe_loss {
            self.step_state(feedback);
        }
        if self.socket.starter.is_chosen() {
            let holds = self.watch(feedback);
            if moved > 0 && !self.socket.is_reducing() && !holds {
                self.grow_within_limit(newly);
            }
        } else if moved > 0 && !self.socket.is_reducing() {
            self.controller.cong_avoid(&mut self.socket, newly);
        }
        self.controller.paced(&self.socket, feedback.srtt);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.socket.now = timeout.now;
        let own = self.socket.starter.abandon();
        self.finish(own);
        if !timeout.repeated {
            self.reduce(self.socket.current_threshold());
        }
        self.socket.starter.on_timeout();
        self.socket.cwnd = timeout.in_flight_after + 1;
        self.socket.credit = 0;
        self.enter(CaState::Loss);
    }

    /// Carried out in its place within the acknowledgement that proves it.
    fn on_undo(&mut self, _now: Time) {}

    /// Only a start that was chosen acts on each segment.
    fn decides_in_flight(&self) -> bool {
        self.socket.starter.is_chosen()
    }

    fn decision(&self) -> Decision {
        let mut decision = Decision::clocked(0.0, self.packet, self.ecn);
        self.decide(&mut decision);
        decision
    }

    fn decide(&self, decision: &mut Decision) -> Awaited {
        let window =
            if self.socket.is_reducing() { self.socket.threshold } else { self.socket.cwnd };
        decision.window = Segments::new(window as f64);
        if self.socket.starter.is_chosen() {
            self.decide_by_start(decision);
        } else if self.paces {
            decision.pacing = self.pace();
        }
        Awaited::Event
    }

    fn saved(&self) -> Option<Saved> {
        self.socket.starter.saved()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.socket.inspect(visit);
        self.controller.inspect(visit);
    }
}
