//! Verdicts of rules.

use serde::{Deserialize, Serialize};

/// The verdict of a rule on a cell, or of all rules on a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Within bounds.
    Pass,
    /// Beyond a bound that raises concern, or undecided.
    Concern,
    /// Beyond a bound that standard controllers keep and that a document requires.
    Fail,
}

impl Level {
    /// Returns the verdict in one word.
    pub fn word(self) -> &'static str {
        match self {
            Level::Pass => "pass",
            Level::Concern => "concern",
            Level::Fail => "fail",
        }
    }
}
