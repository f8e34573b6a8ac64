//! The page of a fidelity check.

use super::frame::{Frame, Plots, fill, notes};
use super::style::escape;
use crate::fidelity::{Fidelity, FidelityCell, Goal};
use narrows_measure::Quantity;
use serde::Serialize;

const MAIN: &str = include_str!("assets/fidelity.html");
const JS: &str = include_str!("assets/fidelity.js");

/// The values of a quantity on the kernel and in the simulator, one entry for each cell that
/// counts.
#[derive(Serialize)]
struct Measured<'a> {
    name: &'static str,
    unit: &'static str,
    cells: Vec<&'a str>,
    kernel: Vec<f64>,
    simulator: Vec<f64>,
    gaps: Vec<String>,
}

/// Returns the page: goals, plots of simulator against kernel, cells with the worst first, and the
/// command that repeats the measurement.
pub(crate) fn fidelity_html(fidelity: &Fidelity) -> String {
    let quantities = fidelity.quantities();
    let measured: Vec<Measured<'_>> = quantities
        .iter()
        .map(|quantity| measured(fidelity, *quantity))
        .filter(|own| !own.cells.is_empty())
        .collect();
    let plot = |(index, own): (usize, &Measured<'_>)| {
        let label = format!("{} of simulator and kernel", own.name);
        format!(
            "<div><div id=\"quantity{index}\" class=\"plot\" role=\"img\" aria-label=\"{}\"></div></div>\n",
            escape(&label)
        )
    };
    let heads: String = quantities
        .iter()
        .map(|quantity| format!("<th scope=\"col\">{}</th>", escape(quantity.name())))
        .collect();
    let main = fill(
        MAIN,
        &[
            ("goals", &fidelity.goals.iter().map(goal).collect::<String>()),
            ("plots", &measured.iter().enumerate().map(plot).collect::<String>()),
            ("heads", &heads),
            ("cells", &fidelity.cells.iter().map(|own| cell(own, &quantities)).collect::<String>()),
            ("invalid", &invalid(fidelity)),
            ("remake", &escape(&fidelity.remake)),
        ],
    );
    let frame = Frame {
        title: &fidelity.title,
        css: "",
        above: notes(&fidelity.notes),
        version: &fidelity.version,
        reading: include_str!("assets/reading/fidelity.html"),
        plots: Some(Plots { data: serde_json::to_string(&measured).unwrap_or_default(), js: JS }),
    };
    frame.around(&main)
}

fn measured(fidelity: &Fidelity, quantity: Quantity) -> Measured<'_> {
    let mut own = Measured {
        name: quantity.name(),
        unit: quantity.unit(),
        cells: vec![],
        kernel: vec![],
        simulator: vec![],
        gaps: vec![],
    };
    for cell in fidelity.cells.iter().filter(|cell| cell.invalid.is_none()) {
        for distance in cell.distances.iter().filter(|distance| distance.quantity == quantity) {
            own.cells.push(&cell.label);
            own.kernel.push(distance.reference);
            own.simulator.push(distance.other);
            own.gaps.push(distance.gap.to_string());
        }
    }
    own
}

fn goal(goal: &Goal) -> String {
    let verdict = match &goal.measured {
        Some(_) if goal.met => "met",
        Some(_) => "missed",
        None => "not measured",
    };
    let measured = goal.measured.as_deref().unwrap_or("–");
    let numbers = [&goal.limit, measured, &goal.of_cells(), verdict]
        .map(|text| format!("<td>{}</td>", escape(text)))
        .concat();
    format!("<tr><th scope=\"row\">{}</th>{numbers}</tr>\n", escape(&goal.what))
}

fn cell(cell: &FidelityCell, quantities: &[Quantity]) -> String {
    let gap = |quantity: &Quantity| {
        if cell.invalid.is_some() { "–".to_owned() } else { cell.gap(*quantity) }
    };
    let numbers: String =
        quantities.iter().map(|quantity| format!("<td>{}</td>", escape(&gap(quantity)))).collect();
    let class = if cell.invalid.is_some() { " class=\"off\"" } else { "" };
    format!(
        "<tr{class}><td>{}</td><th scope=\"row\">{}</th>{numbers}</tr>\n",
        cell.number,
        escape(&cell.label)
    )
}

/// Lists the cells that do not count, with the reasons.
fn invalid(fidelity: &Fidelity) -> String {
    let reason = |cell: &FidelityCell| {
        let why = cell.invalid.as_ref()?;
        Some(format!("<p><b>{} {}.</b> {}</p>\n", cell.number, escape(&cell.label), escape(why)))
    };
    let reasons: Vec<String> = fidelity.cells.iter().filter_map(reason).collect();
    if reasons.is_empty() {
        return String::new();
    }
    format!(
        "<details><summary>Cells that do not count: {}</summary>\n{}</details>\n",
        reasons.len(),
        reasons.concat()
    )
}
