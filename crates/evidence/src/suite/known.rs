//! Verdicts that are known from published results.

use super::raw;
use crate::EvidenceError;
use serde::{Deserialize, Serialize};

/// A verdict of a quick check by the suite of RFC 9743 that published results predict.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownVerdict {
    /// The controller with its parameters.
    pub controller: String,
    /// The baselines; NewReno and CUBIC if empty.
    #[serde(default)]
    pub baselines: Vec<String>,
    /// Id of the criterion.
    pub criterion: String,
    /// The verdicts that agree with the published results.
    pub verdicts: Vec<String>,
    /// Description of the published result.
    pub says: String,
    /// Source of the published result.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    known: Vec<KnownVerdict>,
}

/// Returns all known verdicts. Verdicts of the same controller are adjacent.
///
/// # Errors
///
/// Never fails: a test reads them.
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
