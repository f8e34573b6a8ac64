//! The comparison of the checks of two versions of a controller.

use crate::statistics::Estimate;
use narrows_figure::number::short;
use narrows_report::text_table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The changes from one check to another.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Versions {
    /// The controller of the earlier check.
    pub before: String,
    /// The controller of this check.
    pub after: String,
    /// Each criterion that both checks judged.
    pub criteria: Vec<Change>,
    /// Ids of the criteria that only one of the checks judged.
    pub not_compared: Vec<String>,
}

/// The change of a criterion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Identifier.
    pub id: String,
    /// Verdict of the earlier check.
    pub before: String,
    /// Verdict of this check.
    pub after: String,
    /// better, worse or same.
    pub change: String,
    /// Cells with a change beyond chance: the interval of the difference lies on one side of zero.
    /// If the verdict changed, the cells that were worst in one of the checks come first. The other
    /// cells are in order of the relative change, the largest first.
    pub moved: Vec<Moved>,
}

/// A cell with a change beyond chance.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// Description of the cell.
    pub cell: String,
    /// Name of the measured number.
    pub measure: String,
    /// Unit of the number.
    pub unit: String,
    /// Mean of the earlier check.
    pub before: f64,
    /// Mean difference of equal seeds, with its interval. If the checks were decided by different
    /// seeds, the difference of the means.
    pub difference: Estimate,
}

impl Versions {
    /// True if a verdict got worse.
    pub fn is_worse(&self) -> bool {
        self.criteria.iter().any(|own| own.change == "worse")
    }

    /// Returns the rows of a table, its heads first.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![
            ["Criterion", "Before", "Now", "", "A change beyond chance"]
                .map(str::to_owned)
                .to_vec(),
        ];
        rows.extend(self.criteria.iter().map(|own| {
            let moved = own.moved.first().map_or_else(String::new, |cell| {
                let Estimate { mean, low, high } = cell.difference;
                let sign =
                    |value: f64| format!("{}{}", if value > 0.0 { "+" } else { "" }, short(value));
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
            vec![
                own.id.clone(),
                own.before.clone(),
                own.after.clone(),
                own.change.clone(),
                moved.trim_end().to_owned(),
            ]
        }));
        rows
    }

    /// Returns the title: "From a to b".
    pub(super) fn title(&self) -> String {
        format!("From {} to {}", self.before, self.after)
    }

    /// Lists the criteria that are not compared, in a sentence; `None` if all are compared.
    pub(super) fn rest(&self) -> Option<String> {
        (!self.not_compared.is_empty())
            .then(|| format!("Judged by one of the checks only: {}.", self.not_compared.join(", ")))
    }

    /// Formats the changes as a table.
    pub(super) fn text(&self) -> String {
        let rest = self.rest().map_or_else(String::new, |rest| format!("\n{rest}\n"));
        format!("{}\n\n{}{rest}", self.title(), text_table(&self.rows(), 5))
    }
}
