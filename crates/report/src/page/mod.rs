//! The report: one HTML file that needs no network and no other file.

mod changes;
mod document;
mod fidelity;
mod frame;
mod grid;
mod icn;
mod levels;
pub(crate) mod lines;
mod over_time;
pub(crate) mod overall;
mod packed;
mod pairs;
mod panels;
pub(crate) mod plots;
mod reproduction;
mod scorecard;
pub(crate) mod style;
mod tables;
pub(crate) mod transfers;
mod underway;

use crate::Comparison;
use crate::columns::Results;
use crate::emulation::INVALID;
use crate::setup::setup;
pub use document::Document;
pub(crate) use fidelity::fidelity_html;
use frame::{Frame, Plots, fill, notes};
pub use grid::grid_html;
use over_time::over_time;
pub(crate) use reproduction::reproduction_html;
pub use style::{capital, escape};
pub use underway::Underway;

const MAIN: &str = include_str!("assets/page.html");
const BARE: &str = include_str!("assets/bare.html");
const JS: &str = concat!(
    include_str!("assets/scatter.js"),
    include_str!("assets/time.js"),
    include_str!("assets/spread.js"),
    include_str!("assets/page.js")
);

/// Returns the report as a page: results, plots, tables, scenarios and the command that repeats the
/// measurement. A result without runs has neither plots nor tables.
pub fn html(comparison: &Comparison) -> String {
    let measured = comparison.overlays.iter().map(|overlay| overlay.summary());
    let known = comparison.remarks().chain(measured);
    let frame = Frame {
        title: &comparison.title,
        css: "",
        above: [frame::setup(&setup(comparison)), warning(comparison), notes(known)].concat(),
        version: &comparison.version,
        reading: include_str!("assets/reading/comparison.html"),
        plots: None,
    };
    if comparison.cases.is_empty() {
        return frame.around(&fill(BARE, &[("remake", &escape(&comparison.remake))]));
    }
    let (plots, shown) = (plots::plots(comparison, plots::WHOLE), Results::of(comparison));
    let main = fill(
        MAIN,
        &[
            ("cases", &style::switches(comparison)),
            ("results", &tables::results(comparison, &shown)),
            ("time", &over_time(comparison, &plots.seeds)),
            ("flows", &tables::flows(comparison)),
            ("flow_word", tables::flow_word(comparison)),
            ("links", &tables::links(comparison)),
            ("transfers", &tables::transfers(comparison)),
            ("meanings", &tables::meanings(&shown)),
            ("scenarios", &tables::scenarios(comparison)),
            ("remake", &escape(&comparison.remake)),
        ],
    );
    Frame { plots: Some(Plots { data: plots.json(), js: JS }), ..frame }.around(&main)
}

/// Returns the warning at the top of the page if a live run is invalid.
fn warning(comparison: &Comparison) -> String {
    let reasons: String = comparison
        .validity_issues()
        .iter()
        .map(|issue| format!("<li>{}</li>\n", escape(issue)))
        .collect();
    if reasons.is_empty() {
        String::new()
    } else {
        format!(
            "<div class=\"invalid\" role=\"alert\"><p>{INVALID}</p>\n<ul>\n{reasons}</ul></div>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_without_runs_has_no_plots() {
        let page = html(&Comparison::new("t", vec![], "narrows run"));
        assert!(
            page.contains("This result has no runs.")
                && page.contains("narrows run")
                && !page.contains("scatter"),
            "{page}"
        );
    }
}
