//! The result of a probe of the machine.

/// One thing that a live run needs or can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its name.
    pub name: String,
    /// Whether it is there.
    pub state: State,
    /// The finding.
    pub found: String,
    /// How to get what is missing; empty if nothing is.
    pub remedy: String,
}

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is.
    There,
    /// It is not, and some scenarios or commands do without.
    Absent,
    /// It is not, and nothing runs live without it.
    Missing,
}

impl State {
    /// Its name in lists: `ok`, `absent` or `missing`.
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
