//! Signals of congestion: averages of losses and marks, and what a signal takes off the rate.

use super::profile::{MOST_CUT, Profile};
use crate::EcnDelta;

/// A report of congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// A round trip this many thresholds beyond the longest and its threshold.
    Delay(f64),
    /// The average share of marks is this part of its threshold beyond it.
    Marks(f64),
    /// The average loss rate is above its threshold.
    Losses,
}

impl Signal {
    /// The part that it takes off the nominal rate, at a sensitivity ("Rate Reduction on
    /// Congestion", `c4_notify_congestion`).
    pub fn cut(self, profile: Profile, sensitivity: f64) -> f64 {
        match self {
            Signal::Delay(over) | Signal::Marks(over) => over.min(MOST_CUT),
            Signal::Losses if profile == Profile::Draft => MOST_CUT,
            // The mean of a quarter and of a quarter of the sensitivity.
            Signal::Losses => MOST_CUT * (1.0 + sensitivity) / 2.0,
        }
    }
}

/// Weight of one packet in the average loss rate, and of one report in that of marks.
const WEIGHT: f64 = 1.0 / 16.0;

/// The average loss rate (`smoothed_loss_rate`).
#[derive(Clone, Copy, Debug, Default)]
pub struct LossRate(f64);

impl LossRate {
    /// The rate, from 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }

    /// A packet was lost, or arrived.
    pub fn take(&mut self, lost: bool) {
        self.0 += WEIGHT * (f64::from(u8::from(lost)) - self.0);
    }
}

/// The average share of marked packets (`ecn_alpha`).
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkRate {
    alpha: f64,
    /// Marks were ever reported.
    seen: bool,
    /// Packets with CE, and with either code point, that are not averaged yet.
    marked: u32,
    all: u32,
}

impl MarkRate {
    /// The share, from 0 to 1.
    pub fn get(&self) -> f64 {
        self.alpha
    }

    /// True if the path has marked a packet.
    pub fn seen(&self) -> bool {
        self.seen
    }

    /// The receiver reports packets with these code points.
    pub fn count(&mut self, ecn: EcnDelta) {
        self.seen |= ecn.ce > 0;
        self.marked += ecn.ce;
        self.all += ecn.ce + ecn.ect1;
    }

    /// Averages what was counted since the last time: each acknowledgement in the draft, each one
    /// with marks and each era in picoquic ("Detecting Excessive CE Marks",
    /// `c4_update_ecn_alpha`).
    pub fn average(&mut self, profile: Profile) {
        if self.all == 0 {
            return;
        }
        let share = f64::from(self.marked) / f64::from(self.all);
        (self.marked, self.all) = (0, 0);
        if share >= 0.5 && (profile == Profile::Draft || share > self.alpha) {
            self.alpha = share;
        } else {
            self.alpha += WEIGHT * (share - self.alpha);
        }
    }

    /// Begins the average anew.
    pub fn reset(&mut self) {
        self.alpha = 0.0;
    }
}
