//! Two checks of two versions of a controller, beside each other.

use super::digits::short;
use crate::statistics::Estimate;
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
    /// True if a verdict got worse.
    pub fn is_worse(&self) -> bool {
        self.criteria.iter().any(|own| own.change == "worse")
    }

    /// As rows of a table, its heads first.
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

    /// What was changed: "From a to b".
    pub(super) fn title(&self) -> String {
        format!("From {} to {}", self.before, self.after)
    }

    /// The criteria that are not compared, in a sentence; nothing if there are none.
    pub(super) fn rest(&self) -> Option<String> {
        (!self.not_compared.is_empty())
            .then(|| format!("Judged by one of the checks only: {}.", self.not_compared.join(", ")))
    }

    /// As a table.
    pub(super) fn text(&self) -> String {
        let rest = self.rest().map_or_else(String::new, |rest| format!("\n{rest}\n"));
        format!("{}\n\n{}{rest}", self.title(), text_table(&self.rows(), 5))
    }
}
