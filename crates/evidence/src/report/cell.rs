//! Cells of a stored check.

use crate::check::{CellVerdict, Check};
use crate::judge::{Finding, Named};
use crate::number::Number;
use crate::rule::RuleKind;
use crate::statistics::{Estimate, estimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The finding of a cell on the kernel.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OnKernel {
    /// pass, concern or fail; "not run" if the runs are invalid.
    pub verdict: String,
    /// Judged numbers, one per run.
    pub subject: Vec<Option<f64>>,
    /// Numbers for comparison.
    pub beside: Vec<Beside>,
    /// Reasons why the runs are invalid.
    pub issues: Vec<String>,
}

impl OnKernel {
    pub(super) fn of(found: &Result<Finding, Vec<String>>) -> OnKernel {
        match found {
            Err(issues) => OnKernel {
                verdict: "not run".to_owned(),
                subject: Vec::new(),
                beside: Vec::new(),
                issues: issues.clone(),
            },
            Ok(own) => OnKernel {
                verdict: own.level.word().to_owned(),
                subject: own.subject.1.clone(),
                beside: own.beside.iter().map(Beside::of).collect(),
                issues: Vec::new(),
            },
        }
    }
}

/// The verdict of a rule on a cell.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckedCell {
    /// Description of the cell.
    pub cell: String,
    /// Grid of the cell.
    #[serde(default)]
    pub grid: String,
    /// Index, from 0, and label on each axis of the grid.
    #[serde(default)]
    pub coordinates: Vec<(usize, String)>,
    /// File of the scenario in the result directory; `None` except for the worst cell of a
    /// criterion.
    pub scenario: Option<String>,
    /// Name of the measured number.
    pub measure: String,
    /// Unit of the number.
    pub unit: String,
    /// Description of the rule.
    pub rule: String,
    /// Source of the bound.
    pub source: String,
    /// pass, concern, fail, or shown.
    pub verdict: String,
    /// True if more seeds would decide.
    pub undecided: bool,
    /// True if 30 fresh seeds decided; for a program, if its baselines also ran on the kernel.
    pub confirmed: bool,
    /// Name of the judged flows: the controller, or another one next to it.
    pub of: String,
    /// Judged numbers, one for each seed that decided.
    pub subject: Vec<Option<f64>>,
    /// Numbers for comparison.
    pub beside: Vec<Beside>,
    /// Second number of a rule that compares two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Second>,
    /// True if the number is so far below each baseline's that the rule reports an improvement.
    #[serde(default, skip_serializing_if = "is_false")]
    pub improves: bool,
    /// Distance of the controller beyond the bound, with the interval of the mean. Positive values
    /// are beyond the bound.
    pub excess: Option<Estimate>,
    /// Number of the controller's runs in which the goodput of a long flow changed by more than 20
    /// % between the halves of the time since warm-up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_converged: usize,
    /// Additional explanation.
    pub note: Option<String>,
}

fn is_false(own: &bool) -> bool {
    !own
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The second number of a rule that compares two, for each seed that decided.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Second {
    /// Name of the measured number.
    pub measure: String,
    /// Unit of the number.
    pub unit: String,
    /// Numbers of the judged flows.
    pub subject: Vec<Option<f64>>,
    /// Numbers for comparison, in the order of the first number's.
    pub beside: Vec<Beside>,
}

impl Second {
    /// Returns the mean of the judged numbers with its interval.
    pub fn value(&self) -> Option<Estimate> {
        defined(&self.subject)
    }

    fn of(number: &Number, finding: &Finding) -> Option<Second> {
        let (subject, beside) = finding.second.split_first()?;
        let beside = finding
            .beside
            .iter()
            .zip(beside)
            .map(|((of, _), values)| Beside { of: of.clone(), values: values.clone() });
        Some(Second {
            measure: number.text(),
            unit: number.metric.unit.to_owned(),
            subject: subject.clone(),
            beside: beside.collect(),
        })
    }
}

/// Numbers for comparison.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Beside {
    /// Name of the controller, or of the flows.
    pub of: String,
    /// One number per seed.
    pub values: Vec<Option<f64>>,
}

impl Beside {
    fn of((of, values): &Named) -> Beside {
        Beside { of: of.clone(), values: values.clone() }
    }

    /// Returns the mean with its interval.
    pub fn value(&self) -> Option<Estimate> {
        defined(&self.values)
    }
}

impl CheckedCell {
    /// Returns the mean of the controller's numbers with its interval.
    pub fn value(&self) -> Option<Estimate> {
        defined(&self.subject)
    }
}

/// Returns the mean of the defined numbers with its interval.
fn defined(values: &[Option<f64>]) -> Option<Estimate> {
    estimate(&values.iter().flatten().copied().collect::<Vec<_>>())
}

/// Returns the file name of a cell's scenario.
pub(super) fn scenario_file(check: &Check, cell: &CellVerdict) -> String {
    let words = format!("{} {}", check.suite.grids[cell.grid].name, cell.label).to_lowercase();
    let slug: String = words
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
        .collect();
    let slug = slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    format!("scenario-{slug}.toml")
}

/// Converts cells into their stored form. If they belong to several grids, which may have cells
/// with the same label, the label includes the grid.
pub(super) fn kept_cells(check: &Check, cells: &[CellVerdict]) -> Vec<CheckedCell> {
    let several = cells.iter().any(|cell| cell.grid != cells[0].grid);
    let label = |cell: &CellVerdict| match (&check.suite.grids[cell.grid].name, &cell.label) {
        (grid, label) if label.is_empty() => grid.clone(),
        (grid, label) if several => format!("{grid}: {label}"),
        (_, label) => label.clone(),
    };
    cells
        .iter()
        .enumerate()
        .map(|(place, cell)| CheckedCell { cell: label(cell), ..kept(check, place, cell) })
        .collect()
}

fn kept(check: &Check, place: usize, cell: &CellVerdict) -> CheckedCell {
    let grid = &check.suite.grids[cell.grid];
    let (rule, finding) = (&grid.rules[cell.rule], cell.decided());
    let number = &grid.asked[rule.number];
    CheckedCell {
        cell: cell.label.clone(),
        grid: grid.name.clone(),
        coordinates: cell.coordinates.clone(),
        scenario: (place == 0).then(|| scenario_file(check, cell)),
        measure: number.text(),
        unit: number.metric.unit.to_owned(),
        rule: rule.says.clone(),
        source: rule.source.clone(),
        verdict: if rule.kind == RuleKind::Shown {
            "shown".to_owned()
        } else {
            finding.level.word().to_owned()
        },
        undecided: finding.undecided,
        confirmed: cell.fresh.is_some(),
        of: finding.subject.0.clone(),
        subject: finding.subject.1.clone(),
        beside: finding.beside.iter().map(Beside::of).collect(),
        second: if let RuleKind::Pareto { and } = rule.kind {
            Second::of(&grid.asked[and], finding)
        } else {
            None
        },
        improves: finding.improves,
        excess: finding.excess,
        not_converged: cell.unconverged,
        note: finding
            .note
            .clone()
            .into_iter()
            .chain(cell.fault.clone())
            .reduce(|note, fault| format!("{note}: {fault}")),
    }
}
