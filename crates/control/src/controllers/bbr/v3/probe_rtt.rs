//! ProbeRTT: half a bandwidth-delay product in flight, so that the queue drains and the round trip shows.

use super::profile::PROBE_RTT_GAIN;
use super::{Bbr3, State};
use crate::controllers::bbr::common::{Ack, FLOOR, Progress};

impl Bbr3 {
    /// The window of ProbeRTT.
    pub(super) fn probe_rtt_window(&self) -> u32 {
        self.product(self.bandwidth(), PROBE_RTT_GAIN).max(FLOOR)
    }

    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        let due = self.min_rtt.update(ack);
        if due && !self.idle_restart && self.state != State::ProbeRtt {
            self.window.save(true);
            self.state = State::ProbeRtt;
            self.probe_rtt.enter(self.counts.delivered);
            self.cycle.stop();
            self.rounds.restart(self.counts.delivered);
        }
        if self.state == State::ProbeRtt {
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

    /// Back to probing bandwidth, but not at once: the flight is small, so there is nothing to drain.
    pub(super) fn leave_probe_rtt(&mut self) {
        self.min_rtt.schedule(self.now);
        self.window.restore();
        self.short_term.clear();
        if self.full_pipe.reached() {
            self.start_down();
            self.start_cruise();
        } else {
            self.state = State::Startup;
        }
    }
}
