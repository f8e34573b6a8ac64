//! Measurements of the round trip: the least ever, which stands for propagation, and the present
//! one.

use crate::parts::windowed::WindowedMax;
use narrows_units::{Span, Time};
use std::cmp::Reverse;

/// Base, present and least round trip.
#[derive(Clone, Debug)]
pub struct Delay {
    base: WindowedMax<Reverse<Span>>,
    /// For how long a round trip counts for the base, in milliseconds.
    memory: u32,
    weight: Weight,
    smoothed: Option<f64>,
    /// Of the round in progress.
    least: Option<Span>,
    /// Of the round before.
    least_before: Option<Span>,
}

/// How much a new round trip counts in the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// 3/w, at most a quarter (FAST, INFOCOM 2004, section IV-B).
    Paper,
    /// 3/w above 768 packets, else 1/256 (ns-2.35 `tcp-fast.cc`).
    Ns2,
}

impl Weight {
    fn at(self, w: f64) -> f64 {
        match self {
            Weight::Paper => (3.0 / w).min(0.25),
            Weight::Ns2 if w > 768.0 => 3.0 / w,
            Weight::Ns2 => 1.0 / 256.0,
        }
    }
}

impl Delay {
    /// Nothing is known. `memory`: for how long a round trip counts for the base; for ever if
    /// `None`.
    pub fn new(weight: Weight, memory: Option<Span>) -> Delay {
        let memory = memory.map_or(u32::MAX, |memory| (memory.as_micros() / 1000) as u32);
        Delay {
            base: WindowedMax::new(0, Reverse(Span::MAX)),
            memory,
            weight,
            smoothed: None,
            least: None,
            least_before: None,
        }
    }

    /// A round trip was measured, at a window of `w` packets.
    pub fn sample(&mut self, now: Time, rtt: Span, w: f64) {
        self.base.update(self.memory, (now.as_nanos() / 1_000_000) as u32, Reverse(rtt));
        let sample = rtt.as_secs_f64();
        self.smoothed =
            Some(self.smoothed.map_or(sample, |mean| mean + self.weight.at(w) * (sample - mean)));
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
    }

    /// A round begins: its least round trip is not known yet.
    pub fn begin_round(&mut self) {
        self.least_before = self.least.take();
    }

    /// The path is taken up again after a silence: what is known of its queue no longer holds.
    pub fn forget_queue(&mut self) {
        self.smoothed = None;
        self.least = None;
        self.least_before = None;
    }

    /// The least round trip, in seconds; `None` before the first.
    pub fn base(&self) -> Option<f64> {
        let Reverse(base) = self.base.get();
        (base != Span::MAX).then(|| base.as_secs_f64())
    }

    /// Base and mean round trip, in seconds. The mean is never below the base, which a new sample
    /// may lower at once.
    pub fn mean(&self) -> Option<(f64, f64)> {
        let base = self.base()?;
        let mean = self.smoothed?;
        Some((base, mean.max(base)))
    }

    /// Base and least round trip of this round, in seconds.
    pub fn least(&self) -> Option<(f64, f64)> {
        Some((self.base()?, self.least?.as_secs_f64()))
    }

    /// Base and least round trip of this round and the one before, in seconds: a single round can
    /// consist of one acknowledgement that the receiver held back.
    pub fn least_of_two(&self) -> Option<(f64, f64)> {
        let least = self.least.into_iter().chain(self.least_before).min()?;
        Some((self.base()?, least.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    fn mean_after(weight: Weight, w: f64) -> f64 {
        let mut delay = Delay::new(weight, None);
        delay.sample(at(100), Span::from_millis(100), w);
        delay.sample(at(110), Span::from_millis(180), w);
        let (base, mean) = delay.mean().unwrap();
        assert_eq!(base, 0.1);
        (mean * 1e6).round() / 1e3
    }

    #[test]
    fn the_first_round_trip_sets_the_mean_and_later_ones_move_it_by_their_weight() {
        assert_eq!(
            [4.0, 30.0, 1_000.0].map(|w| mean_after(Weight::Paper, w)),
            [120.0, 108.0, 100.24]
        );
        assert_eq!(
            [4.0, 768.0, 1_000.0].map(|w| mean_after(Weight::Ns2, w)),
            [100.313, 100.313, 100.24]
        );
    }

    #[test]
    fn the_least_is_that_of_the_round_and_the_base_that_of_its_memory() {
        let mut delay = Delay::new(Weight::Paper, Some(Span::from_secs(10)));
        assert_eq!((delay.base(), delay.least()), (None, None));
        for (ms, rtt) in [(100, 100), (200, 130), (300, 120)] {
            delay.sample(at(ms), Span::from_millis(rtt), 10.0);
        }
        assert_eq!(delay.least(), Some((0.1, 0.1)));
        delay.begin_round();
        assert_eq!(delay.least(), None);
        delay.sample(at(400), Span::from_millis(140), 10.0);
        assert_eq!(delay.least(), Some((0.1, 0.14)));
        for (ms, rtt) in [(3_000, 120), (6_000, 140), (10_101, 150)] {
            delay.sample(at(ms), Span::from_millis(rtt), 10.0);
        }
        assert_eq!(delay.base(), Some(0.12), "the least of the last ten seconds");
        delay.forget_queue();
        assert_eq!((delay.base(), delay.mean(), delay.least()), (Some(0.12), None, None));
    }
}
