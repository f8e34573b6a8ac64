//! The state to return to after spurious losses.

use super::state::BbrState;

/// The state to return to if the losses of a recovery turn out to be spurious (section 5.5.11.1).
#[derive(Clone, Debug)]
pub struct Undo {
    /// The state that the losses ended.
    pub state: Option<BbrState>,
    /// The short-term bound of the bandwidth before the losses.
    pub bandwidth: u32,
    /// The short-term bound of the flight before the losses.
    pub flight: u32,
    /// The long-term bound before the losses.
    pub long_term: u32,
}

impl Undo {
    /// Nothing to return to.
    pub fn new() -> Undo {
        Undo { state: None, bandwidth: 0, flight: 0, long_term: 0 }
    }
}
