//! Two checks of two versions of a controller, beside each other.

use super::cell::CheckedCell;
use super::model::{Checked, CheckedCriterion};
use super::text::short;
use crate::statistics::{Estimate, estimate};
use narrows_report::text_table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The change from one check to another.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Versions {
    /// The controller that was checked before.
    pub before: String,
    /// The controller that is checked now.
    pub after: String,
    /// Each criterion that both checks judged.
    pub criteria: Vec<Change>,
    /// Ids of the criteria that only one of them judged.
    pub not_compared: Vec<String>,
}

/// The change of a criterion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Its id.
    pub id: String,
    /// The verdict before.
    pub before: String,
    /// The verdict now.
    pub after: String,
    /// better, worse or same.
    pub change: String,
    /// The cells whose numbers moved beyond chance: all of the interval of the difference is on one side of zero. Those that were worst in one of the checks first if the verdict changed,
    /// then the largest, in parts of the number before.
    pub moved: Vec<Moved>,
}

/// A cell whose numbers moved.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The cell in words.
    pub cell: String,
    /// What is measured.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// The mean before.
    pub before: f64,
    /// The mean of the differences of equal seeds, with its interval; where the checks were decided by other seeds, that of the means.
    pub difference: Estimate,
}

impl Versions {
    /// Compares two checks.
    ///
    /// # Errors
    ///
    /// They were made by other rules, on other cells or against other baselines: what differs. Or there is no criterion that both judged.
    pub fn of(before: &Checked, after: &Checked) -> Result<Versions, String> {
        if let Some(why) = before.terms().differ(&after.terms()) {
            return Err(why);
        }
        let judged = |checked: &Checked| -> Vec<String> {
            checked.criteria.iter().filter(|own| own.reason.is_none()).map(|own| own.id.clone()).collect()
        };
        let both = after.criteria.iter().filter_map(|new| Some((before.criteria.iter().find(|old| old.id == new.id)?, new)));
        let criteria: Vec<Change> =
            both.filter(|(old, new)| old.reason.is_none() && new.reason.is_none()).map(|(old, new)| change(old, new)).collect();
        let (old, new) = (judged(before), judged(after));
        if criteria.is_empty() {
            let listed = |ids: &[String]| if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
            return Err(format!(
                "there is nothing to compare: the earlier check judged {}, this one {}; give both the same --only",
                listed(&old),
                listed(&new)
            ));
        }
        let mut not_compared: Vec<String> =
            old.iter().chain(&new).filter(|id| criteria.iter().all(|own| own.id != **id)).cloned().collect();
        not_compared.dedup();
        Ok(Versions { before: before.controller.clone(), after: after.controller.clone(), criteria, not_compared })
    }

    /// True if a verdict got worse.
    pub fn is_worse(&self) -> bool {
        self.criteria.iter().any(|own| own.change == "worse")
    }

    /// As rows of a table, its heads first.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![["Criterion", "Before", "Now", "", "A change beyond chance"].map(str::to_owned).to_vec()];
        rows.extend(self.criteria.iter().map(|own| {
            let moved = own.moved.first().map_or_else(String::new, |cell| {
                let Estimate { mean, low, high } = cell.difference;
                let sign = |value: f64| format!("{}{}", if value > 0.0 { "+" } else { "" }, short(value));
                format!(
                    "{}: {} {} {} [{} to {}] {}",
                    cell.cell,
                    cell.measure,
                    short(cell.before),
                    sign(mean),
                    sign(low),
                    sign(high),
                    cell.unit
                )
            });
            vec![own.id.clone(), own.before.clone(), own.after.clone(), own.change.clone(), moved.trim_end().to_owned()]
        }));
        rows
    }

    /// What was changed: "From a to b".
    pub(super) fn title(&self) -> String {
        format!("From {} to {}", self.before, self.after)
    }

    /// The criteria that are not compared, in a sentence; nothing if there are none.
    pub(super) fn rest(&self) -> Option<String> {
        (!self.not_compared.is_empty()).then(|| format!("Judged by one of the checks only: {}.", self.not_compared.join(", ")))
    }

    /// As a table.
    pub(super) fn text(&self) -> String {
        let rest = self.rest().map_or_else(String::new, |rest| format!("\n{rest}\n"));
        format!("{}\n\n{}{rest}", self.title(), text_table(&self.rows(), 5))
    }
}

fn change(old: &CheckedCriterion, new: &CheckedCriterion) -> Change {
    let rank = |verdict: &str| ["pass", "concern", "fail"].iter().position(|own| *own == verdict);
    let change = match rank(&new.verdict).cmp(&rank(&old.verdict)) {
        std::cmp::Ordering::Less => "better",
        std::cmp::Ordering::Equal => "same",
        std::cmp::Ordering::Greater => "worse",
    };
    let same =
        |cell: &CheckedCell| old.cells.iter().find(|own| own.cell == cell.cell && own.measure == cell.measure && own.rule == cell.rule);
    let mut moved: Vec<Moved> = new.cells.iter().filter_map(|cell| moved(same(cell)?, cell)).collect();
    moved.dedup_by(|a, b| a.cell == b.cell && a.measure == b.measure);
    let size = |own: &Moved| (own.difference.mean / own.before.abs().max(1e-9)).abs();
    let worst = |own: &Moved| {
        let first = |of: &CheckedCriterion| of.cells.first().is_some_and(|cell| cell.cell == own.cell && cell.measure == own.measure);
        change != "same" && (first(old) || first(new))
    };
    moved.sort_by(|a, b| worst(b).cmp(&worst(a)).then(size(b).total_cmp(&size(a))));
    Change { id: new.id.clone(), before: old.verdict.clone(), after: new.verdict.clone(), change: change.to_owned(), moved }
}

/// The change of a cell, if it is beyond chance. Seeds are paired where both checks were decided by the same ones; else the intervals of the means must not touch.
fn moved(old: &CheckedCell, new: &CheckedCell) -> Option<Moved> {
    let (difference, before) = if old.confirmed == new.confirmed && old.subject.len() == new.subject.len() {
        let pairs: Vec<(f64, f64)> = old.subject.iter().zip(&new.subject).filter_map(|(old, new)| Some(((*old)?, (*new)?))).collect();
        let difference = estimate(&pairs.iter().map(|(old, new)| new - old).collect::<Vec<_>>())?;
        (difference, pairs.iter().map(|(old, _)| old).sum::<f64>() / pairs.len() as f64)
    } else {
        let (old, new) = (old.value()?, new.value()?);
        (Estimate { mean: new.mean - old.mean, low: new.low - old.high, high: new.high - old.low }, old.mean)
    };
    let (cell, measure, unit) = (new.cell.clone(), new.measure.clone(), new.unit.clone());
    (difference.low > 0.0 || difference.high < 0.0).then_some(Moved { cell, measure, unit, before, difference })
}
