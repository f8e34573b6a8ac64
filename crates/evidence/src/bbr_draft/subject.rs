//! The controller under test.

use serde::Serialize;

/// The reference behaviour for a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The draft: every difference is a failure.
    Draft,
    /// Linux, branch v3 of github.com/google/bbr: its differences from the draft are known.
    Linux,
}

/// A controller under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Name with parameters, as in scenarios.
    pub controller: String,
    /// Reference behaviour.
    pub profile: Profile,
}

impl Subject {
    /// Returns `bbr3?profile=draft`, measured against the draft.
    pub fn draft() -> Subject {
        Subject { controller: "bbr3?profile=draft".to_owned(), profile: Profile::Draft }
    }

    /// Returns `bbr3?profile=linux`, measured against Linux.
    pub fn linux() -> Subject {
        Subject { controller: "bbr3?profile=linux".to_owned(), profile: Profile::Linux }
    }
}
