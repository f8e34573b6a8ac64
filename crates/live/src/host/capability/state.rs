//! Results of probing the machine.

/// A feature that a live run needs or can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Name of the feature.
    pub name: String,
    /// State of the feature.
    pub state: State,
    /// Finding in words.
    pub found: String,
    /// Remedy for a missing feature; empty if it is available.
    pub remedy: String,
}

/// The state of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The feature is available.
    There,
    /// The feature is missing, but only some scenarios or commands need it.
    Absent,
    /// The feature is missing, and all live runs need it.
    Missing,
}

impl State {
    /// Returns the name in lists: `ok`, `absent` or `missing`.
    pub fn name(self) -> &'static str {
        match self {
            State::There => "ok",
            State::Absent => "absent",
            State::Missing => "missing",
        }
    }
}

impl Capability {
    pub(super) fn there(name: &str, found: impl Into<String>) -> Capability {
        Capability {
            name: name.to_owned(),
            state: State::There,
            found: found.into(),
            remedy: String::new(),
        }
    }

    pub(super) fn absent(
        name: &str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Capability {
        Capability {
            name: name.to_owned(),
            state: State::Absent,
            found: found.into(),
            remedy: remedy.into(),
        }
    }

    pub(super) fn missing(
        name: &str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Capability {
        Capability {
            name: name.to_owned(),
            state: State::Missing,
            found: found.into(),
            remedy: remedy.into(),
        }
    }
}
