//! The preset of Orca (Abbasloo, Yen and Chao, "Classic Meets Modern: A Pragmatic Learning-Based
//! Congestion Control for the Internet", SIGCOMM 2020): CUBIC decides at each acknowledgement, and
//! an agent multiplies its window every 20 ms.
//!
//! The numbers are those of the authors' code, the repository `Soheil-ab/Orca` at commit 77bedfb:
//! `envwrapper.py` without its normalizer (`use_normalizer` is false in its parameters),
//! `orca-server-mahimahi.cc`, and `tcp_deepcc.c` of its kernel. Deviations:
//! * An interval without a round trip is followed by another of 20 ms; there the next look is 2 ms
//!   later.
//! * In slow start CUBIC is alone. There its window is also multiplied by 1.1 at each look.
//! * CUBIC is that of Linux 6; there it is that of Linux 4.13.

use super::steering::Steering;
use crate::controllers::cubic::linux::LinuxCubic;
use crate::parts::linux::Linux;
use crate::{
    Choice, Controller, Feedback, Interval, Open, Reduction, Sent, Setting, Setup, Timeout,
};
use narrows_params::Params;
use narrows_units::{Bytes, Rate, Span, Time};

/// Observations of so many intervals are seen at once (`rec_dim`), and each has so many numbers
/// (`state_dim`).
const HISTORY: usize = 10;
const FEATURES: usize = 7;
/// The weight of losses against throughput (`envwrapper.py`).
const LOSS: f64 = 5.0;
/// A round trip of at most this many least ones costs nothing (`delay_margin_coef`).
const MARGIN: f64 = 1.25;
/// The largest ratio of pacing rate to throughput that is shown (`envwrapper.py`).
const LARGEST_RATIO: f64 = 10.0;
/// An action of a multiplies the window by 4^a, in whole hundredths (`map_action`).
const BASE: f64 = 4.0;
/// Segments that the agent leaves at least (`MIN_CWND`).
const LEAST_WINDOW: u32 = 4;

/// A connection of CUBIC whose window is multiplied every 20 ms.
pub(super) struct Orca {
    cubic: Linux<LinuxCubic>,
    mss: f64,
    packet: Bytes,
    packets_out: u32,
    srtt: Span,
    least_rtt: Span,
    pacing: Option<Rate>,
    /// The interval's sum and number of delivery rates in segments per second, and the number
    /// of round trips.
    rates: (f64, u32),
    round_trips: u32,
    /// Slow start was over at the end of some interval.
    grown: bool,
    /// The highest throughput of an interval, in bytes/s.
    most: f64,
    history: [f32; Orca::INPUTS],
    reward: f64,
}

impl Orca {
    /// How long an interval lasts (`report_period`).
    pub(super) const INTERVAL: Span = Span::from_millis(20);
    /// The shape of an observation, and how many numbers it has.
    pub(super) const SHAPE: [usize; 2] = [HISTORY, FEATURES];
    const INPUTS: usize = HISTORY * FEATURES;

    pub(super) fn new(setup: &Setup) -> Orca {
        Orca {
            cubic: LinuxCubic::plain(setup, &cubic()),
            mss: setup.mss.get() as f64,
            packet: setup.mss + setup.headers,
            packets_out: 0,
            srtt: Span::ZERO,
            least_rtt: Span::MAX,
            pacing: None,
            rates: (0.0, 0),
            round_trips: 0,
            grown: false,
            most: 0.0,
            history: [0.0; Orca::INPUTS],
            reward: 0.0,
        }
    }

    /// CUBIC's window, with the pacing of the authors' kernel: window or packets out, whichever is
    /// more, in a smoothed round trip (`deepcc_update_pacing_rate`).
    fn setting(&mut self) -> Setting {
        let packets = self.cubic.socket.cwnd.max(self.packets_out);
        self.pacing = (!self.srtt.is_zero())
            .then(|| Rate::of(Bytes::new(u64::from(packets) * self.packet.get()), self.srtt));
        Setting { window: Some(self.cubic.decision().window.get()), pacing: self.pacing }
    }

    /// The interval's numbers (`get_state`).
    fn features(&mut self, interval: &Interval) -> ([f64; FEATURES], f64) {
        let length = interval.length.as_secs_f64();
        let (sum, count) = self.rates;
        let throughput = if count > 0 { sum / f64::from(count) * self.mss } else { 0.0 };
        let lost = LOSS * interval.lost as f64 * self.mss / length;
        self.most = self.most.max(throughput);
        let share = |value: f64| if self.most > 0.0 { value / self.most } else { 0.0 };
        let least = self.least_rtt.as_secs_f64();
        let smoothed = self.srtt.as_secs_f64();
        let delay = if MARGIN * least < smoothed { MARGIN * least / smoothed } else { 1.0 };
        let pacing = self.pacing.map_or(0.0, Rate::bytes_per_sec);
        let samples = f64::from(self.round_trips) / f64::from(self.cubic.socket.cwnd.max(1));
        let features = [
            share(throughput),
            share(pacing).min(LARGEST_RATIO),
            share(lost),
            samples,
            length,
            least / smoothed,
            delay,
        ];
        (features, share(throughput - lost) * delay)
    }
}

/// CUBIC as it is by default.
fn cubic() -> Params {
    "cubic".parse::<Choice>().expect("a controller of this crate").params()
}

