//! The page of a fidelity check.

use super::frame::{self, Frame, Plots, fill, joined, notes};
use crate::fidelity::{Fidelity, FidelityCell, Goal};
use crate::figures::of_quantity;
use maud::{Markup, html};
use narrows_figure::Figure;
use narrows_figure::number::short;
use narrows_measure::{Distance, Quantity};

const MAIN: &str = include_str!("assets/fidelity.html");
const JS: &str = include_str!("assets/fidelity.js");

/// Returns the page: goals, plots of simulator against kernel, cells with the worst first, and the
/// command that repeats the measurement.
pub(crate) fn fidelity_html(fidelity: &Fidelity) -> String {
    let quantities = fidelity.quantities();
    let measured: Vec<Figure> =
        quantities.iter().filter_map(|quantity| measured(fidelity, *quantity)).collect();
    let plots = html! {
        @for (index, own) in measured.iter().enumerate() {
            div { div.plot id={ "quantity" (index) } role="img" aria-label=(own.title) {} }
        }
    };
    let heads = html!(@for quantity in &quantities { th scope="col" { (quantity.name()) } });
    let cells = fidelity.cells.iter().map(|own| cell(own, &quantities));
    let main = fill(
        MAIN,
        &[
            ("goals", joined(fidelity.goals.iter().map(goal))),
            ("plots", plots),
            ("heads", heads),
            ("cells", joined(cells)),
            ("invalid", invalid(fidelity)),
            ("remake", html!((fidelity.remake))),
        ],
    );
    let frame = Frame {
        title: &fidelity.title,
        css: "",
        above: notes(&fidelity.notes),
        version: &fidelity.version,
        reading: include_str!("assets/reading/fidelity.html"),
        explained: frame::PLOTS_AND_METRICS,
        plots: Some(Plots { data: serde_json::to_string(&measured).unwrap_or_default(), js: JS }),
    };
    frame.around(main)
}

/// Returns the plot of a quantity, with all cells that count; `None` if no cell counts.
fn measured(fidelity: &Fidelity, quantity: Quantity) -> Option<Figure> {
    let counted = fidelity.cells.iter().filter(|cell| cell.invalid.is_none());
    let distances = counted.flat_map(|cell| {
        cell.distances.iter().filter(|own| own.quantity == quantity).map(move |own| (cell, own))
    });
    let unit =
        if quantity.unit().is_empty() { String::new() } else { format!(" {}", quantity.unit()) };
    let point = |(cell, own): (&FidelityCell, &Distance)| {
        let worlds = [own.reference, own.other].map(|value| short(value) + &unit);
        let text =
            format!("{}: {}\nkernel {}, simulator {}", cell.label, own.gap, worlds[0], worlds[1]);
        ((own.reference, own.other), text)
    };
    let (both, texts) = distances.map(point).unzip();
    of_quantity(quantity, both, texts)
}

fn goal(goal: &Goal) -> Markup {
    let verdict = match &goal.measured {
        Some(_) if goal.met => "met",
        Some(_) => "missed",
        None => "not measured",
    };
    let measured = goal.measured.as_deref().unwrap_or("–");
    html! {
        tr {
            th scope="row" { (goal.what) }
            @for text in [&goal.limit, measured, &goal.of_cells(), verdict] { td { (text) } }
        }
    }
}

fn cell(cell: &FidelityCell, quantities: &[Quantity]) -> Markup {
    let gap = |quantity: &Quantity| {
        if cell.invalid.is_some() { "–".to_owned() } else { cell.gap(*quantity) }
    };
    html! {
        tr.off[cell.invalid.is_some()] {
            td { (cell.number) }
            th scope="row" { (cell.label) }
            @for quantity in quantities { td { (gap(quantity)) } }
        }
    }
}

/// Lists the cells that do not count, with the reasons.
fn invalid(fidelity: &Fidelity) -> Markup {
    let reason = |cell: &FidelityCell| {
        let why = cell.invalid.as_ref()?;
        Some(html!(p { b { (cell.number) " " (cell.label) "." } " " (why) }))
    };
    let reasons: Vec<Markup> = fidelity.cells.iter().filter_map(reason).collect();
    if reasons.is_empty() {
        return Markup::default();
    }
    html!(details { summary { "Cells that do not count: " (reasons.len()) } (joined(reasons)) })
}
