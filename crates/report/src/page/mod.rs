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
use crate::figures::WholeRuns;
use crate::setup::setup;
pub use document::Document;
pub(crate) use fidelity::fidelity_html;
use frame::{Frame, Plots, fill, joined, notes};
pub use grid::grid_html;
use maud::{Markup, html};
use over_time::over_time;
pub(crate) use reproduction::reproduction_html;
use serde::Serialize;
pub use style::capital;
pub use underway::Underway;

const MAIN: &str = include_str!("assets/page.html");
const BARE: &str = include_str!("assets/bare.html");
const JS: &str = concat!(include_str!("assets/time.js"), include_str!("assets/page.js"));

/// The data of the plots of a comparison.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    over_time: &'a plots::Plots<'a>,
    #[serde(flatten)]
    whole: WholeRuns,
}

/// Returns the report as a page: results, plots, tables, scenarios and the command that repeats the
/// measurement. A result without runs has neither plots nor tables.
pub fn html(comparison: &Comparison) -> String {
    let measured = comparison.overlays.iter().map(|overlay| overlay.summary());
    let known = comparison.remarks().chain(measured);
    let frame = Frame {
        title: &comparison.title,
        css: "",
        above: joined([frame::setup(&setup(comparison)), warning(comparison), notes(known)]),
        version: &comparison.version,
        reading: include_str!("assets/reading/comparison.html"),
        explained: frame::PLOTS_AND_METRICS,
        plots: None,
    };
    let remake = html!((comparison.remake));
    if comparison.cases.is_empty() {
        return frame.around(fill(BARE, &[("remake", remake)]));
    }
    let (plots, shown) = (plots::plots(comparison, plots::WHOLE), Results::of(comparison));
    let data = Data { over_time: &plots, whole: WholeRuns::of(&plots) };
    let main = fill(
        MAIN,
        &[
            ("cases", style::switches(comparison)),
            ("results", tables::results(comparison, &shown)),
            ("time", over_time(comparison, &plots.seeds)),
            ("flows", tables::flows(comparison)),
            ("flow_word", html!((tables::flow_word(comparison)))),
            ("links", tables::links(comparison)),
            ("transfers", tables::transfers(comparison)),
            ("meanings", tables::meanings(&shown)),
            ("scenarios", tables::scenarios(comparison)),
            ("remake", remake),
        ],
    );
    let data = serde_json::to_string(&data).unwrap_or_default();
    Frame { plots: Some(Plots { data, js: JS }), ..frame }.around(main)
}

/// Returns the warning at the top of the page if a live run is invalid.
fn warning(comparison: &Comparison) -> Markup {
    let reasons = comparison.validity_issues();
    html! {
        @if !reasons.is_empty() {
            div.invalid role="alert" {
                p { (INVALID) }
                ul { @for issue in &reasons { li { (issue) } } }
            }
        }
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
