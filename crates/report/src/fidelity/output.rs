//! The table, JSON, CSV and directory of a fidelity check.

use super::model::{Fidelity, FidelityCell, Goal};
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::page::fidelity_html;
use crate::reserved::Reserved;
use crate::table::{text_table, wrap};
use narrows_measure::{Distance, Gap, Quantity};
use serde::Serialize;

#[derive(Serialize)]
struct Whole<'a> {
    format: u32,
    kind: &'static str,
    narrows: &'a str,
    title: &'a str,
    remake: &'a str,
    notes: &'a [String],
    goals: &'a [Goal],
    cells: Vec<CellOut<'a>>,
}

#[derive(Serialize)]
struct CellOut<'a> {
    number: u32,
    cell: &'a str,
    invalid: Option<&'a str>,
    distances: Vec<DistanceOut>,
}

#[derive(Serialize)]
struct DistanceOut {
    quantity: &'static str,
    unit: &'static str,
    kernel: f64,
    simulator: f64,
    gap: f64,
    gap_is: &'static str,
}

impl DistanceOut {
    fn of(distance: &Distance) -> DistanceOut {
        let (gap, gap_is) = match distance.gap {
            Gap::Percent(value) => (value, "percent of the kernel's"),
            Gap::Factor(value) => (value, "simulator over kernel"),
            Gap::Difference(value) => (value, "difference"),
        };
        let quantity = distance.quantity;
        DistanceOut {
            quantity: quantity.name(),
            unit: quantity.unit(),
            kernel: distance.reference,
            simulator: distance.other,
            gap,
            gap_is,
        }
    }
}

/// Returns the text of `fidelity.json`.
pub fn fidelity_json(fidelity: &Fidelity) -> String {
    let cell = |cell: &'_ FidelityCell| cell.distances.iter().map(DistanceOut::of).collect();
    let whole = Whole {
        format: crate::summary::FORMAT,
        kind: "fidelity",
        narrows: &fidelity.version,
        title: &fidelity.title,
        remake: &fidelity.remake,
        notes: &fidelity.notes,
        goals: &fidelity.goals,
        cells: fidelity
            .cells
            .iter()
            .map(|own| CellOut {
                number: own.number,
                cell: &own.label,
                invalid: own.invalid.as_deref(),
                distances: cell(own),
            })
            .collect(),
    };
    let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    text.push('\n');
    text
}

/// Formats the cells, worst first, and the goals as plain text.
pub fn fidelity_table(fidelity: &Fidelity) -> String {
    let quantities = fidelity.quantities();
    let heads = ["#", "Cell"]
        .into_iter()
        .chain(quantities.iter().map(|quantity| quantity.name()))
        .map(str::to_owned);
    let mut rows = vec![heads.collect::<Vec<String>>()];
    for cell in &fidelity.cells {
        let gap = |quantity: &Quantity| {
            if cell.invalid.is_some() { "invalid".to_owned() } else { cell.gap(*quantity) }
        };
        let gaps = quantities.iter().map(gap);
        rows.push([cell.number.to_string(), cell.label.clone()].into_iter().chain(gaps).collect());
    }
    let mut goals = vec![["Goal", "At most", "Is", "Cells", ""].map(str::to_owned).to_vec()];
    for goal in &fidelity.goals {
        let verdict = if goal.met { "met" } else { "not met" };
        goals.push(vec![
            goal.what.clone(),
            goal.limit.clone(),
            goal.measured.clone().unwrap_or_else(|| "-".to_owned()),
            goal.of_cells(),
            verdict.to_owned(),
        ]);
    }
    let notes: String = fidelity.notes.iter().map(|note| wrap(&format!("Note: {note}"))).collect();
    format!("{}\n\n{}\n{}{notes}", fidelity.title, text_table(&rows, 2), text_table(&goals, 1))
}

/// Returns the text of `fidelity.csv`: a row for each cell and quantity.
fn csv(fidelity: &Fidelity) -> String {
    let mut text = "number,cell,quantity,unit,kernel,simulator,gap,gap_is,invalid\n".to_owned();
    for cell in &fidelity.cells {
        for DistanceOut { quantity, unit, kernel, simulator, gap, gap_is } in
            cell.distances.iter().map(DistanceOut::of)
        {
            let (number, label, invalid) =
                (cell.number, cell.label.replace('"', "\"\""), cell.invalid.is_some());
            text += &format!(
                "{number},\"{label}\",{quantity},{unit},{kernel},{simulator},{gap},{gap_is},{invalid}\n"
            );
        }
    }
    text
}

/// Writes a fidelity check into its reserved directory: `fidelity.json`, `fidelity.csv`,
/// `report.html`, `run.json` and the scenario of each cell. The directory appears complete or not
/// at all.
///
/// # Errors
///
/// Something cannot be written.
pub fn write_fidelity(
    reserved: Reserved,
    fidelity: &Fidelity,
    info: &RunInfo,
) -> Result<(), ReportError> {
    for cell in &fidelity.cells {
        reserved.file(&format!("cell-{:02}.toml", cell.number), cell.scenario_toml.as_bytes())?;
    }
    reserved.file("fidelity.json", fidelity_json(fidelity).as_bytes())?;
    reserved.file("fidelity.csv", csv(fidelity).as_bytes())?;
    reserved.file("report.html", fidelity_html(fidelity).as_bytes())?;
    reserved.file("run.json", info.json(&fidelity.version, Vec::new()).as_bytes())?;
    reserved.complete()
}
