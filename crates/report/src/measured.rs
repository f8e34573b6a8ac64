//! The metrics of any result directory, without the time series.

use crate::checksums::ResultDir;
use crate::error::ReportError;
use crate::grid::{Grid, read_grid};
use narrows_measure::metrics::METRICS;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The metrics of a result: a run, a comparison, a sweep, a matrix or a scorecard.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Title of the result.
    pub title: String,
    /// The kind of result, in words: "run or comparison", "sweep", "matrix" or "scorecard".
    pub kind: &'static str,
    /// Version of Narrows that measured.
    pub version: String,
    /// The cases of a comparison, or the cells of a sweep.
    pub cases: Vec<MeasuredCase>,
}

/// A case of a run or a comparison, or a cell of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCase {
    /// Label of the case; for a cell, its position on each axis.
    pub label: String,
    /// The scenario; for a cell, the scenario of the whole sweep.
    pub scenario_toml: String,
    /// The values of each metric that is defined for at least one seed, one value per seed; `None`
    /// for a seed that does not define it.
    pub metrics: BTreeMap<String, Vec<Option<f64>>>,
}

#[derive(Deserialize)]
struct Summary {
    narrows: String,
    title: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    label: String,
    scenario: String,
    metrics: BTreeMap<String, Values>,
}

#[derive(Deserialize)]
struct Values {
    values: Vec<Option<f64>>,
}

/// Reads the metrics of a result.
///
/// # Errors
///
/// The result has no metrics, or a file is damaged.
pub fn measured(files: &ResultDir) -> Result<Measured, ReportError> {
    if let Some(grid) = read_grid(files)? {
        let scenario_toml = files.text("sweep.toml")?;
        let cell = |cell: usize| {
            let values =
                METRICS.iter().map(|metric| (metric.name.to_owned(), grid.values(cell, metric)));
            MeasuredCase {
                label: grid.describe(cell),
                scenario_toml: scenario_toml.clone(),
                metrics: defined(values),
            }
        };
        return Ok(Measured {
            cases: (0..grid.cells()).map(cell).collect(),
            kind: kind_of(&grid),
            title: grid.title.clone(),
            version: grid.version.clone(),
        });
    }
    let path = files.path().join("summary.json");
    let damaged = |error: serde_json::Error| ReportError::Damaged {
        path: path.clone(),
        reason: error.to_string(),
    };
    let summary: Summary = serde_json::from_str(&files.text("summary.json")?).map_err(damaged)?;
    let case = |case: Case| {
        let values = case.metrics.into_iter().map(|(name, own)| (name, own.values));
        Ok(MeasuredCase {
            label: case.label,
            scenario_toml: files.text(&case.scenario)?,
            metrics: defined(values),
        })
    };
    Ok(Measured {
        title: summary.title,
        kind: "run or comparison",
        version: summary.narrows,
        cases: summary.cases.into_iter().map(case).collect::<Result<_, ReportError>>()?,
    })
}

fn kind_of(grid: &Grid) -> &'static str {
    match (&grid.scorecard, &grid.matrix) {
        (Some(_), _) => "scorecard",
        (None, Some(_)) => "matrix",
        (None, None) => "sweep",
    }
}

fn defined(
    values: impl Iterator<Item = (String, Vec<Option<f64>>)>,
) -> BTreeMap<String, Vec<Option<f64>>> {
    values.filter(|(_, values)| values.iter().any(Option::is_some)).collect()
}
