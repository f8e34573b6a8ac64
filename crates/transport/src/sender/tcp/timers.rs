//! Timers of TCP: retransmission, tail loss probe, reordering.

use super::Tcp;
use super::probe::{cancel_probe, is_quiet, schedule_probe};
use super::undo::Frto;
use crate::sender::connection::Connection;
use crate::wire::Ack;
use narrows_control::{CaState, Timeout};
use narrows_units::Time;
use narrows_wire::Ecn;

impl Tcp {
    /// After an acknowledgement; `heard` if it puts the timeout off.
    #[inline]
    pub(super) fn restart_timers(&self, conn: &mut Connection, now: Time, heard: bool) {
        conn.forced = false;
        if conn.board.outstanding() == 0 {
            conn.timers.stop();
        } else if heard {
            conn.timers.retransmit = now + conn.rtt.timeout();
            schedule_probe(conn, now, conn.timers.retransmit);
        } else if !is_quiet(conn) {
            cancel_probe(conn, now);
        }
    }

    /// The time for a probe has come. One at a time: if one is out, the timeout runs from when the
    /// first segment left, and may be due (Linux `tcp_send_loss_probe`).
    pub fn on_probe_timer(&mut self, conn: &mut Connection, now: Time) {
        if self.probe.is_some() {
            return cancel_probe(conn, now);
        }
        conn.timers.probe = Time::NEVER;
        conn.forced = true;
        conn.timers.retransmit = now + conn.rtt.timeout();
    }

    /// Segments that were late have stayed away: they are lost.
    pub fn on_reorder_timer(&mut self, conn: &mut Connection, now: Time) {
        let mut event = conn.event(now);
        let before = conn.state;
        let reducing_before = conn.is_reducing();
        self.detect_losses(conn, now);
        if conn.lists.lost.is_empty() {
            return;
        }
        self.holds = false;
        conn.forced = false;
        cancel_probe(conn, now);
        let silent = Ack { next: conn.board.una(), ..Ack::default() };
        self.step_state(conn, &silent, &mut event);
        conn.feed(None, &event, conn.board.una(), conn.board.next());
        // Linux `tcp_rack_reo_timeout` counts the expiry that starts a recovery as one segment
        // delivered, so that a retransmission can leave.
        let starts = conn.state == CaState::Recovery && before != CaState::Recovery;
        conn.reduce(&event, reducing_before, starts as u32, false);
    }

    pub fn on_retransmit_timer(&mut self, conn: &mut Connection, now: Time) {
        let in_flight = conn.board.in_flight();
        if !conn.transport.sack {
            conn.board.forget_duplicates();
        }
        let lost_before = conn.lists.lost.len();
        conn.find_lost(|board, lost| board.give_up(now, lost));
        let lost = (conn.lists.lost.len() - lost_before) as u32;
        conn.counters.timeouts += 1;
        // Linux `tcp_enter_loss`: a second reduction for the same data only if some of it was
        // acknowledged since.
        let fresh = matches!(conn.state, CaState::Open | CaState::Disorder)
            || conn.board.una() >= conn.recovery_end
            || (conn.state == CaState::Loss && self.timeouts_in_a_row == 0);
        if fresh {
            self.begin_undo(conn);
        }
        let first = !conn.is_repairing() || self.timeouts_in_a_row > 0;
        self.frto = if conn.transport.frto && first { Frto::Waiting } else { Frto::Off };
        self.timeouts_in_a_row += 1;
        conn.enter(CaState::Loss);
        conn.reduction.end();
        conn.recovery_end = conn.board.next();
        conn.cwr_wanted = conn.decision.ecn != Ecn::NotEct;
        self.probe = None;
        self.holds = false;
        conn.forced = true;
        conn.rtt.back_off();
        conn.timers.stop();
        conn.timers.retransmit = now + conn.rtt.timeout();
        let mut timeout = Timeout::new(now, in_flight, lost, !fresh);
        timeout.in_flight_after = conn.board.in_flight();
        conn.controller.on_timeout(&timeout);
        conn.decide(now);
    }
}
