//! CUBIC as Linux 6 computes it.
//!
//! Source: Linux `net/ipv4/tcp_cubic.c`, with the window of [`linux`](crate::parts::linux) and `tcp_update_pacing_rate` (`tcp_input.c`).
//!
//! Deviations:
//! * the cushion for batching in HyStart uses the smoothed round trip and window of this acknowledgement (the kernel: of the one before) and takes the largest
//!   batch of segments as 64 KiB;
//! * those of [`linux`](crate::parts::linux), [`hystart`](super::hystart) and [`curve`](super::curve).

use super::curve::{Curve, Ticks};
use super::hystart::{HyStart, Sample};
use super::params::{FAST_CONVERGENCE, FRIENDLINESS, HYSTART, HZ};
use crate::Setup;
use crate::parts::ecn::codepoint;
use crate::parts::linux::Window;
use crate::parts::window::growth;
use crate::{Controller, Decision, Feedback, Sent, Tag, Timeout};
use narrows_params::Params;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// The controller.
#[derive(Clone, Debug)]
pub struct LinuxCubic {
    window: Window,
    curve: Curve,
    hystart: Option<HyStart>,
    ticks: Ticks,
    /// Least round trip in µs; 0 before the first.
    min_rtt: u32,
    mss: Bytes,
    ecn: Ecn,
}

impl LinuxCubic {
    /// A controller at the start of a connection.
    pub fn new(setup: &Setup, params: &Params) -> LinuxCubic {
        LinuxCubic {
            window: Window::new(setup),
            curve: Curve::new(params.get(&FAST_CONVERGENCE), params.get(&FRIENDLINESS)),
            hystart: params.get(&HYSTART).then(HyStart::default),
            ticks: Ticks::new(params.get(&HZ) as u64),
            min_rtt: 0,
            mss: setup.mss,
            ecn: codepoint(params),
        }
    }

    /// A round trip was measured; `highest` is the highest segment acknowledged with it.
    fn measure(&mut self, rtt: Span, highest: u64, feedback: &Feedback<'_>) {
        let now = self.ticks.at(feedback.now);
        if self.curve.is_settling(now, self.ticks.hz()) {
            return;
        }
        let rtt = u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX).max(1);
        if self.min_rtt == 0 || rtt < self.min_rtt {
            self.min_rtt = rtt;
        }
        let Some(hystart) = &mut self.hystart else { return };
        if !self.window.in_slow_start() {
            return;
        }
        let (window, threshold, mss) = (self.window.cwnd, self.window.threshold, self.mss.get());
        let sample = Sample { now: micros(feedback.now), highest, rtt, min_rtt: self.min_rtt, window };
        let cushion = || batching(mss, window.max(feedback.in_flight_before), window < threshold / 2, feedback.srtt);
        if hystart.ends(sample, cushion) {
            self.window.threshold = window;
        }
    }

    fn grow(&mut self, acked: u32, now: Time) {
        let rest = self.window.slow_start(acked);
        if rest > 0 {
            let now = self.ticks.at(now);
            let count = self.curve.count(self.window.cwnd, rest, now, self.min_rtt, &self.ticks);
            self.window.step(count, rest);
        }
    }

    fn reduce(&mut self) {
        self.window.reduce(self.curve.reduce(self.window.cwnd));
    }
}

/// Whole microseconds since the run began.
fn micros(now: Time) -> u64 {
    now.as_nanos() / 1_000
}

/// How much longer than the path's round trip a train may take because hosts batch segments, in µs and at most 1 ms: four batches of 64 KiB at the rate that the
/// kernel would pace this window at.
fn batching(mss: u64, window: u32, doubling: bool, srtt: Span) -> u32 {
    let percent = if doubling { 200 } else { 120 };
    let time = (4u64 << 16) * 100 * srtt.as_micros() / (mss * percent * window as u64).max(1);
    time.min(1_000) as u32
}

