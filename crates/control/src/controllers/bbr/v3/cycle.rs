//! The cycle of bandwidth probes (section 5.3.3).

use narrows_units::Random;

/// The time between probes is this, in µs (section 5.3.3.8, `bbr_bw_probe_base_us`),
const WAIT: u64 = 2_000_000;
/// and up to this more (`bbr_bw_probe_rand_us`),
const WAIT_SPREAD: u64 = 1_000_000;
/// or as many rounds as the flow has packets in flight, at most 62 or 63: a Reno flow of that size
/// has losses as often (`bbr_bw_probe_max_rounds`).
const RENO_ROUNDS: u32 = 63;

/// The relation of acknowledgements to a probe (`ack_phase`, `bbr_ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acks {
    /// Nothing.
    #[default]
    Init,
    /// The pipe is being filled.
    Refilling,
    /// The probe has begun; acknowledgements are still of what was sent before.
    Starting,
    /// They are of the probe.
    Feedback,
    /// The probe is over; they are still of it.
    Stopping,
}

/// The cycle of probing.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// When it began, and how long to wait, in µs.
    began: u64,
    wait: u64,
    /// Rounds since the last probe.
    rounds: u32,
    /// The relation of acknowledgements to the latest probe.
    pub acks: Acks,
    /// Losses are of packets sent while probing, and not yet answered (`is_bw_probe_sample`,
    /// `bw_probe_samples`).
    pub probe_sample: bool,
    /// The latest probe lost too much (`prev_probe_too_high`).
    pub too_high: bool,
    /// The latest probe stopped at the bound of the one before (`prev_probe_precautionary`, section
    /// 5.3.3.6; `stopped_risky_probe`).
    pub precautionary: bool,
}

impl Cycle {
    /// The longest time to the next probe, in µs (`bw_probe_wait`).
    pub fn wait(&self) -> u64 {
        self.wait
    }

    /// Rounds since the last probe (`rounds_since_probe_up`).
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// A round of the connection began.
    pub fn on_round(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
    }

    /// One round from now, acknowledgements are no longer of a probe (`ACKS_PROBE_STOPPING`).
    pub fn stop(&mut self) {
        self.acks = Acks::Stopping;
    }

    /// `PickProbeWait`, `bbr_pick_probe_wait`.
    pub fn begin(&mut self, now: u64, random: &mut Random) {
        self.rounds = random.below(2) as u32;
        self.wait = WAIT + random.below(WAIT_SPREAD);
        self.began = now;
        self.stop();
    }

    /// `HasElapsedInPhase` or `IsRenoCoexistenceProbeTime`.
    pub fn is_over(&self, now: u64, target: u32) -> bool {
        now > self.began + self.wait || self.rounds >= target.min(RENO_ROUNDS)
    }
}
