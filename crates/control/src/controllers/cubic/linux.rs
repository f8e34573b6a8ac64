//! CUBIC as Linux 6 computes it.
//!
//! Source: Linux `net/ipv4/tcp_cubic.c`, with the window of [`linux`](crate::parts::linux) and
//! `tcp_update_pacing_rate` (`tcp_input.c`).
//!
//! Deviations: those of [`linux`](crate::parts::linux) and [`curve`](super::curve).

use super::curve::{ALPHA, Curve, LEFT};
use super::params::{FAST_CONVERGENCE, FRIENDLINESS, HYSTART, HZ};
use crate::Setup;
use crate::parts::linux::{Callbacks, Linux, Socket};
use crate::parts::mutated::{Mutated, Mutation};
use crate::parts::start::hystart::{HyStart, batching};
use crate::parts::start::params::OwnStarts;
use crate::parts::start::{Start, Starter};
use crate::{CaState, Feedback};
use narrows_params::{ParamError, Params};
use narrows_units::Span;

/// The controller.
#[derive(Clone, Debug)]
pub struct LinuxCubic {
    curve: Curve,
    /// Least round trip in µs; 0 before the first.
    min_rtt: u32,
    mss: u64,
    pace: Pace,
    mutated: Mutated,
}

/// The kernel's pacing, as of the latest acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Pace {
    packets: u32,
    /// Below half of the threshold.
    doubling: bool,
    srtt: Span,
}

impl LinuxCubic {
    /// A connection at its start.
    ///
    /// # Errors
    ///
    /// Parameters of its start that nothing would use.
    pub fn connection(setup: &Setup, params: &Params) -> Result<Linux<LinuxCubic>, ParamError> {
        LinuxCubic::mutant(setup, params, Mutated::default())
    }

    /// One that may have a published fault.
    ///
    /// # Errors
    ///
    /// Parameters of its start that nothing would use.
    pub(crate) fn mutant(
        setup: &Setup,
        params: &Params,
        mutated: Mutated,
    ) -> Result<Linux<LinuxCubic>, ParamError> {
        let hystart = Start::HyStart(HyStart::mutant(mutated));
        let auto = if params.get(&HYSTART) { hystart.clone() } else { Start::Classic };
        let starts = OwnStarts { auto, hystart: Some(hystart), paced: false, mutated };
        Ok(LinuxCubic::starting(starts.choose(setup, params)?, setup, params, mutated))
    }

    /// A connection with Linux's own start.
    pub(crate) fn plain(setup: &Setup, params: &Params) -> Linux<LinuxCubic> {
        let starter = Starter::own(Start::HyStart(HyStart::default()));
        LinuxCubic::starting(starter, setup, params, Mutated::default())
    }

    fn starting(
        starter: Starter,
        setup: &Setup,
        params: &Params,
        mutated: Mutated,
    ) -> Linux<LinuxCubic> {
        let socket = Socket::new(setup, params.get(&HZ) as u64).starting(starter);
        let cubic = LinuxCubic {
            curve: Curve::new(params.get(&FAST_CONVERGENCE), params.get(&FRIENDLINESS)),
            min_rtt: 0,
            mss: setup.mss.get(),
            pace: Pace { packets: socket.cwnd, doubling: true, srtt: Span::ZERO },
            mutated,
        };
        Linux::new(cubic, socket, setup, params)
    }

    #[inline(always)]
    fn measure(&mut self, rtt: Span, socket: &mut Socket) {
        let now = socket.tick();
        if self.curve.is_settling(now, socket.ticks.hz()) {
            return;
        }
        let rtt = u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX).max(1);
        if self.min_rtt == 0 || rtt < self.min_rtt {
            self.min_rtt = rtt;
        }
        if socket.in_slow_start() {
            let longest = || self.min_rtt.saturating_add(self.pace.batching(self.mss)) / 2;
            socket.look_for_the_end(rtt, self.min_rtt, longest);
        }
    }
}

impl Pace {
    fn batching(self, mss: u64) -> u32 {
        batching(mss, self.packets, self.doubling, self.srtt)
    }
}

impl Callbacks for LinuxCubic {
    fn ssthresh(&mut self, socket: &Socket) -> u32 {
        self.curve.reduce(socket.cwnd)
    }

    fn left(&self) -> f64 {
        LEFT
    }

    /// max(flight + α, min(1.5 flight, W_cubic(t + RTT))).
    fn avoidance(&self, socket: &Socket, flight: f64) -> f64 {
        let curve =
            self.curve.target_at(socket.ticks.clone().at(socket.now), self.min_rtt, &socket.ticks);
        (1.5 * flight).min(curve).max(flight + ALPHA)
    }