impl Controller for LinuxCubic {
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if let Some(hystart) = &mut self.hystart {
            hystart.on_sent(sent.number);
        }
        if let Some(idle) = self.window.on_sent(sent) {
            // The curve does not count that time.
            self.curve.shift(self.ticks.between(sent.now - idle, sent.now), self.ticks.at(sent.now));
        }
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if let Some(rtt) = feedback.rtt {
            let highest = feedback.acked.iter().map(|acked| acked.number).max().unwrap_or(0);
            self.measure(rtt, highest, feedback);
        }
        if feedback.congestion.is_some() {
            self.reduce();
        } else {
            self.grow(growth(feedback), feedback.now);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.reduce();
        }
        self.window.collapse();
        self.curve.reset();
        self.min_rtt = 0;
        if let Some(hystart) = &mut self.hystart {
            hystart.restart(micros(timeout.now));
        }
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn decision(&self) -> Decision {
        Decision::clocked(self.window.cwnd as f64, self.mss, self.ecn)
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
        visit("min_rtt_s", if self.min_rtt == 0 { f64::NAN } else { self.min_rtt as f64 / 1e6 });
        self.curve.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::parts::linux::NO_THRESHOLD;
    use crate::testing::{acked, acked_one, acknowledge, at, inspect, send, setup};
    use crate::{CaState, Congestion};

    fn cubic(text: &str, window: f64) -> LinuxCubic {
        LinuxCubic::new(&setup(window), &text.parse::<Choice>().unwrap().params())
    }

    fn lose(cubic: &mut LinuxCubic, now: Time, why: Congestion) {
        cubic.on_feedback(&Feedback { congestion: Some(why), ca_state: CaState::Recovery, ..Feedback::at(now) });
    }

    #[test]
    fn slow_start_counts_segments_and_stops_at_the_threshold() {
        let mut cubic = cubic("cubic?hystart=false", 10.0);
        acknowledge(&mut cubic, at(50), &acked(0..10));
        assert_eq!(cubic.window.cwnd, 20);
        cubic.window.threshold = 25;
        acknowledge(&mut cubic, at(100), &acked(10..30));
        assert_eq!(cubic.window.cwnd, 25, "15 left over for the curve, less than its count of 20");
        assert_eq!(cubic.window.credit, 15);
    }

    #[test]
    fn one_sawtooth_equals_the_kernels() {
        // The window after each second of one segment acknowledged per millisecond, from a run of the kernel's formulas.
        let mut cubic = cubic("cubic?hystart=false", 100.0);
        cubic.min_rtt = 50_000;
        lose(&mut cubic, at(990), Congestion::Loss);
        assert_eq!((cubic.window.cwnd, cubic.window.threshold), (70, 70));
        let mut windows = Vec::new();
        for ms in 1_000..=9_000 {
            acknowledge(&mut cubic, at(ms), &acked(ms..ms + 1));
            if ms % 1_000 == 0 {
                windows.push(cubic.window.cwnd);
            }
        }
        assert_eq!(windows, [70, 87, 96, 100, 100, 100, 103, 109, 121]);
        lose(&mut cubic, at(9_010), Congestion::Loss);
        assert_eq!(cubic.window.cwnd, 84);
        assert_eq!(inspect(&cubic, "w_max"), 121.0);
        acknowledge(&mut cubic, at(9_500), &acked(9_500..9_501));
        lose(&mut cubic, at(9_510), Congestion::Loss);
        assert_eq!((cubic.window.cwnd, inspect(&cubic, "w_max")), (58, 71.0));
    }

    #[test]
    fn without_a_loss_the_window_grows_by_a_twentieth_per_round_trip() {
        let mut cubic = cubic("cubic?hystart=false", 40.0);
        cubic.window.threshold = 40;
        cubic.min_rtt = 100_000;
        let mut windows = Vec::new();
        for ms in (0..=3_000).step_by(2) {
            acknowledge(&mut cubic, at(ms), &acked(ms..ms + 1));
            if ms % 500 == 0 {
                windows.push(cubic.window.cwnd);
            }
        }
        assert_eq!(windows, [40, 52, 65, 77, 90, 102, 115]);
    }

    #[test]
    fn the_window_waits_in_recovery_and_ignores_what_it_did_not_limit() {
        let mut cubic = cubic("cubic", 10.0);
        for ca_state in [CaState::Recovery, CaState::Cwr] {
            cubic.on_feedback(&Feedback { acked: &acked(0..5), ca_state, ..Feedback::at(at(50)) });
        }
        acknowledge(&mut cubic, at(60), &[acked_one(5, false)]);
        assert_eq!(cubic.window.cwnd, 10);
        cubic.on_feedback(&Feedback { acked: &acked(6..8), ca_state: CaState::Loss, ..Feedback::at(at(70)) });
        assert_eq!(cubic.window.cwnd, 12);
    }

    #[test]
    fn a_timeout_forgets_the_path_and_undo_restores_the_window() {
        let mut cubic = cubic("cubic", 50.0);
        cubic.min_rtt = 40_000;
        cubic.on_timeout(&Timeout::new(at(300), 50, 50, false));
        assert_eq!((cubic.window.cwnd, cubic.window.threshold, cubic.min_rtt), (1, 35, 0));
        assert_eq!(inspect(&cubic, "w_max"), 0.0);
        cubic.on_timeout(&Timeout::new(at(700), 1, 1, true));
        assert_eq!((cubic.window.cwnd, cubic.window.threshold), (1, 35), "the same losses");
        cubic.on_undo(at(800));
        assert_eq!((cubic.window.cwnd, cubic.window.threshold), (50, NO_THRESHOLD));
    }

    #[test]
    fn hystart_ends_slow_start_by_delay() {
        let mut cubic = cubic("cubic", 32.0);
        send(&mut cubic, at(0), 0..64);
        let rtt = |ms| Some(Span::from_millis(ms));
        cubic.on_feedback(&Feedback { acked: &acked(0..1), rtt: rtt(40), srtt: Span::from_millis(40), ..Feedback::at(at(40)) });
        send(&mut cubic, at(41), 64..128);
        for i in 0..9 {
            assert_eq!(cubic.window.threshold, NO_THRESHOLD);
            let acked = acked(64 + i..65 + i);
            cubic.on_feedback(&Feedback { acked: &acked, rtt: rtt(46), srtt: Span::from_millis(41), ..Feedback::at(at(90 + 3 * i)) });
        }
        assert_eq!(cubic.window.threshold, 41, "32 + 9 before this acknowledgement counts");
        assert_eq!(cubic.window.cwnd, 41);
    }

    #[test]
    fn round_trips_of_an_epochs_first_second_are_not_used() {
        let mut cubic = cubic("cubic", 32.0);
        let measure = |cubic: &mut LinuxCubic, ms, rtt| {
            cubic.on_feedback(&Feedback { acked: &acked(ms..ms + 1), rtt: Some(Span::from_millis(rtt)), ..Feedback::at(at(ms)) });
            cubic.min_rtt
        };
        assert_eq!(measure(&mut cubic, 40, 40), 40_000);
        lose(&mut cubic, at(100), Congestion::Loss);
        assert_eq!(measure(&mut cubic, 150, 35), 35_000, "the epoch has not begun");
        assert_eq!(measure(&mut cubic, 1_147, 30), 35_000);
        assert_eq!(measure(&mut cubic, 1_148, 30), 30_000);
    }

    #[test]
    fn batching_is_four_batches_at_twice_the_windows_rate() {
        // 262,144 B · 1 ms / (2 · 1000 · 1448 B) = 90.5 µs; at a low rate 1 ms.
        assert_eq!(batching(1448, 1000, true, Span::from_millis(1)), 90);
        assert_eq!(batching(1448, 1000, false, Span::from_millis(1)), 150);
        assert_eq!(batching(1448, 10, true, Span::from_millis(50)), 1_000);
        assert_eq!(batching(1448, 10, true, Span::ZERO), 0);
    }
}
