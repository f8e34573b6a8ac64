//! How a controller stands in a criterion.

use crate::judge::Level;

/// How a controller stands in a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was judged.
    Judged(Level),
    /// Its numbers are shown, and not judged.
    Shown,
    /// It was not, and why.
    NotRun(String),
    /// It does not apply, and why.
    NotApplicable(String),
}

impl Standing {
    /// It in two words at most.
    pub fn word(&self) -> &'static str {
        match self {
            Standing::Judged(level) => level.word(),
            Standing::Shown => "shown",
            Standing::NotRun(_) => "not run",
            Standing::NotApplicable(_) => "not applicable",
        }
    }

    /// Why there is no verdict.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Standing::Judged(_) | Standing::Shown => None,
            Standing::NotRun(reason) | Standing::NotApplicable(reason) => Some(reason),
        }
    }
}
