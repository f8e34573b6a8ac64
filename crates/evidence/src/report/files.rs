//! The result directory of a check.

use super::cell::scenario_file;
use super::conformance::Conformance;
use super::model::Checked;
use super::{check_html, check_markdown};
use crate::EvidenceError;
use crate::check::{CellVerdict, Check, Kept, Report, Run, Variant};
use narrows_measure::metrics::METRICS;
use narrows_report::{Bundle, BundleColumn, ReportError, Reserved, RunInfo, write_bundle};
use std::collections::BTreeMap;

/// The parts of a check's result in addition to its verdicts.
#[derive(Default)]
pub struct Pages {
    /// Figures over time as SVG, by criterion.
    pub courses: BTreeMap<String, String>,
    /// Outcomes of the example cases of BBR's draft.
    pub conformance: Option<Conformance>,
    /// Input files of the check, by their names in the result.
    pub inputs: Vec<(String, Vec<u8>)>,
}

/// Writes `report.html`, `check.md`, `check.json`, `runs.parquet`, the files in `pages`, and the
/// scenario of the worst cell of each criterion.
///
/// # Errors
///
/// Something cannot be written.
pub fn write_check(
    reserved: Reserved,
    check: &Check,
    checked: &Checked,
    report: &Report,
    runs: &[(Run, Kept)],
    pages: &Pages,
    info: &RunInfo,
) -> Result<(), ReportError> {
    let mut documents = vec![
        ("report.html".to_owned(), check_html(checked, &pages.courses).into_bytes()),
        ("check.md".to_owned(), check_markdown(checked).into_bytes()),
        ("check.json".to_owned(), checked.json().into_bytes()),
    ];
    if let Some(own) = &pages.conformance {
        documents.push(("conformance.html".to_owned(), own.html().into_bytes()));
        documents.push(("conformance.json".to_owned(), own.json().into_bytes()));
    }
    documents.extend(pages.inputs.iter().cloned());
    documents
        .extend(pages.courses.iter().map(|(id, svg)| (course_file(id), svg.clone().into_bytes())));
    for own in &report.criteria {
        let Some(worst) = own.cells.first() else { continue };
        let name = scenario_file(check, worst);
        if documents.iter().any(|(taken, _)| *taken == name) {
            continue;
        }
        if let Ok(text) = toml(check, worst) {
            documents.push((name, text.into_bytes()));
        }
    }
    let bundle = Bundle {
        documents,
        table: Some(("runs".to_owned(), table(check, runs))),
        version: checked.narrows.clone(),
    };
    write_bundle(reserved, bundle, info)
}

/// Returns the file name of a criterion's figure over time.
pub fn course_file(id: &str) -> String {
    format!("course-{id}.svg")
}

/// Returns the scenario of a cell, with the controller under test and the competitor that the
/// finding is about, as a file for `narrows run`.
fn toml(check: &Check, cell: &CellVerdict) -> Result<String, EvidenceError> {
    let (part, pair) = check.place(cell.grid, cell.decided().beside_whom);
    let run = Run {
        grid: cell.grid as u16,
        part,
        cell: cell.cell as u16,
        pair,
        variant: Variant::Plain,
        seed: 1,
    };
    Ok(check.scenario(run)?.to_toml())
}

/// Returns the table of runs, with a row for each run.
fn table(check: &Check, runs: &[(Run, Kept)]) -> Vec<(String, BundleColumn)> {
    let text = |of: &dyn Fn(Run) -> String| {
        BundleColumn::Text(runs.iter().map(|(run, _)| of(*run)).collect())
    };
    let grid = |run: Run| &check.suite.grids[usize::from(run.grid)];
    let mut columns = vec![
        ("criterion".to_owned(), text(&|run| check.suite.criteria[grid(run).criterion].id.clone())),
        ("grid".to_owned(), text(&|run| grid(run).name.clone())),
        ("cell".to_owned(), text(&|run| check.cell_label(run))),
        ("pair".to_owned(), text(&|run| check.pair_label(run))),
        ("variant".to_owned(), text(&|run| run.variant.text().to_owned())),
        (
            "seed".to_owned(),
            BundleColumn::Count(runs.iter().map(|(run, _)| u64::from(run.seed)).collect()),
        ),
    ];
    for (place, metric) in METRICS.iter().enumerate() {
        let values: Vec<Option<f64>> =
            runs.iter().map(|(_, kept)| kept.metrics.get(place).copied().flatten()).collect();
        if values.iter().any(Option::is_some) {
            columns.push((metric.name.to_owned(), BundleColumn::Real(values)));
        }
    }
    columns
}
