//! ProbeRTT: half a bandwidth-delay product in flight, to drain the queue and measure the round
//! trip (section 5.3.4).

use super::Bbr3;
use super::profile::PROBE_RTT_GAIN;
use super::state::BbrState;
use crate::controllers::bbr::common::{Ack, FLOOR, Progress};

impl Bbr3 {
    /// The window of ProbeRTT (`ProbeRTTCwnd`, section 5.6.4.5; `bbr_probe_rtt_cwnd`).
    pub(super) fn probe_rtt_window(&self) -> u32 {
        self.bdp(self.bandwidth(), PROBE_RTT_GAIN).max(FLOOR)
    }

    /// `CheckProbeRTT` and `HandleProbeRTT` (section 5.3.4.3), `bbr_update_min_rtt`.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        let due = self.min_rtt.update(ack);
        if due && !self.idle_restart && self.state != BbrState::ProbeRtt {
            self.window.save(true);
            self.enter(BbrState::ProbeRtt);
            self.probe_rtt.enter(self.counts.delivered);
            self.cycle.stop();
            self.rounds.restart(self.counts.delivered);
        }
        if self.state == BbrState::ProbeRtt {
            self.probe_rtt.limit(ack);
            match self.probe_rtt.progress(ack, self.rounds.start(), self.probe_rtt_window()) {
                Progress::Waiting => {}
                Progress::Emptied => self.rounds.restart(self.counts.delivered),
                Progress::Over => self.leave_probe_rtt(),
            }
        }
        if ack.acked > 0 {
            self.idle_restart = false;
        }
    }

    /// Returns to ProbeBW_CRUISE, since the flight is small and there is nothing to drain
    /// (`CheckProbeRTTDone` and `ExitProbeRTT`, section 5.3.4.4; `bbr_exit_probe_rtt`).
    pub(super) fn leave_probe_rtt(&mut self) {
        self.min_rtt.schedule(self.now);
        self.window.restore();
        self.short_term.clear();
        if self.full_pipe.reached() {
            self.start_down();
            self.start_cruise();
        } else {
            self.enter(BbrState::Startup);
        }
    }
}
