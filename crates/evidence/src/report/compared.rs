//! Compares the checks of two versions of a controller.

use super::cell::CheckedCell;
use super::model::{Checked, CheckedCriterion};
use super::versions::{Change, Moved, Versions};
use crate::statistics::{Estimate, estimate};

/// Returns the changes from one check to another.
///
/// # Errors
///
/// The checks have different rules, cells or baselines, or no criterion that both judged. The text
/// names the difference.
pub fn compared(before: &Checked, after: &Checked) -> Result<Versions, String> {
    if let Some(why) = before.terms().differ(&after.terms()) {
        return Err(why);
    }
    let judged = |checked: &Checked| -> Vec<String> {
        checked
            .criteria
            .iter()
            .filter(|own| own.reason.is_none())
            .map(|own| own.id.clone())
            .collect()
    };
    let both = after
        .criteria
        .iter()
        .filter_map(|new| Some((before.criteria.iter().find(|old| old.id == new.id)?, new)));
    let criteria: Vec<Change> = both
        .filter(|(old, new)| old.reason.is_none() && new.reason.is_none())
        .map(|(old, new)| change(old, new))
        .collect();
    let (old, new) = (judged(before), judged(after));
    if criteria.is_empty() {
        let listed =
            |ids: &[String]| if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
        return Err(format!(
            "there is nothing to compare: the earlier check judged {}, this one {}; give both the same --only",
            listed(&old),
            listed(&new)
        ));
    }
    let mut not_compared: Vec<String> = old
        .iter()
        .chain(&new)
        .filter(|id| criteria.iter().all(|own| own.id != **id))
        .cloned()
        .collect();
    not_compared.dedup();
    Ok(Versions {
        before: before.controller.clone(),
        after: after.controller.clone(),
        criteria,
        not_compared,
    })
}

fn change(old: &CheckedCriterion, new: &CheckedCriterion) -> Change {
    let rank = |verdict: &str| ["pass", "concern", "fail"].iter().position(|own| *own == verdict);
    let change = match rank(&new.verdict).cmp(&rank(&old.verdict)) {
        std::cmp::Ordering::Less => "better",
        std::cmp::Ordering::Equal => "same",
        std::cmp::Ordering::Greater => "worse",
    };
    let same = |cell: &CheckedCell| {
        old.cells.iter().find(|own| {
            own.cell == cell.cell && own.measure == cell.measure && own.rule == cell.rule
        })
    };
    let mut moved: Vec<Moved> =
        new.cells.iter().filter_map(|cell| moved(same(cell)?, cell)).collect();
    moved.dedup_by(|a, b| a.cell == b.cell && a.measure == b.measure);
    let size = |own: &Moved| (own.difference.mean / own.before.abs().max(1e-9)).abs();
    let worst = |own: &Moved| {
        let first = |of: &CheckedCriterion| {
            of.cells
                .first()
                .is_some_and(|cell| cell.cell == own.cell && cell.measure == own.measure)
        };
        change != "same" && (first(old) || first(new))
    };
    moved.sort_by(|a, b| worst(b).cmp(&worst(a)).then(size(b).total_cmp(&size(a))));
    Change {
        id: new.id.clone(),
        before: old.verdict.clone(),
        after: new.verdict.clone(),
        change: change.to_owned(),
        moved,
    }
}

/// Returns the change of a cell if it is beyond chance. Seeds are paired if both checks were
/// decided by the same seeds. Otherwise the intervals of the means must not overlap.
fn moved(old: &CheckedCell, new: &CheckedCell) -> Option<Moved> {
    let (difference, before) = if old.confirmed == new.confirmed
        && old.subject.len() == new.subject.len()
    {
        let pairs: Vec<(f64, f64)> = old
            .subject
            .iter()
            .zip(&new.subject)
            .filter_map(|(old, new)| Some(((*old)?, (*new)?)))
            .collect();
        let difference = estimate(&pairs.iter().map(|(old, new)| new - old).collect::<Vec<_>>())?;
        (difference, pairs.iter().map(|(old, _)| old).sum::<f64>() / pairs.len() as f64)
    } else {
        let (old, new) = (old.value()?, new.value()?);
        (
            Estimate {
                mean: new.mean - old.mean,
                low: new.low - old.high,
                high: new.high - old.low,
            },
            old.mean,
        )
    };
    let (cell, measure, unit) = (new.cell.clone(), new.measure.clone(), new.unit.clone());
    (difference.low > 0.0 || difference.high < 0.0).then_some(Moved {
        cell,
        measure,
        unit,
        before,
        difference,
    })
}
