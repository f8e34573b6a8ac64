//! CUBIC as Linux 6 computes it.
//!
//! Source: Linux `net/ipv4/tcp_cubic.c`, with `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_undo_cwnd` (`tcp_cong.c`), `tcp_init_cwnd_reduction`,
//! `tcp_enter_loss`, `tcp_undo_cwnd_reduction`, `tcp_update_pacing_rate` (`tcp_input.c`) and `tcp_cwnd_restart` (`tcp_output.c`). Windows are whole segments.
//!
//! Deviations:
//! * the segments that count for growth are those sent while the window was the limit; the kernel judges the connection at the time of the acknowledgement;
//! * in Disorder the window may grow on selective acknowledgements; the kernel waits for the cumulative acknowledgement to move;
//! * a window that the application leaves unused decays after idleness only, not while a little is still being sent (`tcp_cwnd_application_limited`);
//! * the cushion for batching in HyStart uses the smoothed round trip and window of this acknowledgement (the kernel: of the one before) and takes the largest
//!   batch of segments as 64 KiB;
//! * those of [`hystart`](super::hystart) and [`curve`](super::curve).

use super::curve::{Curve, Ticks};
use super::hystart::{HyStart, Sample};
use crate::registry::{Params, Setup};
use crate::{Controller, Decision, Ecn, Feedback, Reduction, Sent, Tag, Timeout};
use narrows_units::{Bytes, Segments, Span, Time};

/// The controller.
#[derive(Clone, Debug)]
pub struct LinuxCubic {
    window: u32,
    threshold: u32,
    /// Segments acknowledged towards the next segment of growth.
    credit: u32,
    /// Window and threshold before the latest reduction, for undo.
    prior: (u32, u32),
    curve: Curve,
    hystart: Option<HyStart>,
    ticks: Ticks,
    /// Least round trip in µs; 0 before the first.
    min_rtt: u32,
    last_sent: Option<Time>,
    initial_window: u32,
    mss: Bytes,
    ecn: Ecn,
}

/// No slow start threshold yet.
const NO_THRESHOLD: u32 = u32::MAX;

