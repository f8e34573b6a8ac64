//! The table on a terminal.

use super::model::{Checked, CheckedCell, CheckedCriterion};
use narrows_report::text_table;

/// The verdicts as a table, with what stands above and below it.
pub fn check_text(checked: &Checked) -> String {
    let mut rows = vec![["Criterion", "RFC 9743", "Verdict", "Worst cell", "Value", "Beside it"].map(str::to_owned).to_vec()];
    rows.extend(checked.criteria.iter().map(|own| {
        let cell = own.cells.first();
        let verdict = if own.fragile.is_some() { format!("{} (fragile)", own.verdict) } else { own.verdict.clone() };
        vec![
            own.id.clone(),
            own.section.clone(),
            verdict,
            what(own),
            cell.map_or_else(String::new, value),
            cell.map_or_else(String::new, others),
        ]
    }));
    let extent = if checked.quick { "quick" } else { "full" };
    let mut text = format!(
        "{}: {}\nAgainst {}; rules {}, {extent}, {} seeds, {} runs. {}\n\n",
        checked.controller,
        checked.line(),
        checked.baselines.join(" and "),
        checked.rules,
        checked.seeds,
        checked.runs,
        "Not shown by any of this: see the report."
    );
    text += &text_table(&rows, 6);
    let notes = checked.criteria.iter().filter_map(|own| Some((own, own.cells.first().filter(|_| own.verdict != "pass")?)));
    let notes: String = notes.filter_map(|(own, cell)| note(own, cell)).collect();
    if !notes.is_empty() {
        text += "\n";
        text += &notes;
    }
    text
}

/// The worst cell, or the reason that there is none.
fn what(own: &CheckedCriterion) -> String {
    if let Some(reason) = &own.reason {
        return reason.clone();
    }
    match (&own.comes_from, own.cells.first()) {
        (Some(other), _) => format!("see {other}"),
        (None, Some(cell)) => format!("{}: {}", cell.cell, cell.measure),
        (None, None) => String::new(),
    }
}

fn note(own: &CheckedCriterion, cell: &CheckedCell) -> Option<String> {
    let undecided = cell.undecided.then(|| "undecided: the interval holds the bound".to_owned());
    let fragile = own.fragile.as_ref().map(|variant| format!("fragile: passes {variant}"));
    let all: Vec<String> = cell.note.clone().into_iter().chain(undecided).chain(fragile).collect();
    (!all.is_empty()).then(|| format!("{}: {}\n", own.id, all.join("; ")))
}

/// "12.3 [11.0–13.1] %".
pub(super) fn value(cell: &CheckedCell) -> String {
    let unit = if cell.unit.is_empty() { String::new() } else { format!(" {}", cell.unit) };
    match cell.value() {
        None => "–".to_owned(),
        Some(own) if own.low == own.high => format!("{}{unit}", short(own.mean)),
        Some(own) => format!("{} [{}–{}]{unit}", short(own.mean), short(own.low), short(own.high)),
    }
}

/// "newreno 0.2, cubic 0.3".
pub(super) fn others(cell: &CheckedCell) -> String {
    let mean = |values: &Vec<Option<f64>>| {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        narrows_measure::bootstrap::mean(&defined).map_or("–".to_owned(), short)
    };
    cell.beside.iter().map(|(name, values)| format!("{name} {}", mean(values))).collect::<Vec<_>>().join(", ")
}

/// A number to three digits.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 100.0 || size == 0.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
