//! The states of the state machine, the cycle of probes, and the window.

use super::profile::Profile;
use crate::CaState;
use crate::controllers::bbr::common::{Ack, FLOOR, Saved, repairs};
use narrows_units::Random;

// The states of BBR, and the events of a packet on its way.

/// The state of the state machine (section 4.1.1).
///
/// ```text
///          +---------+   pipe full   +-------+
///  start ->| Startup |-------------->| Drain |
///          +---------+               +-------+
///               ^                        | queue empty
///     pipe not  |                        v
///     full yet  |    +------+  room  +--------+  due  +--------+  a round  +----+
///               |    | Down |------->| Cruise |------>| Refill |---------->| Up |
///               |    +------+        +--------+       +--------+           +----+
///               |      |  ^                              ^                  |
///               |      |  +------------------------------|------------------+ too high, or full
///               |      +------ due ----------------------+
///          +----------+  over, by Down
///  any --->| ProbeRtt |----------------> Cruise
///   round  +----------+
///   trip
/// ```
///
/// An undo of spurious losses leads back to Startup, or by Refill to Up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BbrState {
    /// Doubles the rate each round until the pipe is full (section 5.3.1).
    Startup,
    /// Empties the queue of Startup (section 5.3.2).
    Drain,
    /// ProbeBW_DOWN: leaves room to others (section 5.3.3.1).
    Down,
    /// ProbeBW_CRUISE: paces at the bandwidth (section 5.3.3.2).
    Cruise,
    /// ProbeBW_REFILL: fills the pipe for a round (section 5.3.3.3).
    Refill,
    /// ProbeBW_UP: looks for more bandwidth (section 5.3.3.4).
    Up,
    /// Keeps the flight small to measure the round trip (section 5.3.4).
    ProbeRtt,
}

impl BbrState {
    /// True if the state machine may go from `before` to this state.
    pub fn may_follow(self, before: BbrState) -> bool {
        use BbrState::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
        match self {
            // From others than ProbeRTT by an undo.
            Startup => before != Startup,
            Drain => before == Startup,
            Down => matches!(before, Drain | Up | ProbeRtt),
            Cruise => before == Down,
            // By an undo from any but UP.
            Refill => !matches!(before, Up | ProbeRtt),
            Up => before == Refill,
            ProbeRtt => before != ProbeRtt,
        }
    }

    /// `IsInAProbeBWState`.
    pub fn is_probe_bw(self) -> bool {
        matches!(self, BbrState::Down | BbrState::Cruise | BbrState::Refill | BbrState::Up)
    }

    /// Accelerates to find more bandwidth (`IsProbingBW`, `bbr_is_probing_bandwidth`).
    pub fn is_probing(self) -> bool {
        matches!(self, BbrState::Startup | BbrState::Refill | BbrState::Up)
    }
}

/// The events between the transmission of a packet and its acknowledgement or loss (`RS` of section
/// 2.3, `struct rate_sample`).
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Packets in flight when it left, itself included (`tx_in_flight`).
    pub flight: u32,
    /// Packets declared lost since.
    pub lost: u32,
    /// The application limited the flow at that time.
    pub app_limited: bool,
    /// Packets delivered since.
    pub delivered: u32,
    /// Packets delivered since with a mark (`delivered_ce`).
    pub marked: u32,
}

// The cycle of bandwidth probes (section 5.3.3).

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

// The congestion window (section 5.6.4).

/// The window, in packets.
#[derive(Clone, Debug)]
pub struct Cwnd {
    packets: u32,
    initial: u32,
    saved: Saved,
    /// The window limited the flight within the round that lasts until this many packets are
    /// delivered (`is_cwnd_limited`).
    limiting_until: u64,
}

impl Cwnd {
    /// A window of `packets`.
    pub fn new(packets: u32) -> Cwnd {
        Cwnd { packets, initial: packets, saved: Saved::default(), limiting_until: 0 }
    }

    /// In packets.
    pub fn get(&self) -> u32 {
        self.packets
    }

    /// The window that the connection began with.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// A packet left with `in_flight` before it and `delivered` packets delivered.
    #[inline]
    pub fn on_sent(&mut self, in_flight: u32, delivered: u64) {
        if in_flight + 1 >= self.packets {
            self.limiting_until = delivered + in_flight as u64 + 1;
        }
    }

    /// True if the window was full at some time in the last round.
    pub fn is_limiting(&self, delivered: u64) -> bool {
        delivered <= self.limiting_until
    }

    /// Saves the window before it is cut (`SaveCwnd`, `bbr_save_cwnd`).
    pub fn save(&mut self, probing_rtt: bool) {
        self.saved.save(self.packets, probing_rtt);
    }

    /// Restores the saved window (`RestoreCwnd`).
    pub fn restore(&mut self) {
        self.packets = self.saved.restored(self.packets);
    }

    /// Cuts the window to `packets`, if it is larger.
    pub fn bound(&mut self, packets: u32) {
        self.packets = self.packets.min(packets);
    }

    /// A timeout: everything in flight is presumed lost, and `packets` may be (`OnEnterRTO`,
    /// section 5.6.4.4). Returns the window before.
    pub fn collapse(&mut self, packets: u32) -> u32 {
        self.saved.step(CaState::Loss);
        self.saved.restored(std::mem::replace(&mut self.packets, packets))
    }

    /// Takes in the transport's state. The end of a ca_state restores the window (section 5.6.4.4);
    /// in the kernel, only after a timeout (`bbr_exit_loss_recovery`).
    pub fn step(&mut self, profile: Profile, ca_state: CaState) {
        let before = self.saved.step(ca_state);
        let over = match profile {
            Profile::Draft => repairs(before) && !repairs(ca_state),
            Profile::Linux => before == CaState::Loss && ca_state != CaState::Loss,
        };
        if over {
            self.restore();
        }
    }

    /// Moves towards `target` by the packets acknowledged; `target` cuts the window only once the
    /// pipe was `full` (`SetCwnd`, section 5.6.4.6; `bbr_set_cwnd`).
    pub fn grow(&mut self, profile: Profile, ack: &Ack, target: u32, full: bool) {
        let grown = self.packets.saturating_add(ack.acked);
        let starting = match profile {
            Profile::Draft => ack.counts.delivered < self.initial as u64,
            Profile::Linux => self.packets < 2 * self.initial,
        };
        if full {
            self.packets = grown.min(target);
        } else if self.packets < target || starting {
            self.packets = grown;
        }
        self.packets = self.packets.max(FLOOR);
    }
}
