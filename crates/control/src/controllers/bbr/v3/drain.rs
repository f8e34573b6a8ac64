//! Drain: empties the queue of Startup (section 5.3.2).

use super::Bbr3;
use super::profile::Profile;
use super::state::BbrState;
use crate::controllers::bbr::common::Ack;

impl Bbr3 {
    /// `CheckStartupDone` and `CheckDrainDone`, `bbr_check_drain`.
    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.state == BbrState::Startup && self.full_pipe.reached() {
            self.enter(BbrState::Drain);
            self.drain_began = self.rounds.count();
            if self.profile == Profile::Linux {
                self.reset_signals();
            }
        }
        if self.state != BbrState::Drain {
            return;
        }
        let patience = self.constants.drain_rounds;
        let overdue =
            patience.is_some_and(|rounds| self.rounds.count() > self.drain_began + rounds);
        let bandwidth = match self.profile {
            Profile::Draft => self.bandwidth(),
            Profile::Linux => self.max_bandwidth.get(),
        };
        if self.flight_at_departure(ack.in_flight) <= self.capacity(bandwidth) || overdue {
            self.start_down();
        }
    }
}