impl LinuxCubic {
    /// A controller at the start of a connection.
    pub fn new(setup: &Setup, params: &Params) -> LinuxCubic {
        let window = setup.initial_window.whole().max(1);
        LinuxCubic {
            window,
            threshold: NO_THRESHOLD,
            credit: 0,
            prior: (window, NO_THRESHOLD),
            curve: Curve::new(params.flag("fast_convergence"), params.flag("friendliness")),
            hystart: params.flag("hystart").then(HyStart::default),
            ticks: Ticks::new(params.number("hz") as u64),
            min_rtt: 0,
            last_sent: None,
            initial_window: window,
            mss: setup.mss,
            ecn: if params.flag("ecn") { Ecn::Ect0 } else { Ecn::NotEct },
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
        if self.window >= self.threshold {
            return;
        }
        let (window, threshold, mss) = (self.window, self.threshold, self.mss.get());
        let sample = Sample { now: micros(feedback.now), highest, rtt, min_rtt: self.min_rtt, window };
        let cushion = || batching(mss, window.max(feedback.in_flight_before), window < threshold / 2, feedback.srtt);
        if hystart.ends(sample, cushion) {
            self.threshold = self.window;
        }
    }

    fn grow(&mut self, mut acked: u32, now: Time) {
        if self.window < self.threshold {
            let step = acked.min(self.threshold - self.window);
            self.window += step;
            acked -= step;
        }
        if acked > 0 {
            let now = self.ticks.at(now);
            let count = self.curve.count(self.window, acked, now, self.min_rtt, &self.ticks);
            self.step(count, acked);
        }
    }

    /// One segment per `count` acknowledged. Credit gathered at a higher count gives at most one segment.
    fn step(&mut self, count: u32, acked: u32) {
        let mut window = self.window;
        if self.credit >= count {
            self.credit = 0;
            window += 1;
        }
        self.credit += acked;
        if self.credit >= count {
            let steps = self.credit / count;
            self.credit -= steps * count;
            window += steps;
        }
        self.window = window;
    }

    fn reduce(&mut self) {
        self.prior = (self.window, self.threshold);
        self.threshold = self.curve.reduce(self.window);
        self.credit = 0;
    }

    /// Sending begins again after `idle`. The curve does not count that time, and the window halves for each retransmission timeout in it.
    fn resume(&mut self, idle: Span, sent: &Sent) {
        self.curve.shift(self.ticks.between(sent.now - idle, sent.now), self.ticks.at(sent.now));
        if sent.retransmission || idle <= sent.rto {
            return;
        }
        self.threshold = self.threshold.max(self.window / 2 + self.window / 4);
        let floor = self.initial_window.min(self.window);
        let mut rest = idle - sent.rto;
        while !rest.is_zero() && self.window > floor {
            self.window /= 2;
            rest -= sent.rto;
        }
        self.window = self.window.max(floor);
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
        if sent.in_flight == 0
            && let Some(last) = self.last_sent
        {
            self.resume(sent.now.since(last), sent);
        }
        self.last_sent = Some(sent.now);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        use crate::Recovery::*;
        let (mut highest, mut grown) = (0, 0);
        for acked in feedback.acked {
            highest = highest.max(acked.number);
            grown += acked.window_limited as u32;
        }
        if let Some(rtt) = feedback.rtt {
            self.measure(rtt, highest, feedback);
        }
        if feedback.congestion.is_some() {
            self.reduce();
            self.window = self.threshold;
        } else if grown > 0 && matches!(feedback.recovery, Open | Disorder | Loss) {
            self.grow(grown, feedback.now);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.reduce();
        }
        self.window = 1;
        self.credit = 0;
        self.curve.reset();
        self.min_rtt = 0;
        if let Some(hystart) = &mut self.hystart {
            hystart.restart(micros(timeout.now));
        }
    }

    fn on_undo(&mut self, _now: Time) {
        self.window = self.window.max(self.prior.0);
        self.threshold = self.threshold.max(self.prior.1);
    }

    fn decision(&self) -> Decision {
        Decision {
            window: Segments::new(self.window as f64),
            pacing: None,
            quantum: self.mss,
            ecn: self.ecn,
            reduction: Reduction::Transport,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window as f64);
        visit("ssthresh", if self.threshold == NO_THRESHOLD { f64::INFINITY } else { self.threshold as f64 });
        visit("min_rtt_s", if self.min_rtt == 0 { f64::NAN } else { self.min_rtt as f64 / 1e6 });
        self.curve.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Choice;
    use crate::testing::{acked, acked_one, acknowledge, at, inspect, send, setup};
    use crate::{Congestion, Recovery};

    fn cubic(text: &str, window: f64) -> LinuxCubic {
        LinuxCubic::new(&setup(window), &text.parse::<Choice>().unwrap().params())
    }

    fn lose(cubic: &mut LinuxCubic, now: Time, why: Congestion) {
        cubic.on_feedback(&Feedback { congestion: Some(why), recovery: Recovery::Recovery, ..Feedback::at(now) });
    }

    #[test]
    fn slow_start_counts_segments_and_stops_at_the_threshold() {
        let mut cubic = cubic("cubic?hystart=false", 10.0);
        acknowledge(&mut cubic, at(50), &acked(0..10));
        assert_eq!(cubic.window, 20);
        cubic.threshold = 25;
        acknowledge(&mut cubic, at(100), &acked(10..30));
        assert_eq!(cubic.window, 25, "15 left over for the curve, less than its count of 20");
        assert_eq!(cubic.credit, 15);
    }

    #[test]
    fn one_sawtooth_equals_the_kernels() {
        // The window after each second of one segment acknowledged per millisecond, from a run of the kernel's formulas.
        let mut cubic = cubic("cubic?hystart=false", 100.0);
        cubic.min_rtt = 50_000;
        lose(&mut cubic, at(990), Congestion::Loss);
        assert_eq!((cubic.window, cubic.threshold), (70, 70));
        let mut windows = Vec::new();
        for ms in 1_000..=9_000 {
            acknowledge(&mut cubic, at(ms), &acked(ms..ms + 1));
            if ms % 1_000 == 0 {
                windows.push(cubic.window);
            }
        }
        assert_eq!(windows, [70, 87, 96, 100, 100, 100, 103, 109, 121]);
        lose(&mut cubic, at(9_010), Congestion::Loss);
        assert_eq!(cubic.window, 84);
        assert_eq!(inspect(&cubic, "w_max"), 121.0);
        acknowledge(&mut cubic, at(9_500), &acked(9_500..9_501));
        lose(&mut cubic, at(9_510), Congestion::Loss);
        assert_eq!((cubic.window, inspect(&cubic, "w_max")), (58, 71.0));
    }

    #[test]
    fn without_a_loss_the_window_grows_by_a_twentieth_per_round_trip() {
        let mut cubic = cubic("cubic?hystart=false", 40.0);
        cubic.threshold = 40;
        cubic.min_rtt = 100_000;
        let mut windows = Vec::new();
        for ms in (0..=3_000).step_by(2) {
            acknowledge(&mut cubic, at(ms), &acked(ms..ms + 1));
            if ms % 500 == 0 {
                windows.push(cubic.window);
            }
        }
        assert_eq!(windows, [40, 52, 65, 77, 90, 102, 115]);
    }

    #[test]
    fn the_window_waits_in_recovery_and_ignores_what_it_did_not_limit() {
        let mut cubic = cubic("cubic", 10.0);
        for recovery in [Recovery::Recovery, Recovery::Cwr] {
            cubic.on_feedback(&Feedback { acked: &acked(0..5), recovery, ..Feedback::at(at(50)) });
        }
        acknowledge(&mut cubic, at(60), &[acked_one(5, false)]);
        assert_eq!(cubic.window, 10);
        cubic.on_feedback(&Feedback { acked: &acked(6..8), recovery: Recovery::Loss, ..Feedback::at(at(70)) });
        assert_eq!(cubic.window, 12);
    }

    #[test]
    fn a_timeout_forgets_the_path_and_undo_restores_the_window() {
        let mut cubic = cubic("cubic", 50.0);
        cubic.min_rtt = 40_000;
        cubic.on_timeout(&Timeout::new(at(300), 50, 50, false));
        assert_eq!((cubic.window, cubic.threshold, cubic.min_rtt), (1, 35, 0));
        assert_eq!(inspect(&cubic, "w_max"), 0.0);
        cubic.on_timeout(&Timeout::new(at(700), 1, 1, true));
        assert_eq!((cubic.window, cubic.threshold), (1, 35), "the same losses");
        cubic.on_undo(at(800));
        assert_eq!((cubic.window, cubic.threshold), (50, NO_THRESHOLD));
    }

    #[test]
    fn hystart_ends_slow_start_by_delay() {
        let mut cubic = cubic("cubic", 32.0);
        send(&mut cubic, at(0), 0..64);
        let rtt = |ms| Some(Span::from_millis(ms));
        cubic.on_feedback(&Feedback { acked: &acked(0..1), rtt: rtt(40), srtt: Span::from_millis(40), ..Feedback::at(at(40)) });
        send(&mut cubic, at(41), 64..128);
        for i in 0..9 {
            assert_eq!(cubic.threshold, NO_THRESHOLD);
            let acked = acked(64 + i..65 + i);
            cubic.on_feedback(&Feedback { acked: &acked, rtt: rtt(46), srtt: Span::from_millis(41), ..Feedback::at(at(90 + 3 * i)) });
        }
        assert_eq!(cubic.threshold, 41, "32 + 9 before this acknowledgement counts");
        assert_eq!(cubic.window, 41);
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

    #[test]
    fn idleness_halves_the_window_per_timeout_and_keeps_the_initial_one() {
        let resume = |idle_ms: u64| {
            let mut cubic = cubic("cubic", 10.0);
            cubic.window = 100;
            cubic.threshold = 60;
            cubic.on_sent(&Sent::new(at(1_000), 0, Bytes::new(1448), 5));
            cubic.on_sent(&Sent { rto: Span::from_millis(200), ..Sent::new(at(1_000 + idle_ms), 1, Bytes::new(1448), 0) });
            (cubic.window, cubic.threshold)
        };
        assert_eq!(resume(200), (100, 60));
        assert_eq!(resume(201), (50, 75));
        assert_eq!(resume(400), (50, 75));
        assert_eq!(resume(401), (25, 75));
        assert_eq!(resume(10_000), (10, 75));
    }
}
