//! Outcome of a command.

/// Outcome of a command, which determines its exit status.
pub enum Outcome {
    /// No failure and nothing missed.
    Ok,
    /// An expectation of the scenario or a goal was missed, a claim turned out differently than its
    /// file says, or this host does not meet the requirements of a live run.
    Missed,
    /// A live run is invalid because the host was too slow.
    Invalid,
}

impl Outcome {
    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        match self {
            Outcome::Ok => 0,
            Outcome::Missed => 1,
            Outcome::Invalid => 3,
        }
    }
}
