//! Why an object cannot be taken: the place in it, the reason, and what to do.

use thiserror::Error;

/// An object that cannot be taken.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}: {problem}")]
pub struct LoadError {
    /// The object, as the user named it.
    pub file: String,
    /// The defect.
    pub problem: Problem,
}

/// A defect of an object.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}: {reason}: {remedy}")]
pub struct Problem {
    /// A section, a type, a function or a variable of the object.
    pub place: String,
    /// The defective place, and what would be right.
    pub reason: String,
    /// The user's remedy.
    pub remedy: String,
}

impl Problem {
    pub(crate) fn new(
        place: impl Into<String>,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Problem {
        Problem { place: place.into(), reason: reason.into(), remedy: remedy.into() }
    }

    /// Of something that no compiler leaves.
    pub(crate) fn damaged(place: impl Into<String>, reason: impl Into<String>) -> Problem {
        Problem::new(place, reason, "the object is damaged; compile it again")
    }
}
