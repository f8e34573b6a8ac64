//! PROBE_RTT: four packets in flight, to drain the queue and measure the round trip (section
//! 4.3.5).

use super::{Bbr, Mode};
use crate::controllers::bbr::common::{Ack, FLOOR, Progress};

impl Bbr {
    /// `bbr_update_min_rtt` (sections 4.1.2.3 and 4.3.5).
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let expired = self.min_rtt.update(ack);
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.window.save(true);
            self.enter(Mode::ProbeRtt);
            self.probe_rtt.enter(self.counts.delivered);
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt.limit(ack);
            match self.probe_rtt.progress(ack, self.rounds.start(), FLOOR) {
                Progress::Waiting => {}
                Progress::Emptied => self.rounds.restart(self.counts.delivered),
                Progress::Over => self.leave_probe_rtt(ack.now),
            }
        }
        if ack.acked > 0 {
            self.idle_restart = false;
        }
    }

    /// `bbr_check_probe_rtt_done` and `bbr_reset_mode` (section 4.3.5).
    pub(super) fn leave_probe_rtt(&mut self, now: u64) {
        self.min_rtt.refresh(now);
        self.window.restore();
        if self.full_pipe.reached() {
            self.enter_probe_bw();
        } else {
            self.enter(Mode::Startup);
        }
    }
}
