//! The controller under test.

use serde::Serialize;

/// What a controller is measured against.
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
    /// Its name with parameters, as scenarios have it.
    pub controller: String,
    /// What it is measured against.
    pub profile: Profile,
}

impl Subject {
    /// `bbr3?profile=draft`.
    pub fn draft() -> Subject {
        Subject { controller: "bbr3?profile=draft".to_owned(), profile: Profile::Draft }
    }

    /// `bbr3?profile=linux`.
    pub fn linux() -> Subject {
        Subject { controller: "bbr3?profile=linux".to_owned(), profile: Profile::Linux }
    }
}
