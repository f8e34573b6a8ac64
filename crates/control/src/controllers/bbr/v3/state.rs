//! The states of BBR, and the events of a packet on its way.

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