impl Steering for Orca {
    fn on_open(&mut self, open: &Open) {
        self.cubic.on_open(open);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.cubic.on_sent(sent);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>, _: &Interval) -> Option<Setting> {
        self.cubic.on_feedback(feedback);
        (self.packets_out, self.srtt) = (feedback.outstanding.packets, feedback.srtt);
        if let Some(rtt) = feedback.rtt {
            self.least_rtt = self.least_rtt.min(rtt);
            self.round_trips += 1;
        }
        if let Some((rate, interval)) = feedback
            .rate
            .and_then(|rate| Some((rate, rate.interval.filter(|length| !length.is_zero())?)))
        {
            self.rates.0 += f64::from(rate.delivered) / interval.as_secs_f64();
            self.rates.1 += 1;
        }
        Some(self.setting())
    }

    fn on_timeout(&mut self, timeout: &Timeout, _: &Interval) -> Option<Setting> {
        self.cubic.on_timeout(timeout);
        Some(self.setting())
    }

    fn on_undo(&mut self, now: Time) -> Option<Setting> {
        self.cubic.on_undo(now);
        Some(self.setting())
    }

    fn observe(&mut self, interval: &Interval) -> bool {
        self.grown |= self.cubic.socket.threshold < self.cubic.socket.cwnd;
        let shows = self.grown && self.round_trips > 0;
        if shows {
            let (features, reward) = self.features(interval);
            self.history.rotate_left(FEATURES);
            self.history[Orca::INPUTS - FEATURES..]
                .iter_mut()
                .zip(features)
                .for_each(|(shown, value)| *shown = value as f32);
            self.reward = reward;
        }
        (self.rates, self.round_trips) = ((0.0, 0), 0);
        shows
    }

    fn observation(&self) -> &[f32] {
        &self.history
    }

    fn reward(&self) -> f64 {
        self.reward
    }

    fn act(&mut self, action: f32) -> Setting {
        let hundredths = (100.0 * libm::pow(BASE, f64::from(action.clamp(-1.0, 1.0)))) as u64;
        let socket = &mut self.cubic.socket;
        socket.cwnd = u32::try_from(hundredths * u64::from(socket.cwnd) / 100)
            .unwrap_or(u32::MAX)
            .max(LEAST_WINDOW);
        self.setting()
    }

    fn rate(&self) -> Option<Rate> {
        self.pacing
    }

    fn reduction(&self) -> Reduction {
        Reduction::Transport
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RateSample;
    use crate::learned::testing::interval;
    use crate::testing::{acked, acknowledging, at};

    /// One acknowledgement of a segment, with round trip and smoothed round trip in ms, and 20
    /// segments delivered in 100 ms.
    fn acknowledge(orca: &mut Orca, now: u64, number: u64, rtt: u64, srtt: u64) -> Setting {
        let all = acked(number..number + 1);
        let rate = Some(RateSample::over(20, Span::from_millis(100), 0));
        let rtt = Some(Span::from_millis(rtt));
        let srtt = Span::from_millis(srtt);
        let feedback = Feedback { rtt, srtt, rate, ..acknowledging(at(now), &all) };
        orca.on_feedback(&feedback, &interval(None)).expect("a setting")
    }

    fn twenty_ms(lost: u64) -> Interval {
        Interval { length: Span::from_millis(20), lost, ..interval(None) }
    }

    #[test]
    fn the_agent_is_asked_after_slow_start_about_seven_numbers() {
        let mut orca = Orca::new(&Setup::default());
        acknowledge(&mut orca, 50, 0, 50, 50);
        assert!(!orca.observe(&twenty_ms(0)), "slow start");
        orca.cubic.socket.threshold = 8;
        assert!(!orca.observe(&twenty_ms(0)), "no round trip");
        let setting = acknowledge(&mut orca, 60, 1, 100, 100);
        let window = orca.cubic.socket.cwnd;
        assert_eq!((window, setting.window), (11, Some(11.0)));
        // At least 11 packets of 1500 bytes in 100 ms.
        let pacing = setting.pacing.expect("it paces").bytes_per_sec();
        assert!(pacing >= 165_000.0, "{pacing}");
        assert!(orca.observe(&twenty_ms(1)));
        // 200 segments/s of 1448 bytes are the most so far; one of them lost in 20 ms counts five
        // times. The least round trip is half of the smoothed one.
        let shown = &orca.observation()[63..];
        let lost = 5.0 * 50.0 / 200.0;
        let wanted = [1.0, pacing / (200.0 * 1448.0), lost, 1.0 / 11.0, 0.02, 0.5, 0.625];
        shown.iter().zip(wanted).for_each(|(shown, wanted)| {
            assert!((f64::from(*shown) - wanted).abs() < 1e-6, "{shown} is not {wanted}")
        });
        assert!(orca.observation()[..63].iter().all(|number| *number == 0.0));
        assert!((orca.reward() - (1.0 - lost) * 0.625).abs() < 1e-9, "{}", orca.reward());
    }

    #[test]
    fn actions_multiply_the_window_by_powers_of_four() {
        let mut orca = Orca::new(&Setup::default());
        orca.cubic.socket.cwnd = 100;
        let mut window_after = |action: f32| orca.act(action).window.expect("a window");
        assert_eq!(
            [0.0, 0.5, -0.5, 1.0, -1.0, 7.0].map(&mut window_after),
            [100.0, 200.0, 100.0, 400.0, 100.0, 400.0]
        );
        // 4^0.1 is 1.148, of which the hundredths count.
        assert_eq!(window_after(0.1), 456.0);
        for _ in 0..5 {
            window_after(-1.0);
        }
        assert_eq!(window_after(-1.0), 4.0);
    }
}
