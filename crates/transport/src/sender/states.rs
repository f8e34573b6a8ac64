//! The recovery states, and what takes a reduction back.

use super::Sender;
use crate::RecoveryAlgorithm;
use crate::recovery::Frto;
use crate::scoreboard::Flags;
use crate::wire::Ack;
use narrows_control::{CaState, Congestion};
use narrows_units::Time;
use narrows_wire::Ecn;

impl Sender {
    /// Moves through the recovery states (Linux `tcp_fastretrans_alert`). Returns the reduction that is due, if one is.
    pub(super) fn step_state(&mut self, ack: &Ack) -> Option<Congestion> {
        self.leave_recovery();
        match self.state {
            CaState::Recovery | CaState::Loss => None,
            CaState::Cwr if self.board.lost_out() > 0 => {
                // The reduction for the mark serves the loss too, and was needed whatever becomes of the loss.
                self.open(CaState::Recovery, false);
                None
            }
            CaState::Cwr => None,
            CaState::Open | CaState::Disorder => {
                if self.board.lost_out() > 0 {
                    self.open(CaState::Recovery, true);
                    self.counters.recoveries += 1;
                    self.cwr_wanted = self.decision.ecn != Ecn::NotEct;
                    return Some(Congestion::Loss);
                }
                let current = ack.next == self.board.una();
                if ack.ece && current && self.decision.ecn != Ecn::NotEct {
                    self.open(CaState::Cwr, false);
                    self.cwr_wanted = true;
                    return Some(Congestion::Mark);
                }
                self.state = if self.board.sacked_out() > 0 { CaState::Disorder } else { CaState::Open };
                None
            }
        }
    }

    /// Before new losses are looked for: were the last ones any?
    #[inline]
    pub(super) fn look_for_undo(&mut self, now: Time, ack: &Ack, advanced: bool, lowest: Option<u64>) {
        let repairing = matches!(self.state, CaState::Recovery | CaState::Loss);
        if self.undo.is_proven((advanced && repairing && self.transport.timestamps).then_some(ack.echo)) {
            self.undo_reduction(now);
        }
        if self.state == CaState::Loss {
            self.step_frto(now, advanced, lowest);
        }
    }

    /// After a timeout: `lowest` is the lowest segment that arrived by its only transmission.
    fn step_frto(&mut self, now: Time, advanced: bool, lowest: Option<u64>) {
        if self.frto == Frto::Off {
            return;
        }
        if lowest.is_some_and(|lowest| lowest < self.recovery_end) {
            self.undo_reduction(now);
        } else if self.board.next() > self.recovery_end {
            if !advanced {
                self.frto = Frto::Off;
            }
        } else if advanced && self.board.una() < self.recovery_end {
            self.recovery_end = self.board.next();
            self.frto = if self.has_new_data() { Frto::NewData } else { Frto::Off };
        }
    }

    /// Everything sent before the reduction is settled. For a mark, so must be the first segment after it, which tells the receiver.
    fn leave_recovery(&mut self) {
        let una = self.board.una();
        let over = match self.state {
            CaState::Open | CaState::Disorder => false,
            CaState::Cwr => una > self.recovery_end,
            CaState::Recovery if self.transport.recovery == RecoveryAlgorithm::Reno && !self.acked.is_empty() => true,
            CaState::Recovery | CaState::Loss => una >= self.recovery_end,
        };
        if over {
            if !self.transport.sack {
                self.board.forget_duplicates();
            }
            if self.state != CaState::Cwr {
                self.forget_reordering();
            }
            self.state = CaState::Open;
        }
    }

    /// RFC 8985 section 6.2 step 4: a reordering window that has grown shrinks again after sixteen recoveries without a duplicate.
    fn forget_reordering(&mut self) {
        self.reordering_persist = self.reordering_persist.saturating_sub(1);
        if self.reordering_persist == 0 {
            self.reordering_steps = 1;
        }
    }

    fn open(&mut self, state: CaState, undoable: bool) {
        if undoable {
            self.begin_undo();
        } else {
            self.undo.end();
        }
        self.state = state;
        self.recovery_end = self.board.next();
        self.probe = None;
    }

    pub(super) fn begin_undo(&mut self) {
        if !self.transport.undo {
            return;
        }
        let una = self.board.una();
        let repaired = self.board.outstanding() > 0 && self.board.slot(una).flags.has(Flags::EVER_RESENT);
        self.undo.begin(una, self.board.resent_out(), repaired);
    }

    fn undo_reduction(&mut self, now: Time) {
        if self.state == CaState::Recovery {
            self.board.note_reordering(self.undo.marker().unwrap_or(self.board.una()));
        }
        self.board.unmark_lost();
        if !self.transport.sack {
            self.board.forget_duplicates();
        }
        self.controller.on_undo(now);
        self.counters.undone += 1;
        self.undo.end();
        self.spread.end();
        self.frto = Frto::Off;
        self.state = if self.board.sacked_out() > 0 { CaState::Disorder } else { CaState::Open };
    }
}

/// RFC 8985 section 6.2 step 4 (`TCP_RACK_RECOVERY_THRESH`).
pub(super) const REORDERING_PERSISTS: u32 = 16;
