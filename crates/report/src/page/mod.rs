//! The report: one HTML file that needs no network and no other file.

mod changes;
mod fidelity;
mod grid;
pub(crate) mod lines;
mod plots;
mod reproduction;
mod style;
mod tables;
mod transfers;

use crate::Comparison;
use crate::emulation::INVALID;
use crate::setup::setup;
pub(crate) use fidelity::fidelity_html;
pub use grid::grid_html;
pub(crate) use reproduction::reproduction_html;
use style::escape;

const PAGE: &str = include_str!("assets/page.html");
const CSS: &str = include_str!("assets/page.css");
const JS: &str = include_str!("assets/page.js");

/// The report as a page: results, plots, tables, scenario and the command that makes it again.
pub fn html(comparison: &Comparison) -> String {
    let measured = comparison.overlays.iter().map(|overlay| overlay.summary());
    let notes = comparison.exactness().chain(comparison.notes.iter().cloned()).chain(measured);
    let notes: String = notes.map(|note| format!("<p class=\"note\">{}</p>\n", escape(&note))).collect();
    let plots = plots::plots(comparison);
    fill(
        PAGE,
        &[
            ("title", &escape(&comparison.title)),
            ("css", CSS),
            ("setup", &escape(&setup(comparison))),
            ("notes", &format!("{}{notes}", warning(comparison))),
            ("cases", &style::switches(comparison)),
            ("results", &tables::results(comparison)),
            ("seeds", &style::seed_options(&plots.seeds)),
            ("drawn", &drawn(comparison, plots.seeds.len())),
            ("flows", &tables::flows(comparison)),
            ("links", &tables::links(comparison)),
            ("transfers", &tables::transfers(comparison)),
            ("meanings", &tables::meanings(comparison)),
            ("scenarios", &tables::scenarios(comparison)),
            ("remake", &escape(&comparison.remake)),
            ("version", &escape(&comparison.version)),
            ("plotly", plotly()),
            ("data", &plots.json().replace('<', "\\u003c")),
            ("js", JS),
        ],
    )
}

/// What stands above everything else if the run is not to be trusted.
fn warning(comparison: &Comparison) -> String {
    let reasons: String = comparison.doubts().iter().map(|doubt| format!("<li>{}</li>\n", escape(doubt))).collect();
    if reasons.is_empty() {
        String::new()
    } else {
        format!("<div class=\"invalid\" role=\"alert\"><p>{INVALID}</p>\n<ul>\n{reasons}</ul></div>\n")
    }
}

/// Says so where not every seed is drawn over time.
fn drawn(comparison: &Comparison, seeds: usize) -> String {
    let most = comparison.cases.iter().map(|case| case.runs.len()).max().unwrap_or(0);
    if seeds < most { format!(" Only the first of {most} seeds is drawn; the tables and the other plots have all.") } else { String::new() }
}

/// Puts the parts in their places; what a part contains is not looked at again.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        page += before;
        let part = parts.iter().find(|(own, _)| *own == name);
        debug_assert!(part.is_some(), "the page has a place for {name} and nothing to put there");
        page += part.map_or("", |(_, part)| part);
        rest = after;
    }
    page + rest
}

/// The plotting script alone, without the typesetting script that its crate delivers beside it.
fn plotly() -> &'static str {
    use std::sync::OnceLock;
    static SCRIPT: OnceLock<String> = OnceLock::new();
    SCRIPT.get_or_init(|| {
        let sources = plotly::Plot::offline_js_sources();
        let script = sources.split_once('>').and_then(|(_, after)| after.split_once("</script>"));
        script.map_or_else(String::new, |(script, _)| script.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in_once() {
        assert_eq!(fill("a {{x}} b {{y}}.", &[("x", "{{y}}"), ("y", "2")]), "a {{y}} b 2.");
    }

    #[test]
    fn every_place_of_the_page_has_a_part() {
        assert!(html(&Comparison::new("t", vec![], "narrows run")).contains("narrows run"));
    }

    #[test]
    fn the_script_is_the_plotting_library_and_only_that() {
        assert!(plotly().contains("plotly.js v") && !plotly().contains("</script"));
        assert!(plotly().len() < 5_000_000 && !plotly().contains("MathJax.loader"));
    }
}
