//! Colours and markers of the cases. Colour is never the only cue.

use crate::Comparison;
use crate::baseline::Standings;
use maud::{Markup, PreEscaped, html};
use narrows_figure::palette::{COLOURS, dashes};

const MARKERS: [&str; 6] = [
    "<circle cx=\"15\" cy=\"7\" r=\"4\"/>",
    "<rect x=\"11\" y=\"3\" width=\"8\" height=\"8\"/>",
    "<path d=\"M15 1.5 20.5 7 15 12.5 9.5 7Z\"/>",
    "<path d=\"M15 2 20 11H10Z\"/>",
    "<path d=\"M15 12 10 3H20Z\"/>",
    "<path d=\"M13 2h4v3h3v4h-3v3h-4V9h-3V5h3Z\"/>",
];

/// Capitalises the first letter of a text.
pub fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Returns the legend key of a case: its line and its marker.
pub(crate) fn key(case: usize) -> Markup {
    html! {
        svg.key viewBox="0 0 30 14" style=(format!("color:var(--case-{})", case % COLOURS)) aria-hidden="true" {
            path d="M0 7H30" stroke-dasharray=[dashed(case)] {}
            (PreEscaped(MARKERS[case % MARKERS.len()]))
        }
    }
}

/// Returns the dashes of a case's line; `None` for a solid line.
fn dashed(case: usize) -> Option<String> {
    let dashes = dashes(case, 0);
    let text = || dashes.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    (!dashes.is_empty()).then(text)
}

/// Returns the selection of a group, if there are groups, and a checkbox for each case.
pub(crate) fn switches(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.groups.is_empty() {
            select id="group" aria-label="Group shown" {
                @for (index, group) in comparison.groups.iter().enumerate() {
                    option value=(index) { (group.title) }
                }
            }
        }
        @for (index, case) in comparison.cases.iter().enumerate() {
            label {
                input type="checkbox" checked data-case=(index);
                (key(comparison.look(index))) (case.label)
            }
        }
    }
}

/// Returns the options of the selection of a seed.
pub(crate) fn seed_options(seeds: &[u64]) -> Markup {
    html!(@for (index, seed) in seeds.iter().enumerate() { option value=(index) { (seed) } })
}

/// Formats the columns in which a case is worse, better or undecided against the baseline.
pub(crate) fn standings(standings: &Standings) -> Markup {
    html! {
        @for (standing, columns) in standings.parts() {
            span class=(standing.class()) { b { (standing.class()) } ": " (columns) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_figure::palette::{self, Rgb, all_dashes};

    const CSS: &str = include_str!("assets/page.css");

    /// The colour that `page.css` gives a variable on light pages.
    fn variable(name: &str) -> Rgb {
        let (_, hex) = CSS.split_once(&format!("--{name}: #")).expect("a variable");
        [0, 2, 4].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits"))
    }

    #[test]
    fn pages_have_the_colours_of_figures() {
        for (case, colour) in palette::CASES.iter().enumerate() {
            assert_eq!(variable(&format!("case-{case}")), *colour);
        }
        for (place, colour) in palette::HEAT.iter().enumerate() {
            assert_eq!(variable(&format!("heat-{place}")), *colour);
        }
        for (place, colour) in palette::FAIR.iter().enumerate() {
            assert_eq!(variable(&format!("fair-{place}")), *colour);
        }
        let others = [("ink", palette::INK), ("soft", palette::SOFT), ("line", palette::LINE)];
        others.iter().for_each(|(name, colour)| assert_eq!(variable(name), *colour));
        assert!(!key(0).0.contains("dasharray") && key(8).0.contains("stroke-dasharray=\"6,2\""));
    }

    #[test]
    fn pages_dash_lines_as_figures_do() {
        let script = include_str!("assets/common.js");
        let (_, list) = script.split_once("const dashes = [").expect("a list");
        let (list, _) = list.split_once(']').expect("its end");
        let numbers = |text: &str| -> Vec<u32> {
            text.split(',').filter_map(|part| part.strip_suffix("px")?.parse().ok()).collect()
        };
        let drawn: Vec<Vec<u32>> =
            list.split("\", \"").map(|text| numbers(text.trim_matches('"'))).collect();
        assert_eq!(drawn, all_dashes());
    }
}
