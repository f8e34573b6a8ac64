//! The states of recovery, and the undo of a reduction.

use super::Tcp;
use super::undo::Frto;
use crate::RecoveryAlgorithm;
use crate::scoreboard::Flags;
use crate::sender::connection::Connection;
use crate::sender::event::Event;
use crate::wire::Ack;
use narrows_control::{CaState, Congestion};
use narrows_units::Time;
use narrows_wire::Ecn;

impl Tcp {
    /// Moves through the recovery states (Linux `tcp_fastretrans_alert`). Notes the state that
    /// ends, and the reduction that is due.
    pub(super) fn step_state(&mut self, conn: &mut Connection, ack: &Ack, event: &mut Event) {
        event.ended = self.leave_recovery(conn);
        event.congestion = self.enter_recovery(conn, ack);
    }

    /// Returns the reduction that is due, if one is.
    fn enter_recovery(&mut self, conn: &mut Connection, ack: &Ack) -> Option<Congestion> {
        match conn.state {
            CaState::Recovery | CaState::Loss => None,
            CaState::Cwr if conn.board.lost_out() > 0 => {
                // The window is being reduced for the mark already, so the loss needs no second
                // reduction. This one is not undone even if the loss proves spurious.
                self.enter_reduction(conn, CaState::Recovery, false);
                None
            }
            CaState::Cwr => None,
            CaState::Open | CaState::Disorder => {
                if conn.board.lost_out() > 0 {
                    self.enter_reduction(conn, CaState::Recovery, true);
                    conn.counters.recoveries += 1;
                    conn.cwr_wanted = conn.decision.ecn != Ecn::NotEct;
                    return Some(Congestion::Loss);
                }
                let current = ack.next == conn.board.una();
                if ack.ece && current && conn.decision.ecn != Ecn::NotEct {
                    self.enter_reduction(conn, CaState::Cwr, false);
                    conn.cwr_wanted = true;
                    return Some(Congestion::Mark);
                }
                conn.state =
                    if conn.board.sacked_out() > 0 { CaState::Disorder } else { CaState::Open };
                None
            }
        }
    }

    /// Undoes the latest reduction if its losses prove spurious. Returns true if it does. In
    /// Recovery, a partial acknowledgement undoes nothing while retransmissions are in flight
    /// (Linux `tcp_try_undo_partial`). Call this before new losses are detected.
    #[inline]
    pub(super) fn look_for_undo(
        &mut self,
        conn: &mut Connection,
        now: Time,
        ack: &Ack,
        advanced: bool,
        lowest: Option<u64>,
    ) -> bool {
        let repairing = advanced && conn.is_repairing();
        let original =
            repairing && conn.transport.timestamps && self.undo.original_arrived(ack.echo);
        let partial =
            original && conn.state == CaState::Recovery && conn.board.una() < conn.recovery_end;
        self.holds = partial && conn.board.retrans_out() > 0;
        let mut undone = !self.holds && (original || self.undo.all_came_twice());
        if undone {
            self.undo_reduction(conn, now);
        }
        if conn.state == CaState::Loss {
            undone |= self.step_frto(conn, now, advanced, lowest);
        }
        undone
    }

    /// F-RTO (RFC 5682 section 3.1): judges a timeout by the acknowledgements that follow it.
    /// `lowest` is the lowest newly delivered segment that was sent only once. Returns true if the
    /// timeout proves spurious.
    fn step_frto(
        &mut self,
        conn: &mut Connection,
        now: Time,
        advanced: bool,
        lowest: Option<u64>,
    ) -> bool {
        if self.frto == Frto::Off {
            return false;
        }
        if lowest.is_some_and(|lowest| lowest < conn.recovery_end) {
            self.undo_reduction(conn, now);
            return true;
        }
        // New data was sent after the timeout (step 3). If the acknowledgement does not advance,
        // the losses are real. Before that, a partial acknowledgement allows new data (step 2).
        if conn.board.next() > conn.recovery_end {
            if !advanced {
                self.frto = Frto::Off;
            }
        } else if advanced && conn.board.una() < conn.recovery_end {
            conn.recovery_end = conn.board.next();
            self.frto = if conn.has_data(conn.board.next()) { Frto::NewData } else { Frto::Off };
        }
        false
    }

    /// Ends the state once everything sent before the reduction is acknowledged. Cwr also waits for
    /// the first segment sent after the reduction, which carries the CWR flag. Reno's Recovery ends
    /// with the first acknowledgement of new data. Returns the state that ended, if one did.
    fn leave_recovery(&mut self, conn: &mut Connection) -> Option<CaState> {
        let una = conn.board.una();
        let over = match conn.state {
            CaState::Open | CaState::Disorder => false,
            CaState::Cwr => una > conn.recovery_end,
            CaState::Recovery
                if conn.transport.recovery == RecoveryAlgorithm::Reno
                    && !conn.lists.acked.is_empty() =>
            {
                true
            }
            CaState::Recovery | CaState::Loss => una >= conn.recovery_end,
        };
        if !over {
            return None;
        }
        if !conn.transport.sack {
            conn.board.forget_duplicates();
        }
        if conn.state != CaState::Cwr {
            self.reordering.on_recovery_end();
        }
        Some(conn.enter(CaState::Open))
    }

    /// Enters `state`, which is Recovery or Cwr (never Open), and notes where it ends. `undoable`:
    /// collects evidence that the reduction is spurious.
    fn enter_reduction(&mut self, conn: &mut Connection, state: CaState, undoable: bool) {
        if undoable {
            self.begin_undo(conn);
        } else {
            self.undo.end();
        }
        conn.enter(state);
        conn.recovery_end = conn.board.next();
        self.probe = None;
    }

    /// Starts to collect evidence that the reduction made now is spurious. Retransmissions already
    /// in flight, a probe included, count among those that must be reported as duplicates.
    pub(super) fn begin_undo(&mut self, conn: &mut Connection) {
        if !conn.transport.undo {
            return;
        }
        let una = conn.board.una();
        let repaired = conn.board.outstanding() > 0
            && conn.board.slot(una).flags.has(Flags::EVER_RETRANSMITTED);
        let probes = self.probe.is_some_and(|probe| probe.retransmission) as u32;
        self.undo.begin(una, conn.board.retrans_out() + probes, repaired);
    }

    fn undo_reduction(&mut self, conn: &mut Connection, now: Time) {
        if conn.state == CaState::Recovery {
            conn.board.note_reordering(self.undo.marker().unwrap_or(conn.board.una()));
        }
        conn.board.unmark_lost();
        if !conn.transport.sack {
            conn.board.forget_duplicates();
        }
        conn.controller.on_undo(now);
        conn.counters.undone += 1;
        self.undo.end();
        conn.reduction.end();
        self.frto = Frto::Off;
        conn.enter(if conn.board.sacked_out() > 0 { CaState::Disorder } else { CaState::Open });
    }
}
