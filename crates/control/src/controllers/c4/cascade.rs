//! Growth of the nominal rate, and successes of probes in a row, as picoquic counts them.

use super::profile;

/// Successes in a row after which Initial begins (`C4_PROBE_LEVEL_MAX`).
pub const MOST_LEVEL: u8 = 3;
/// The level that leads to Cruising and an ordinary probe (`C4_PROBE_LEVEL_DEFAULT`).
pub const LEVEL: u8 = 1;

/// Growth of the nominal rate (`c4_growth_evaluate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Less than a quarter of what was tried.
    None,
    /// Up to three quarters of it.
    Slow,
    /// More.
    Fast,
}

/// Measures growth, and counts successes.
#[derive(Clone, Copy, Debug)]
pub struct Cascade {
    /// `probe_level`.
    pub level: u8,
    /// Nominal rate, and its multiple that was sent, at the last reset (`push_rate_old`,
    /// `push_alpha`).
    pub rate: f64,
    pub alpha: f64,
    /// More arrived than the least round trip holds, or the rate grew (`push_was_not_limited`).
    pub unlimited: bool,
    /// Marks led to Recovery (`excess_ce_after_push`).
    pub marked: bool,
    /// Initial began for jitter once.
    pub after_jitter: bool,
    /// Eras of Cruising that remain; 0 if none began.
    pub cruising: u32,
    /// Eras of Resuming.
    pub resumed: u32,
}

impl Cascade {
    /// At the start of a connection.
    pub fn new() -> Cascade {
        Cascade {
            level: LEVEL,
            rate: 0.0,
            alpha: profile::INITIAL,
            unlimited: false,
            marked: false,
            after_jitter: false,
            cruising: 0,
            resumed: 0,
        }
    }

    /// True if the next probe is half as large, since marks followed the one before.
    pub fn is_gentle(&self) -> bool {
        self.level < LEVEL
    }

    /// Returns how much the nominal rate has grown since the last reset.
    pub fn growth(&self, rate: f64, congested: bool) -> Growth {
        if self.alpha > profile::PROBING {
            let goal = self.alpha * self.rate;
            match rate {
                _ if rate > (self.rate + 3.0 * goal) / 4.0 => Growth::Fast,
                _ if rate >= (3.0 * self.rate + goal) / 4.0 => Growth::Slow,
                _ => Growth::None,
            }
        } else if rate > self.rate && !congested {
            Growth::Fast
        } else {
            Growth::None
        }
    }
}