    #[inline(always)]
    fn cong_avoid(&mut self, socket: &mut Socket, acked: u32) {
        if !socket.is_limited() {
            return;
        }
        let rest = match socket.in_slow_start() {
            true if self.mutated.has(Mutation::Overshoot) => {
                socket.cwnd += acked;
                0
            }
            true => socket.slow_start(acked),
            false => acked,
        };
        if rest > 0 {
            let now = socket.tick();
            let count = self.curve.count(socket.cwnd, rest, now, self.min_rtt, &socket.ticks);
            socket.step(count, rest);
        }
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        if state == CaState::Loss {
            self.curve.reset();
            self.min_rtt = 0;
            socket.start_again();
        }
    }

    #[inline(always)]
    fn pkts_acked(&mut self, socket: &mut Socket, feedback: &Feedback<'_>, _moved: u32) {
        if let Some(rtt) = feedback.rtt {
            self.measure(rtt, socket);
        }
    }

    fn tx_start(&mut self, socket: &mut Socket, idle: u64) {
        // The curve does not count that time.
        let now = socket.tick();
        self.curve.shift(idle, now);
    }

    #[inline(always)]
    fn paced(&mut self, socket: &Socket, srtt: Span) {
        let Socket { cwnd, threshold, packets_out, .. } = *socket;
        self.pace = Pace { packets: cwnd.max(packets_out), doubling: cwnd < threshold / 2, srtt };
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("min_rtt_s", if self.min_rtt == 0 { f64::NAN } else { self.min_rtt as f64 / 1e6 });
        self.curve.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acked, acknowledge, acknowledging, at, inspect, lose, setup};
    use crate::{Choice, Congestion, Controller, Outstanding, Timeout, Totals};

    fn cubic(text: &str, window: f64) -> Linux<LinuxCubic> {
        LinuxCubic::connection(&setup(window), &text.parse::<Choice>().unwrap().params()).unwrap()
    }

    #[test]
    fn slow_start_counts_segments_and_stops_at_the_threshold() {
        let mut cubic = cubic("cubic?hystart=false", 10.0);
        acknowledge(&mut cubic, at(50), &acked(0..10));
        assert_eq!(cubic.socket.cwnd, 20);
        cubic.socket.threshold = 25;
        acknowledge(&mut cubic, at(100), &acked(10..30));
        assert_eq!(cubic.socket.cwnd, 25, "15 left over for the curve, less than its count of 20");
        assert_eq!(cubic.socket.credit, 15);
    }

    #[test]
    fn one_sawtooth_equals_the_kernels() {
        // The window after each second of one segment acknowledged per millisecond, from a run of
        // the kernel's formulas.
        let mut cubic = cubic("cubic?hystart=false", 100.0);
        cubic.controller.min_rtt = 50_000;
        lose(&mut cubic, at(990), Congestion::Loss);
        assert_eq!((cubic.socket.cwnd, cubic.socket.threshold), (70, 70));
        let mut windows = Vec::new();
        for ms in 1_000..=9_000 {
            let number = ms - 1_000;
            acknowledge(&mut cubic, at(ms), &acked(number..number + 1));
            if ms % 1_000 == 0 {
                windows.push(cubic.socket.cwnd);
            }
        }
        assert_eq!(windows, [70, 87, 96, 100, 100, 100, 103, 109, 121]);
        lose(&mut cubic, at(9_010), Congestion::Loss);
        assert_eq!(cubic.socket.cwnd, 84);
        assert_eq!(inspect(&cubic, "w_max"), 121.0);
        acknowledge(&mut cubic, at(9_500), &acked(8_001..8_002));
        lose(&mut cubic, at(9_510), Congestion::Loss);
        assert_eq!((cubic.socket.cwnd, inspect(&cubic, "w_max")), (58, 71.0));
    }

    #[test]
    fn without_a_loss_the_window_grows_by_a_twentieth_per_round_trip() {
        let mut cubic = cubic("cubic?hystart=false", 40.0);
        cubic.socket.threshold = 40;
        cubic.controller.min_rtt = 100_000;
        let mut windows = Vec::new();
        for ms in (0..=3_000).step_by(2) {
            acknowledge(&mut cubic, at(ms), &acked(ms / 2..ms / 2 + 1));
            if ms % 500 == 0 {
                windows.push(cubic.socket.cwnd);
            }
        }
        assert_eq!(windows, [40, 52, 65, 77, 90, 102, 115]);
    }

    #[test]
    fn the_window_waits_in_recovery_and_where_it_was_not_full() {
        let mut cubic = cubic("cubic", 10.0);
        let acked = acked(0..5);
        let acknowledged = Feedback { window: 10, ..acknowledging(at(50), &acked) };
        for ca_state in [CaState::Recovery, CaState::Cwr] {
            cubic.on_feedback(&Feedback { ca_state, ..acknowledged });
        }
        cubic.on_feedback(&Feedback { una: 6, cwnd_limited: false, ..acknowledged });
        assert_eq!(cubic.socket.cwnd, 10);
        let totals = Totals { delivered: 8, ..acknowledged.totals };
        cubic.on_feedback(&Feedback { ca_state: CaState::Loss, una: 8, totals, ..acknowledged });
        assert_eq!(cubic.socket.cwnd, 13);
    }

