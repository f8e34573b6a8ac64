//! Colours and markers of the cases. Colour is never the only cue.

use crate::baseline::{Standing, Standings};
use crate::{Comparison, Group};
use narrows_figure::palette::{COLOURS, dashes};

const MARKERS: [&str; 6] = [
    "<circle cx=\"15\" cy=\"7\" r=\"4\"/>",
    "<rect x=\"11\" y=\"3\" width=\"8\" height=\"8\"/>",
    "<path d=\"M15 1.5 20.5 7 15 12.5 9.5 7Z\"/>",
    "<path d=\"M15 2 20 11H10Z\"/>",
    "<path d=\"M15 12 10 3H20Z\"/>",
    "<path d=\"M13 2h4v3h3v4h-3v3h-4V9h-3V5h3Z\"/>",
];

/// Escapes a text for use between tags and in attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Capitalises the first letter of a text.
pub fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Returns the legend key of a case: its line and its marker.
pub(crate) fn key(case: usize) -> String {
    format!(
        "<svg class=\"key\" viewBox=\"0 0 30 14\" style=\"color:var(--case-{})\" aria-hidden=\"true\"><path d=\"M0 7H30\"{}/>{}</svg>",
        case % COLOURS,
        dashed(case),
        MARKERS[case % MARKERS.len()],
    )
}

/// Returns the dashes of a case's line as an attribute.
fn dashed(case: usize) -> String {
    match dashes(case, 0) {
        [] => String::new(),
        dashes => format!(
            " stroke-dasharray=\"{}\"",
            dashes.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
        ),
    }
}

/// Returns the selection of a group, if there are groups, and a checkbox for each case.
pub(crate) fn switches(comparison: &Comparison) -> String {
    let option = |(index, group): (usize, &Group)| {
        format!("<option value=\"{index}\">{}</option>", escape(&group.title))
    };
    let options: String = comparison.groups.iter().enumerate().map(option).collect();
    let groups = if options.is_empty() {
        options
    } else {
        format!("<select id=\"group\" aria-label=\"Group shown\">{options}</select>\n")
    };
    let one = |(index, case): (usize, &crate::Case)| {
        format!(
            "<label><input type=\"checkbox\" checked data-case=\"{index}\">{}{}</label>\n",
            key(comparison.look(index)),
            escape(&case.label)
        )
    };
    groups + &comparison.cases.iter().enumerate().map(one).collect::<String>()
}

/// Returns the options of the selection of a seed.
pub(crate) fn seed_options(seeds: &[u64]) -> String {
    seeds
        .iter()
        .enumerate()
        .map(|(index, seed)| format!("<option value=\"{index}\">{seed}</option>"))
        .collect()
}

/// Formats the columns in which a case is worse, better or undecided against the baseline, as HTML.
pub(crate) fn standings(standings: &Standings) -> String {
    let part = |(standing, columns): (Standing, String)| {
        let class = standing.class();
        format!("<span class=\"{class}\"><b>{class}</b>: {}</span>", escape(&columns))
    };
    standings.parts().map(part).collect()
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
        assert!(!key(0).contains("dasharray") && key(8).contains("stroke-dasharray=\"6,2\""));
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
