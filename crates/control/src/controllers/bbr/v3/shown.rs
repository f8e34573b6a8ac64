//! The inner state by name, for traces. Names are the draft's (section 2) in this project's words,
//! with the unit at their end; no unit stands for packets, rounds, a gain or a truth (0 or 1). A
//! bound that is not set and a value of the other profile are not a number.

use super::Bbr3;
use super::long_term::UNBOUNDED;
use crate::controllers::bbr::common::{BW_SCALE, UNIT};

impl Bbr3 {
    /// Shows each value to `visit`.
    pub(super) fn show(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("state", self.state as u8 as f64);
        visit("rounds", self.rounds.count() as f64);
        visit("round_start", truth(self.rounds.start()));
        visit("pacing_gain", self.pacing_gain() as f64 / self.constants.unit as f64);
        visit("cwnd_gain", self.window_gain() as f64 / UNIT as f64);
        visit("cwnd", self.window.get() as f64);
        self.show_model(visit);
        self.show_probing(visit);
        self.show_undo(visit);
        visit("idle_restart", truth(self.idle_restart));
        visit(
            "ecn_alpha",
            self.marks.as_ref().map_or(f64::NAN, |marks| marks.alpha() as f64 / UNIT as f64),
        );
    }

    /// Section 2.9 and the samples that it is made of.
    fn show_model(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("delivery_rate_packets_s", rate(self.latest.bandwidth));
        visit("app_limited", truth(self.latest.app_limited));
        visit("bandwidth_packets_s", rate(self.bandwidth()));
        visit("max_bandwidth_packets_s", rate(self.max_bandwidth.get()));
        visit("bandwidth_shortterm_packets_s", rate(self.short_term.bandwidth()));
        visit("inflight_shortterm", bound(self.short_term.flight()));
        visit("inflight_longterm", bound(self.long_term.get()));
        visit("bandwidth_latest_packets_s", rate(self.short_term.latest_bandwidth()));
        visit("inflight_latest", self.short_term.latest_flight() as f64);
        visit("min_rtt_s", seconds(self.min_rtt.get()));
        visit("probe_rtt_min_delay_s", seconds(self.min_rtt.recent()));
        visit("extra_acked", self.aggregated(self.bandwidth()) as f64);
    }

    /// Sections 2.13 and 2.14.
    fn show_probing(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("full_bw_count", self.full_pipe.rounds() as f64);
        visit("full_bw_now", truth(self.full_pipe.now()));
        visit("full_bw_reached", truth(self.full_pipe.reached()));
        visit("drain_start_round", self.drain_began as f64);
        visit("bw_probe_wait_s", self.cycle.wait() as f64 / 1e6);
        visit("rounds_since_probe", self.cycle.rounds() as f64);
        visit("probe_sample", truth(self.cycle.probe_sample));
        visit("prev_probe_too_high", truth(self.cycle.too_high));
        visit("prev_probe_precautionary", truth(self.cycle.precautionary));
    }

    /// Section 2.15.
    fn show_undo(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("undo_state", self.undo.state.map_or(f64::NAN, |state| state as u8 as f64));
        visit("undo_bandwidth_shortterm_packets_s", rate(self.undo.bandwidth));
        visit("undo_inflight_shortterm", bound(self.undo.flight));
        visit("undo_inflight_longterm", bound(self.undo.long_term));
    }
}

fn truth(is: bool) -> f64 {
    is as u8 as f64
}

fn rate(bandwidth: u32) -> f64 {
    if bandwidth == UNBOUNDED {
        f64::NAN
    } else {
        bandwidth as f64 * (1e6 / (1u64 << BW_SCALE) as f64)
    }
}

fn bound(packets: u32) -> f64 {
    if packets == UNBOUNDED { f64::NAN } else { packets as f64 }
}

fn seconds(micros: Option<u32>) -> f64 {
    micros.map_or(f64::NAN, |micros| micros as f64 / 1e6)
}
