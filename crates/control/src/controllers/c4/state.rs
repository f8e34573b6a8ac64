//! The states of C4, and the era in progress.

/// The state of the state machine.
///
/// ```text
///            +---------+  saved path  +----------+
///   start -->| Initial |------------->| Resuming |
///            +---------+              +----------+
///             ^  ^   | no growth, or     | two eras, or
///             |  |   v congestion        v congestion
///   high      |  | +-----------------------+  an era  +----------+
///   jitter of |  +-|        Recovery       |--------->| Cruising |
///   Recovery  |    +-----------------------+<---------+----------+
///             |      ^  | a probe   ^      congestion      | two eras,
///             |      |  v succeeded |                      v unless limited
///             |   +---------+       |                 +---------+
///             +---| Pushing |       +-----------------| Probing |
///      more than  +---------+          an era         +---------+
///      three eras
/// ```
///
/// Profile `picoquic` goes to Initial from any state but Initial, for high jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum C4State {
    /// Looks for the capacity as slow start does.
    Initial,
    /// Sends at the rate that an earlier connection saved.
    Resuming,
    /// Sends below the nominal rate for an era, to drain the queue and to judge the era before.
    Recovery,
    /// Sends at the nominal rate.
    Cruising,
    /// Sends a little more for an era.
    Probing,
    /// Sends a quarter more while the rate grows.
    Pushing,
}

impl C4State {
    /// True if the state machine may go from `before` to this state.
    pub fn may_follow(self, before: C4State) -> bool {
        match self {
            C4State::Initial => before != C4State::Initial,
            C4State::Resuming => before == C4State::Initial,
            C4State::Recovery => before != C4State::Recovery,
            C4State::Cruising | C4State::Pushing => before == C4State::Recovery,
            C4State::Probing => before == C4State::Cruising,
        }
    }
}

/// The era in progress: it ends when a transmission that left in it is acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Era {
    /// Number of its first transmission (`era_sequence`).
    pub first: u32,
    /// Multiple of the nominal rate in the era before, whose packets are acknowledged in this one
    /// (`alpha_previous`).
    pub alpha_before: f64,
    /// Nominal rate when it began, in bytes per second.
    pub rate: f64,
    /// True if some of the data acknowledged in it was limited by the application.
    pub limited: bool,
}
