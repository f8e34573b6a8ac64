//! The report on a terminal.

use super::cell::{Beside, CheckedCell, OnKernel};
use super::model::{Checked, CheckedCriterion};
use crate::statistics::Estimate;
use narrows_figure::number::short;
use narrows_measure::metrics::in_words;
use narrows_report::{capital, text_table};
use std::collections::BTreeMap;

/// Formats the verdicts as a table, with the text above and below it.
pub fn check_text(checked: &Checked) -> String {
    let mut rows = vec![
        ["Criterion", &checked.document, "Verdict", "Worst cell", "Found there"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let common = common_reasons(checked);
    let alike = |own: &CheckedCriterion| {
        own.reason.as_ref().is_some_and(|reason| common.contains_key(reason.as_str()))
    };
    rows.extend(checked.criteria.iter().filter(|own| !own.is_shown() && !alike(own)).map(|own| {
        let verdict = if own.fragile.is_some() {
            format!("{}, fragile", own.verdict)
        } else {
            own.verdict.clone()
        };
        vec![
            own.id.clone(),
            own.section.clone(),
            verdict,
            place(own),
            own.cells.first().map_or_else(String::new, found),
        ]
    }));
    let mut text = format!(
        "{}: {}\n{}.\nThe report lists what this does not cover.\n\n",
        checked.controller,
        checked.line(),
        checked.extent()
    );
    let shown: Vec<String> =
        checked.criteria.iter().filter(|own| own.is_shown()).map(numbers).collect();
    text += &(rows.len() > 1)
        .then(|| text_table(&rows, 5))
        .into_iter()
        .chain(shown)
        .collect::<Vec<_>>()
        .join("\n");
    let undecided = checked
        .criteria
        .iter()
        .filter(|own| own.cells.first().is_some_and(|cell| cell.undecided))
        .map(|own| own.id.as_str());
    let undecided: Vec<&str> = undecided.collect();
    if !undecided.is_empty() {
        text +=
            &format!("\nUndecided, for the interval holds the bound: {}.\n", undecided.join(", "));
    }
    for (reason, (verdict, places)) in &common {
        text += &format!("\n{}, {}: {reason}.\n", capital(verdict), listed(checked, places));
    }
    for own in &checked.criteria {
        if let Some(kernel) = own.kernel.as_ref().and_then(|kernel| on_kernel(own, kernel)) {
            text += &format!("\n{}, on the kernel: {kernel}.\n", own.id);
        }
        if let Some(variant) = &own.fragile {
            text += &format!("\n{} passes {variant}.\n", own.id);
        }
        text += &improved(own)
            .map_or_else(String::new, |improved| format!("\n{}: {improved}.\n", own.id));
        text += &left_out(own);
    }
    if let Some(own) = &checked.conformance {
        text += &format!("\nExample cases of {}: {}.\n", own.draft, own.line);
    }
    for own in &checked.findings {
        text += &format!("\n{}\n", own.text(&checked.controller));
    }
    if let Some(own) = &checked.versions {
        text += &format!("\n{}", own.text());
    }
    text
}

/// Returns reasons that at least three criteria share, with the verdict and the indices of the
/// criteria. Rows for these criteria would say nothing more.
fn common_reasons(checked: &Checked) -> BTreeMap<&str, (&str, Vec<usize>)> {
    let mut all: BTreeMap<&str, (&str, Vec<usize>)> = BTreeMap::new();
    for (place, own) in checked.criteria.iter().enumerate() {
        if let Some(reason) = &own.reason {
            all.entry(reason).or_insert((&own.verdict, Vec::new())).1.push(place);
        }
    }
    all.retain(|_, (_, places)| places.len() >= 3);
    all
}

/// Lists criteria by their ids. Three or more consecutive ones become "T02 to T11".
fn listed(checked: &Checked, places: &[usize]) -> String {
    let id = |place: usize| checked.criteria[place].id.as_str();
    let rows = places.chunk_by(|one, next| one + 1 == *next).map(|row| match row {
        [first, _, .., last] => format!("{} to {}", id(*first), id(*last)),
        few => few.iter().map(|place| id(*place)).collect::<Vec<_>>().join(", "),
    });
    rows.collect::<Vec<_>>().join(", ")
}

/// Formats the numbers of a criterion that is not judged, as a table.
fn numbers(own: &CheckedCriterion) -> String {
    let rows: Vec<Vec<String>> = shown(own);
    format!("{} ({})\n\n{}", own.title, own.id, text_table(&rows, rows[0].len()))
}

/// Returns the numbers of a criterion that is not judged as rows, after a row of heads: cell,
/// measure, and a column for each controller.
pub(super) fn shown(own: &CheckedCriterion) -> Vec<Vec<String>> {
    // A baseline under test appears only once.
    let others = |cell: &CheckedCell| {
        cell.beside.iter().filter(|other| other.of != cell.of).cloned().collect::<Vec<_>>()
    };
    let whose = |cell: &CheckedCell| {
        std::iter::once(cell.of.clone())
            .chain(others(cell).into_iter().map(|other| other.of))
            .collect::<Vec<_>>()
    };
    let heads = own.cells.first().map_or_else(Vec::new, whose);
    let mut rows =
        vec![["Cell", "Measure"].map(str::to_owned).into_iter().chain(heads).collect::<Vec<_>>()];
    rows.extend(own.cells.iter().map(|cell| {
        let unit = if cell.unit.is_empty() { String::new() } else { format!(", {}", cell.unit) };
        let values = std::iter::once(mean(cell.value()))
            .chain(others(cell).iter().map(|other| mean(other.value())).collect::<Vec<_>>());
        [cell.cell.clone(), format!("{}{unit}", in_words(&cell.measure))]
            .into_iter()
            .chain(values)
            .collect()
    }));
    rows
}

/// Describes an improvement, if there is any: "standing queue improves on each baseline in 5 of 6
/// cells". The rule defines the required margin.
pub(super) fn improved(own: &CheckedCriterion) -> Option<String> {
    let first = own.cells.iter().find(|cell| cell.improves)?;
    let alike: Vec<&CheckedCell> =
        own.cells.iter().filter(|cell| cell.measure == first.measure).collect();
    let count = alike.iter().filter(|cell| cell.improves).count();
    let (measure, cells) = (in_words(&first.measure), alike.len());
    Some(format!("{measure} improves on each baseline in {count} of {cells} cells"))
}

/// Returns a paragraph for each grid that the controller cannot run in.
pub(super) fn left_out(own: &CheckedCriterion) -> String {
    own.left_out.iter().map(|grid| format!("\n{} is judged without {grid}.\n", own.id)).collect()
}

/// Describes the finding on the kernel: "fail; loss 13.1 % (simulated 14.2)".
pub(super) fn on_kernel(own: &CheckedCriterion, kernel: &OnKernel) -> Option<String> {
    if !kernel.issues.is_empty() {
        return Some(format!("the machine set part of the result: {}", kernel.issues.join("; ")));
    }
    let cell = own.cells.first()?;
    let mean = |values: &[Option<f64>]| {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        narrows_measure::statistics::mean(&defined).map_or("–".to_owned(), short)
    };
    Some(format!(
        "{}; {} {} {} (simulated {})",
        kernel.verdict,
        in_words(&cell.measure),
        mean(&kernel.subject),
        cell.unit,
        mean(&cell.subject)
    ))
}

/// Returns the worst cell, or the reason for its absence.
fn place(own: &CheckedCriterion) -> String {
    match (&own.reason, &own.comes_from, own.cells.first()) {
        (Some(reason), _, _) => reason.clone(),
        (_, Some(other), _) => format!("see {other}"),
        (_, _, Some(cell)) => cell.cell.clone(),
        _ => String::new(),
    }
}

/// Describes the numbers of a cell: "loss 14.2 %; newreno 0.555", "utilisation 78.2 %, delay p95
/// 55.0 ms; newreno 99.1 and 35.0"; for harm, the description of the harm.
pub fn found(cell: &CheckedCell) -> String {
    let one = |measure: &str, value: Option<Estimate>, unit: &str| {
        format!("{} {}{}", in_words(measure), mean(value), spaced(unit))
    };
    let first = one(&cell.measure, cell.value(), &cell.unit);
    match (&cell.note, &cell.second) {
        (Some(note), None) => note.clone(),
        (None, None) => format!("{first}; {}", others(cell)),
        (note, Some(own)) => {
            let note = note.as_ref().map_or_else(String::new, |note| format!("{note}: "));
            format!(
                "{note}{first}, {}; {}",
                one(&own.measure, own.value(), &own.unit),
                others(cell)
            )
        }
    }
}

/// Names the measured numbers: "utilisation", or "utilisation and delay p95".
pub(super) fn measured(cell: &CheckedCell) -> String {
    let second = cell.second.as_ref().map(|own| format!(" and {}", in_words(&own.measure)));
    in_words(&cell.measure) + &second.unwrap_or_default()
}

/// Formats the judged numbers: "12.3 [11.0–13.1] %"; two numbers are joined by "and".
pub(super) fn value(cell: &CheckedCell) -> String {
    let one = |value: Option<Estimate>, unit: &str| match value {
        None => "–".to_owned(),
        Some(own) if own.low == own.high => format!("{}{}", short(own.mean), spaced(unit)),
        Some(own) => {
            format!("{} [{}–{}]{}", short(own.mean), short(own.low), short(own.high), spaced(unit))
        }
    };
    let first = one(cell.value(), &cell.unit);
    cell.second
        .as_ref()
        .map_or(first.clone(), |own| format!("{first} and {}", one(own.value(), &own.unit)))
}

/// Formats the numbers for comparison: "newreno 0.2, cubic 0.3"; for two numbers "newreno 99.1 and
/// 35.0".
pub(super) fn others(cell: &CheckedCell) -> String {
    let one = |(place, own): (usize, &Beside)| {
        let second = cell.second.as_ref().map_or_else(String::new, |second| {
            format!(" and {}", mean(second.beside[place].value()))
        });
        format!("{} {}{second}", own.of, mean(own.value()))
    };
    cell.beside.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

/// Formats a mean, or a dash if it is undefined.
fn mean(value: Option<Estimate>) -> String {
    value.map_or("–".to_owned(), |own| short(own.mean))
}

/// Formats a unit after a number.
fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
