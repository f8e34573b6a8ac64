//! The constants, and what the draft and the kernel do differently.
//!
//! Gains of pacing are in 1/256 in the kernel and in 1/100 here for the draft, so that its 2.77 and
//! 0.90 are exact. Those of the window are binary in both.

use crate::controllers::bbr::common::UNIT;

/// Which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// draft-ietf-ccwg-bbr-06.
    Draft,
    /// github.com/google/bbr, branch v3, net/ipv4/tcp_bbr.c.
    Linux,
}

/// A fraction that need not be a binary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction(pub u32, pub u32);

impl Fraction {
    /// This part of `packets`, rounded down.
    pub fn of(self, packets: u32) -> u32 {
        (packets as u64 * self.0 as u64 / self.1 as u64) as u32
    }

    /// This part of `packets`, rounded up.
    pub fn of_ceil(self, packets: u32) -> u32 {
        (packets as u64 * self.0 as u64).div_ceil(self.1 as u64) as u32
    }
}

/// Differences in numbers only.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// A pacing gain of 1.
    pub unit: u32,
    /// `StartupPacingGain`, `bbr_startup_pacing_gain`: 4 ln 2.
    pub startup_pacing: u32,
    /// `DrainPacingGain`, `bbr_drain_gain`.
    pub drain_pacing: u32,
    /// Pacing gain of ProbeBW_DOWN (section 5.3.3.1, `bbr_pacing_gain`).
    pub down_pacing: u32,
    /// Pacing gain of ProbeBW_UP (section 5.3.3.5, `bbr_pacing_gain`).
    pub up_pacing: u32,
    /// `LossThresh`, `bbr_loss_thresh`: lost per packets in flight beyond which the flight is too
    /// high.
    pub loss_threshold: Fraction,
    /// `Beta`, 1 - `bbr_beta`: the share of a bound that a loss leaves.
    pub beta: Fraction,
    /// `Headroom`, `bbr_inflight_headroom`: the share of the long-term bound left to others.
    pub headroom: Fraction,
    /// Rounds after which Drain ends whatever the flight (section 5.3.2).
    pub drain_rounds: Option<u32>,
}

impl Profile {
    /// The constants of this profile.
    pub fn constants(self) -> &'static Constants {
        match self {
            Profile::Draft => &DRAFT,
            Profile::Linux => &LINUX,
        }
    }
}

const DRAFT: Constants = Constants {
    unit: 100,
    // Requirement, draft-ietf-ccwg-bbr-06 section 2.4: "the gain value that will allow the sending
    // rate to double each round (4 * ln(2) ~= 2.77)"
    startup_pacing: 277,
    drain_pacing: 50,
    down_pacing: 90,
    up_pacing: 125,
    // Requirement, draft-ietf-ccwg-bbr-06 section 2.7: "the maximum tolerated per-round-trip packet
    // loss rate when probing for bandwidth (the default is 2%)"
    loss_threshold: Fraction(2, 100),
    beta: Fraction(7, 10),
    headroom: Fraction(15, 100),
    drain_rounds: Some(3),
};

const LINUX: Constants = Constants {
    unit: UNIT,
    startup_pacing: UNIT * 277 / 100 + 1,
    drain_pacing: UNIT * 1000 / 2885,
    down_pacing: UNIT * 91 / 100,
    up_pacing: UNIT * 5 / 4,
    loss_threshold: Fraction(UNIT * 2 / 100, UNIT),
    beta: Fraction(UNIT - UNIT * 30 / 100, UNIT),
    headroom: Fraction(UNIT * 15 / 100, UNIT),
    drain_rounds: None,
};

/// `DefaultCwndGain`, `bbr_cwnd_gain`.
pub const WINDOW_GAIN: u32 = 2 * UNIT;
/// Gain of the window in ProbeBW_UP: room to send faster than before (section 5.3.3.5,
/// `bbr_bw_probe_cwnd_gain`).
pub const UP_WINDOW_GAIN: u32 = UNIT * 9 / 4;
/// `ProbeRTTCwndGain`, `bbr_probe_rtt_cwnd_gain`.
pub const PROBE_RTT_GAIN: u32 = UNIT / 2;
