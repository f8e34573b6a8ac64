//! The page of a fidelity check.

use super::frame::{Frame, fill, notes};
use super::style::escape;
use crate::fidelity::Fidelity;
use narrows_measure::Quantity;

const MAIN: &str = include_str!("assets/fidelity.html");

/// The page: goals, cells worst first, the command that makes it again.
pub(crate) fn fidelity_html(fidelity: &Fidelity) -> String {
    let goals: String = fidelity
        .goals
        .iter()
        .map(|goal| {
            let (verdict, measured) = (if goal.met { "met" } else { "missed" }, goal.measured.as_deref().unwrap_or("–"));
            let numbers = [&goal.limit, measured, &goal.of_cells(), verdict].map(|text| format!("<td>{}</td>", escape(text))).concat();
            format!("<tr><th scope=\"row\">{}</th>{numbers}</tr>\n", escape(&goal.what))
        })
        .collect();
    let heads: String = Quantity::ALL.iter().map(|quantity| format!("<th scope=\"col\">{}</th>", escape(quantity.name()))).collect();
    let cells: String = fidelity
        .cells
        .iter()
        .map(|cell| {
            let numbers: String = match &cell.invalid {
                Some(why) => format!("<td colspan=\"{}\">{}</td>", Quantity::ALL.len(), escape(why)),
                None => Quantity::ALL.iter().map(|quantity| format!("<td>{}</td>", escape(&cell.gap(*quantity)))).collect(),
            };
            format!("<tr><td>{}</td><th scope=\"row\">{}</th>{numbers}</tr>\n", cell.number, escape(&cell.label))
        })
        .collect();
    let main = fill(MAIN, &[("goals", &goals), ("heads", &heads), ("cells", &cells), ("remake", &escape(&fidelity.remake))]);
    let frame = Frame { title: &fidelity.title, css: "", above: notes(&fidelity.notes), version: &fidelity.version, plots: None };
    frame.around(&main)
}
