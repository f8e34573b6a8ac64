//! Timers: retransmission, tail loss probe, reordering.

use super::ack::describe_lost;
use super::{Sender, Timers};
use crate::recovery::Frto;
use crate::wire::Ack;
use narrows_control::{CaState, EcnDelta, Timeout};
use narrows_units::{Span, Time};
use narrows_wire::Ecn;

impl Sender {
    pub(super) fn restart_timers(&mut self, now: Time, advanced: bool) {
        self.probe_wanted = false;
        if self.board.outstanding() == 0 {
            self.timers = Timers { retransmit: Time::NEVER, probe: Time::NEVER, reorder: Time::NEVER };
        } else if advanced {
            self.timers.retransmit = now + self.rtt.timeout();
            self.schedule_probe(now);
        } else if !self.is_quiet() {
            self.timers.probe = Time::NEVER;
        }
    }

    /// Nothing is missing.
    pub(super) fn is_quiet(&self) -> bool {
        matches!(self.state, CaState::Open | CaState::Cwr) && self.board.sacked_out() == 0
    }

    /// RFC 8985 section 7.2: a probe after two round trips of silence, if nothing is missing and no probe is out.
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: Time) {
        let srtt = self.rtt.srtt();
        if !self.transport.tail_loss_probe || !self.is_quiet() || self.probe.is_some() || srtt.is_zero() {
            self.timers.probe = Time::NEVER;
            return;
        }
        let delayed_ack = if self.board.outstanding() == 1 { self.transport.min_rto } else { MIN_PROBE_WAIT };
        self.timers.probe = (now + srtt * 2 + delayed_ack).min(self.timers.retransmit);
    }

    /// The earliest time at which [`on_timer`](Sender::on_timer) is wanted.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        let Timers { retransmit, probe, reorder } = self.timers;
        let controller = self.controller.next_timer().unwrap_or(Time::NEVER);
        let earliest = retransmit.min(probe).min(reorder).min(controller);
        (earliest != Time::NEVER).then_some(earliest)
    }

    /// A timer may have expired: acts on those that have.
    pub fn on_timer(&mut self, now: Time) {
        self.lost.clear();
        if self.controller.next_timer().is_some_and(|due| due <= now) {
            self.controller.on_timer(now);
            self.decision = self.controller.decision();
        }
        if self.timers.reorder <= now {
            self.on_reorder_timer(now);
        }
        if self.timers.probe <= now {
            self.timers.probe = Time::NEVER;
            self.probe_wanted = true;
            self.timers.retransmit = now + self.rtt.timeout();
        }
        if self.timers.retransmit <= now {
            self.on_retransmit_timer(now);
        }
    }

    /// What was late has stayed away: it is lost.
    fn on_reorder_timer(&mut self, now: Time) {
        self.acked.clear();
        if let Some(stream) = self.stream.take() {
            return self.on_numbered_reorder_timer(now, stream);
        }
        let in_flight_before = self.board.in_flight();
        let before = self.state;
        self.detect_losses(now);
        if self.lost.is_empty() {
            return;
        }
        let silent = Ack { next: self.board.una(), ..Ack::default() };
        let congestion = self.step_state(&silent);
        self.feed(now, None, in_flight_before, EcnDelta::default(), congestion);
        // Linux `tcp_rack_reo_timeout` counts the expiry that starts a recovery as one segment delivered, so that a retransmission can leave.
        let starts = self.state == CaState::Recovery && before != CaState::Recovery;
        self.reduce(congestion, matches!(before, CaState::Recovery | CaState::Cwr), starts as u32, false);
    }

    fn on_retransmit_timer(&mut self, now: Time) {
        if self.stream.is_some() {
            return self.on_probe_timeout(now);
        }
        let in_flight = self.board.in_flight();
        if !self.transport.sack {
            self.board.forget_duplicates();
        }
        let (short, mss) = (&self.short, self.transport.mss);
        let before = self.lost.len();
        let lost = &mut self.lost;
        self.board.mark_all_lost(|number, slot| lost.push(describe_lost(number, &slot, short, mss)));
        let lost = self.lost.len() - before;
        self.counters.declared_lost += lost as u64;
        self.counters.timeouts += 1;
        // Linux `tcp_enter_loss`: a second reduction for the same data only if some of it was acknowledged since.
        let fresh = matches!(self.state, CaState::Open | CaState::Disorder)
            || self.board.una() >= self.recovery_end
            || (self.state == CaState::Loss && self.timeouts_in_a_row == 0);
        if fresh {
            self.begin_undo();
        }
        let repairing = matches!(self.state, CaState::Recovery | CaState::Loss);
        self.frto = if self.transport.frto && (!repairing || self.timeouts_in_a_row > 0) { Frto::Waiting } else { Frto::Off };
        self.timeouts_in_a_row += 1;
        self.state = CaState::Loss;
        self.spread.end();
        self.recovery_end = self.board.next();
        self.cwr_wanted = self.decision.ecn != Ecn::NotEct;
        self.probe = None;
        self.probe_wanted = false;
        self.rtt.back_off();
        self.timers = Timers { retransmit: now + self.rtt.timeout(), probe: Time::NEVER, reorder: Time::NEVER };
        self.controller.on_timeout(&Timeout::new(now, in_flight, lost as u32, !fresh));
        self.decision = self.controller.decision();
    }
}

/// Linux `TCP_TIMEOUT_MIN`: two jiffies at 1000 Hz, so that a probe does not race the acknowledgement it waits for.
const MIN_PROBE_WAIT: Span = Span::from_millis(2);
