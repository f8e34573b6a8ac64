//! Verdicts that published results lead to.

use super::raw;
use crate::EvidenceError;
use serde::{Deserialize, Serialize};

/// A verdict of a quick check by the suite of RFC 9743 that published results lead to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownVerdict {
    /// The controller with its parameters.
    pub controller: String,
    /// The controllers that it is judged against; NewReno and CUBIC if there are none.
    #[serde(default)]
    pub baselines: Vec<String>,
    /// The criterion's id.
    pub criterion: String,
    /// The verdicts that agree with what is published.
    pub verdicts: Vec<String>,
    /// The result in words.
    pub says: String,
    /// Who published it.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    known: Vec<KnownVerdict>,
}

/// All of them; those of one controller follow each other.
///
/// # Errors
///
/// None: a test reads them.
pub fn known_verdicts() -> Result<Vec<KnownVerdict>, EvidenceError> {
    let mut all = raw::parse::<File>(
        "known-verdicts.toml",
        include_str!("../../suites/known-verdicts.toml"),
    )?
    .known;
    all.sort_by(|one, other| {
        (&one.controller, &one.baselines).cmp(&(&other.controller, &other.baselines))
    });
    Ok(all)
}