    #[test]
    fn segments_acknowledged_selectively_count_when_the_cumulative_acknowledgement_moves() {
        let mut cubic = cubic("cubic?hystart=false", 10.0);
        let late = Feedback {
            ca_state: CaState::Disorder,
            cwnd_limited: true,
            next: 10,
            ..Feedback::at(at(50))
        };
        let delivered = |delivered| Totals { delivered, ..Totals::default() };
        let outstanding = Outstanding { packets: 10, sacked: 2, ..Outstanding::default() };
        cubic.on_feedback(&Feedback { totals: delivered(2), outstanding, ..late });
        assert_eq!(cubic.socket.cwnd, 10);
        cubic.on_feedback(&Feedback { totals: delivered(3), una: 3, ..late });
        assert_eq!(
            cubic.socket.cwnd, 11,
            "one more was delivered by the acknowledgement that moved"
        );
    }

    #[test]
    fn a_timeout_forgets_the_path_and_undo_restores_the_window() {
        let mut cubic = cubic("cubic", 50.0);
        cubic.controller.min_rtt = 40_000;
        cubic.on_timeout(&Timeout::new(at(300), 50, 50, false));
        assert_eq!(
            (cubic.socket.cwnd, cubic.socket.threshold, cubic.controller.min_rtt),
            (1, 35, 0)
        );
        assert_eq!(inspect(&cubic, "w_max"), 0.0);
        cubic.on_timeout(&Timeout::new(at(700), 1, 1, true));
        assert_eq!((cubic.socket.cwnd, cubic.socket.threshold), (1, 35), "the same losses");
        cubic.on_undo(at(800));
        let outstanding = Outstanding { packets: 50, ..Outstanding::default() };
        cubic.on_feedback(&Feedback { undone: true, outstanding, ..Feedback::at(at(800)) });
        assert_eq!((cubic.socket.cwnd, inspect(&cubic, "ssthresh")), (50, f64::INFINITY));
    }

    #[test]
    fn a_reduction_within_another_begins_where_that_one_leads() {
        let mut cubic = cubic("cubic?fast_convergence=false", 100.0);
        let outstanding = Outstanding { packets: 1, ..Outstanding::default() };
        let lost = Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            outstanding,
            ..Feedback::at(at(100))
        };
        cubic.on_feedback(&Feedback { window: 100, ..lost });
        assert_eq!(cubic.socket.threshold, 70);
        // Something that left since is lost too, and the transport has spread little of the
        // reduction.
        cubic.on_feedback(&Feedback { window: 95, ..lost });
        assert_eq!((cubic.socket.threshold, inspect(&cubic, "w_max")), (49, 70.0));
    }

    #[test]
    fn hystart_ends_slow_start_by_delay() {
        let mut cubic = cubic("cubic", 32.0);
        let rtt = |ms| Some(Span::from_millis(ms));
        cubic.on_feedback(&Feedback {
            rtt: rtt(40),
            srtt: Span::from_millis(40),
            next: 64,
            ..acknowledging(at(40), &acked(0..1))
        });
        assert_eq!(cubic.socket.cwnd, 33);
        for i in 0..9 {
            assert_eq!(inspect(&cubic, "ssthresh"), f64::INFINITY);
            let acked = acked(64 + i..65 + i);
            let totals = Totals { delivered: 2 + i, ..Totals::default() };
            let late = Feedback {
                rtt: rtt(46),
                srtt: Span::from_millis(41),
                next: 128,
                totals,
                ..acknowledging(at(90 + 3 * i), &acked)
            };
            cubic.on_feedback(&late);
        }
        assert_eq!(cubic.socket.threshold, 41, "33 + 8 before this acknowledgement counts");
        assert_eq!(cubic.socket.cwnd, 41);
    }

    #[test]
    fn round_trips_of_an_epochs_first_second_are_not_used() {
        let mut cubic = cubic("cubic", 32.0);
        let measure = |cubic: &mut Linux<LinuxCubic>, ms, rtt| {
            cubic.on_feedback(&Feedback {
                rtt: Some(Span::from_millis(rtt)),
                ..acknowledging(at(ms), &acked(ms..ms + 1))
            });
            cubic.controller.min_rtt
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
        let batching = |packets, doubling, srtt| Pace { packets, doubling, srtt }.batching(1448);
        assert_eq!(batching(1000, true, Span::from_millis(1)), 90);
        assert_eq!(batching(1000, false, Span::from_millis(1)), 150);
        assert_eq!(batching(10, true, Span::from_millis(50)), 1_000);
        assert_eq!(batching(10, true, Span::ZERO), 1);
    }
}
