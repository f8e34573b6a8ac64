//! Reads and writes `scorecard.json`.

use super::compute::FORMAT;
use super::model::Scorecard;
use crate::checksums::ResultDir;
use crate::error::ReportError;

const FILE: &str = "scorecard.json";

/// Returns the text of `scorecard.json`: all numbers of a scorecard.
pub fn scorecard_json(card: &Scorecard) -> String {
    serde_json::to_string_pretty(card).unwrap_or_default() + "\n"
}

/// Reads the scorecard of a result directory, if it has one.
pub(crate) fn read_scorecard(files: &ResultDir) -> Result<Option<Scorecard>, ReportError> {
    let path = files.path().join(FILE);
    if !path.exists() {
        return Ok(None);
    }
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    let card: Scorecard =
        serde_json::from_str(&files.text(FILE)?).map_err(|error| damaged(error.to_string()))?;
    match card.format {
        FORMAT => Ok(Some(card)),
        other => Err(damaged(format!("its format is {other}, this version reads {FORMAT}"))),
    }
}
