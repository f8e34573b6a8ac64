//! The page of a fidelity check.

use super::style::escape;
use super::{CSS, fill};
use crate::fidelity::Fidelity;
use narrows_measure::Quantity;

const PAGE: &str = include_str!("assets/fidelity.html");

/// The page: goals, cells worst first, the command that makes it again.
pub(crate) fn fidelity_html(fidelity: &Fidelity) -> String {
    let notes: String = fidelity.notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", escape(note))).collect();
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
    fill(
        PAGE,
        &[
            ("title", &escape(&fidelity.title)),
            ("css", CSS),
            ("notes", &notes),
            ("goals", &goals),
            ("heads", &heads),
            ("cells", &cells),
            ("remake", &escape(&fidelity.remake)),
            ("version", &escape(&fidelity.version)),
        ],
    )
}
