//! The share of marked packets on a path for L4S (`l4s_alpha`).

use super::profile::rounds;
use crate::EcnDelta;
use narrows_units::{Span, Time};

/// Weights of a share that rises and of one that falls.
const RISE: f64 = 1.0 / 8.0;
const FALL: f64 = 1.0 / 128.0;
/// Least time between two updates, unless the round trip is shorter.
const APART: Span = Span::from_millis(10);

/// The average share of marks.
#[derive(Clone, Copy, Debug, Default)]
pub struct L4s {
    alpha: f64,
    updated: Option<Time>,
    marked: u32,
    all: u32,
}

impl L4s {
    /// The share, from 0 to 1.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The receiver reports packets with these code points.
    pub fn count(&mut self, now: Time, ecn: EcnDelta, srtt: Span) {
        self.marked += ecn.ce;
        self.all += ecn.ce + ecn.ect1;
        let due = self.updated.is_none_or(|last| now.since(last) >= APART.min(srtt));
        if !due || self.all == 0 {
            return;
        }
        let share = f64::from(self.marked) / f64::from(self.all);
        let weight = if share >= self.alpha { RISE } else { FALL };
        self.alpha += weight * (share - self.alpha);
        (self.marked, self.all, self.updated) = (0, 0, Some(now));
    }

    /// Part of the window that marks take, at a smoothed round trip in seconds.
    pub fn backoff(&self, srtt: f64) -> f64 {
        self.alpha / 2.0 / rounds(srtt).max(1.0)
    }
}
