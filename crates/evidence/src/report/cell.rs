//! A cell of a check as it is kept.

use crate::check::{CellVerdict, Check};
use crate::judge::{Finding, Named};
use crate::number::Number;
use crate::rule::Kind;
use crate::statistics::{Estimate, estimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the kernel showed in a cell.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OnKernel {
    /// pass, concern or fail; "not run" where the machine set part of the result.
    pub verdict: String,
    /// What was judged there, one for each run.
    pub subject: Vec<Option<f64>>,
    /// What it was compared with.
    pub beside: Vec<Beside>,
    /// Why the machine set part of the result.
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
    /// The cell in words.
    pub cell: String,
    /// The grid that it is a cell of.
    #[serde(default)]
    pub grid: String,
    /// Where it is on each axis of that grid, from 0, with the label there.
    #[serde(default)]
    pub coordinates: Vec<(usize, String)>,
    /// The file of its scenario in the result directory; `None` where the cell gave no cause to keep it.
    pub scenario: Option<String>,
    /// What is measured.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// The rule in words.
    pub rule: String,
    /// Where its bound comes from.
    pub source: String,
    /// pass, concern, fail, or shown.
    pub verdict: String,
    /// True if more seeds would decide.
    pub undecided: bool,
    /// True if 30 fresh seeds decided; of a program, that its baselines ran on the kernel, too.
    pub confirmed: bool,
    /// What was judged: the controller, or another beside it.
    pub of: String,
    /// Its numbers, one for each seed that decided.
    pub subject: Vec<Option<f64>>,
    /// Those that they are compared with.
    pub beside: Vec<Beside>,
    /// The second number, of a rule that compares two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Second>,
    /// True if the number is so much smaller than each baseline's that the rule tells it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub improves: bool,
    /// By how much the controller is beyond the bound, with the interval of the mean: above zero is beyond.
    pub excess: Option<Estimate>,
    /// In how many of the controller's runs the goodput of a long flow changed by more than 20 % between the halves of the time since warm-up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_converged: usize,
    /// More in words.
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
    /// What is measured.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// That of what was judged.
    pub subject: Vec<Option<f64>>,
    /// Those that it is compared with, in the order of the first number.
    pub beside: Vec<Beside>,
}

impl Second {
    /// The mean of what was judged with its interval.
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

/// Numbers that others are compared with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Beside {
    /// Whose they are.
    pub of: String,
    /// One for each seed.
    pub values: Vec<Option<f64>>,
}

impl Beside {
    fn of((of, values): &Named) -> Beside {
        Beside { of: of.clone(), values: values.clone() }
    }

    /// The mean with its interval.
    pub fn value(&self) -> Option<Estimate> {
        defined(&self.values)
    }
}

impl CheckedCell {
    /// The mean of the controller's numbers with its interval.
    pub fn value(&self) -> Option<Estimate> {
        defined(&self.subject)
    }
}

/// The mean of the numbers that are defined, with its interval.
fn defined(values: &[Option<f64>]) -> Option<Estimate> {
    estimate(&values.iter().flatten().copied().collect::<Vec<_>>())
}

/// The file of a cell's scenario.
pub(super) fn scenario_file(check: &Check, cell: &CellVerdict) -> String {
    let words = format!("{} {}", check.suite.grids[cell.grid].name, cell.label).to_lowercase();
    let slug: String = words
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
        .collect();
    let slug = slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    format!("scenario-{slug}.toml")
}

/// Cells as they are kept. Where they are of several grids, which may have cells of the same label, the grid is named.
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
        verdict: if rule.kind == Kind::Shown {
            "shown".to_owned()
        } else {
            finding.level.word().to_owned()
        },
        undecided: finding.undecided,
        confirmed: cell.fresh.is_some(),
        of: finding.subject.0.clone(),
        subject: finding.subject.1.clone(),
        beside: finding.beside.iter().map(Beside::of).collect(),
        second: if let Kind::Pareto { and } = rule.kind {
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
