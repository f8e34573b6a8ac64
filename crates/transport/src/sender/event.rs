//! An acknowledgement on its way through the sender.

use narrows_control::{CaState, Congestion};
use narrows_units::{Span, Time};

/// An acknowledgement on its way through the sender, or a refusal or a timer that finds losses: how
/// things stood before it, and what it turns out to say.
pub(super) struct Event {
    pub now: Time,
    /// Segments in flight before.
    pub in_flight_before: u32,
    /// The window in force before.
    pub window_before: u32,
    /// The round trip that it shows.
    pub rtt: Option<Span>,
    /// The reduction that is due.
    pub congestion: Option<Congestion>,
    /// The latest reduction proved spurious.
    pub undone: bool,
    /// The state that it ended.
    pub ended: Option<CaState>,
    /// A probe turned out to have repaired a loss.
    pub probe_loss: bool,
    /// A segment sent more than once is acknowledged cumulatively.
    pub resent_acked: bool,
    /// The receiver reports a duplicate.
    pub duplicate: bool,
}

impl Event {
    /// One that begins now, with so many segments in flight and this window in force.
    #[inline]
    pub fn begin(now: Time, in_flight_before: u32, window_before: u32) -> Event {
        Event {
            now,
            in_flight_before,
            window_before,
            rtt: None,
            congestion: None,
            undone: false,
            ended: None,
            probe_loss: false,
            resent_acked: false,
            duplicate: false,
        }
    }
}
