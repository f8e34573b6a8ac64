//! The preset of Aurora (Jay, Rotman, Godfrey, Schapira and Tamar, "A Deep Reinforcement Learning
//! Perspective on Internet Congestion Control", ICML 2019).

use super::steering::Steering;
use crate::{Interval, Setting};
use narrows_units::Rate;

/// Observations of so many intervals are seen at once (`history_len` of the authors'
/// `network_sim.py`), and each has so many numbers.
const HISTORY: usize = 10;
const FEATURES: usize = 3;
/// The features of an interval before there was any.
const NOTHING: [f32; FEATURES] = [0.0, 1.0, 1.0];
/// An action of a multiplies the rate by 1 + 0.025 a, or divides it by 1 - 0.025 a if a is negative
/// (`apply_rate_delta` and `DELTA_SCALE` of the authors' code).
const DELTA: f64 = 0.025;
/// Weights of throughput in packets per second, of latency in seconds and of loss (the authors'
/// `run_for_dur`, which scales all by 0.001).
const REWARD: [f64; 3] = [10.0, 1000.0, 2000.0];
/// Rates in bit/s; ours.
const RATES: (f64, f64) = (1e5, 1e10);
/// A ratio of sent to delivered packets above this says nothing (the authors' `sender_obs.py`).
const LARGEST_RATIO: f64 = 1000.0;

/// A connection whose rate is changed once per smoothed round trip.
pub(super) struct Aurora {
    /// In bit/s; `None` before it is known.
    rate: Option<f64>,
    /// The least mean round trip of an interval so far, in seconds, and the latest.
    least: f64,
    latest: f64,
    /// The oldest first.
    history: [f32; Aurora::INPUTS],
    reward: f64,
}

impl Aurora {
    /// The shape of an observation, and how many numbers it has.
    pub(super) const SHAPE: [usize; 2] = [HISTORY, FEATURES];
    const INPUTS: usize = HISTORY * FEATURES;
    /// Actions have at most this size; ours: a quarter of the rate.
    pub(super) const LARGEST_ACTION: f32 = 10.0;

    pub(super) fn new(first: Option<Rate>) -> Aurora {
        let mut history = [0.0; Aurora::INPUTS];
        history.chunks_exact_mut(FEATURES).for_each(|interval| interval.copy_from_slice(&NOTHING));
        Aurora {
            rate: first.map(|rate| rate.as_bps() as f64),
            least: f64::INFINITY,
            latest: 0.0,
            history,
            reward: 0.0,
        }
    }

    /// Latency gradient, latency ratio and sending ratio (the authors' `sender_obs.py`, whose
    /// gradient is the difference between the means of two halves).
    fn features(&self, interval: &Interval) -> [f32; FEATURES] {
        let sent = interval.sent as f64;
        let delivered = interval.delivered as f64;
        let ratio = if self.least.is_finite() { self.latest / self.least } else { 1.0 };
        let sending = if delivered > 0.0 && sent < LARGEST_RATIO * delivered {
            sent / delivered
        } else {
            1.0
        };
        [interval.gradient as f32, ratio as f32, sending as f32]
    }

    fn reward_of(&self, interval: &Interval) -> f64 {
        let fates = interval.delivered + interval.lost;
        let loss = if fates > 0 { interval.lost as f64 / fates as f64 } else { 0.0 };
        let throughput = interval.delivered as f64 / interval.length.as_secs_f64();
        REWARD[0] * throughput - REWARD[1] * self.latest - REWARD[2] * loss
    }
}

impl Steering for Aurora {
    fn observe(&mut self, interval: &Interval) -> bool {
        self.latest = interval.rtt.map_or(self.latest, |(mean, _)| mean.as_secs_f64());
        if interval.rtt.is_some() {
            self.least = self.least.min(self.latest);
        }
        let features = self.features(interval);
        self.history.rotate_left(FEATURES);
        self.history[Aurora::INPUTS - FEATURES..].copy_from_slice(&features);
        self.reward = self.reward_of(interval);
        let carried =
            || 8.0 * interval.window * interval.packet.get() as f64 / interval.srtt.as_secs_f64();
        self.rate = Some(self.rate.unwrap_or_else(carried));
        true
    }

    fn observation(&self) -> &[f32] {
        &self.history
    }

    fn reward(&self) -> f64 {
        self.reward
    }

    fn act(&mut self, action: f32) -> Setting {
        let change =
            DELTA * f64::from(action.clamp(-Aurora::LARGEST_ACTION, Aurora::LARGEST_ACTION));
        let rate = self.rate.unwrap_or(RATES.0);
        let rate = if change >= 0.0 { rate * (1.0 + change) } else { rate / (1.0 - change) }
            .clamp(RATES.0, RATES.1);
        self.rate = Some(rate);
        Setting { window: None, pacing: self.rate() }
    }

    fn rate(&self) -> Option<Rate> {
        self.rate.map(|rate| Rate::from_bps(rate as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learned::testing::interval;

    #[test]
    fn observations_are_those_of_the_last_ten_intervals() {
        let mut aurora = Aurora::new(None);
        assert_eq!(aurora.observation(), [0.0, 1.0, 1.0].repeat(10));
        aurora.observe(&interval(Some(50)));
        aurora.observe(&interval(Some(75)));
        assert_eq!(aurora.observation()[..24], [0.0, 1.0, 1.0].repeat(8));
        assert_eq!(aurora.observation()[24..], [0.25, 1.0, 40.0 / 30.0, 0.25, 1.5, 40.0 / 30.0]);
        // 300 packets/s, 75 ms, a quarter lost.
        assert_eq!(aurora.reward(), 3000.0 - 75.0 - 500.0);
        // Without a round trip the last one holds; without deliveries there is no ratio.
        aurora.observe(&Interval { delivered: 0, ..interval(None) });
        assert_eq!(aurora.observation()[27..], [0.25, 1.5, 1.0]);
        assert_eq!(aurora.reward(), -75.0 - 2000.0);
        for _ in 0..10 {
            aurora.observe(&interval(Some(50)));
        }
        assert_eq!(aurora.observation(), [0.25, 1.0, 40.0 / 30.0].repeat(10));
    }

    #[test]
    fn actions_multiply_the_rate() {
        let mut aurora = Aurora::new(Some(Rate::from_mbps(8)));
        // To 10 bit/s: rates are rounded down.
        let mut rate_after =
            |action: f32| (aurora.act(action).pacing.expect("it paces").as_bps() + 5) / 10 * 10;
        assert_eq!(
            [rate_after(4.0), rate_after(-4.0), rate_after(0.0)],
            [8_800_000, 8_000_000, 8_000_000]
        );
        assert_eq!([rate_after(1e9), rate_after(-1e9)], [10_000_000, 8_000_000]);
        for _ in 0..200 {
            rate_after(-10.0);
        }
        assert_eq!(rate_after(-10.0), 100_000);
        // Without a first rate: ten packets of 1500 bytes in 100 ms.
        let mut aurora = Aurora::new(None);
        aurora.observe(&interval(Some(50)));
        assert_eq!(aurora.act(0.0).pacing, Some(Rate::from_bps(1_200_000)));
    }
}
