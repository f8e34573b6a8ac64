//! The kernel's response to ECN marks that are many and early: on paths of at most 5 ms, in
//! proportion to the share of packets marked.

use super::Bbr3;
use super::state::Evidence;
use crate::CaState;
use crate::controllers::bbr::common::Ack;

impl Bbr3 {
    pub(super) fn take_marks(&mut self, marked: u32) {
        let Some(marks) = &mut self.marks else { return };
        let too_high =
            self.rounds.start() && marks.on_round(self.counts.delivered, self.min_rtt.get());
        marks.take(marked);
        if too_high && !self.full_pipe.reached() {
            self.leave_startup_too_high();
        }
    }

    /// Notes marks of the cycle, on packets delivered since the packet of `evidence` left
    /// (`ecn_in_cycle`).
    pub(super) fn note_marks(&mut self, evidence: Option<Evidence>) {
        if let Some(marks) = &mut self.marks {
            marks.in_cycle |= evidence.is_some_and(|evidence| evidence.marked > 0);
        }
    }

    /// True if this cycle had marks but no loss, and now they have ceased: bandwidth may have
    /// become free (`bbr_check_time_to_probe_bw`, `bbr_ecn_reprobe_gain`).
    pub(super) fn should_reprobe(&self, ack: &Ack) -> bool {
        let marked = self.marks.as_ref().is_some_and(|marks| marks.eligible && marks.in_cycle);
        marked && !self.loss_in_cycle && ack.ca_state == CaState::Open
    }
}
