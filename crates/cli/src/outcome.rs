//! What comes of a command.

/// What a command found, as its exit status tells it.
pub enum Outcome {
    /// All well.
    Ok,
    /// An expectation of the scenario, or a goal, was missed, a claim turned out otherwise than its file says, or this host lacks what a
    /// live run needs.
    Missed,
    /// A live run of which the machine set part of the result.
    Invalid,
}

impl Outcome {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Outcome::Ok => 0,
            Outcome::Missed => 1,
            Outcome::Invalid => 3,
        }
    }
}
