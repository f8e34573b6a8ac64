//! Startup and its end: the pipe is full when bandwidth stops growing, or when losses exceed the
//! threshold (section 5.3.1).

use super::Bbr3;
use super::profile::Profile;
use super::state::{BbrState, Evidence};
use crate::CaState;
use crate::controllers::bbr::common::{Ack, UNIT, bandwidth_ceil};

/// `StartupFullLossCnt`, `bbr_full_loss_cnt`: ranges lost within a round that end Startup.
const LOST_RANGES: u32 = 6;

impl Bbr3 {
    pub(super) fn check_full_pipe(&mut self, ack: &Ack) {
        if let Some(sample) = ack.sample
            && !sample.app_limited
        {
            let measured = bandwidth_ceil(sample.delivered as u64, sample.interval);
            self.full_pipe.update(self.profile, measured, self.rounds.start());
        }
    }

    /// Ends Startup after a round in recovery with too many losses in several ranges
    /// (`CheckStartupHighLoss`, section 5.3.1.3; `bbr_check_loss_too_high_in_startup`).
    pub(super) fn check_startup_loss(&mut self, ack: &Ack, evidence: Option<Evidence>) {
        if self.full_pipe.reached() || !self.short_term.round_start() {
            return;
        }
        let ranges = std::mem::take(&mut self.lost_ranges).count();
        let too_high = evidence.is_some_and(|evidence| self.is_too_high(&evidence));
        let enough = if self.selective { ranges >= LOST_RANGES && too_high } else { ranges > 0 };
        if ack.ca_state == CaState::Recovery && enough {
            self.leave_startup_too_high();
        }
    }

    /// The pipe is more than full (section 5.3.1.3, `bbr_handle_queue_too_high_in_startup`).
    pub(super) fn leave_startup_too_high(&mut self) {
        self.full_pipe.set_reached(true);
        let product = match self.profile {
            Profile::Draft => self.bdp(self.bandwidth(), UNIT),
            Profile::Linux => self.capacity(self.max_bandwidth.get()),
        };
        self.long_term.set(product.max(self.short_term.latest_flight()));
        if self.profile == Profile::Draft {
            self.undo.state = Some(BbrState::Startup);
        }
    }
}
