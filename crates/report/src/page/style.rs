//! Colours and markers of the cases. Colour is never the only cue.

use crate::Comparison;

/// How many colours `page.css` defines.
pub(super) const COLOURS: usize = 7;
const MARKERS: [&str; 6] = [
    "<circle cx=\"15\" cy=\"7\" r=\"4\"/>",
    "<rect x=\"11\" y=\"3\" width=\"8\" height=\"8\"/>",
    "<path d=\"M15 1.5 20.5 7 15 12.5 9.5 7Z\"/>",
    "<path d=\"M15 2 20 11H10Z\"/>",
    "<path d=\"M15 12 10 3H20Z\"/>",
    "<path d=\"M13 2h4v3h3v4h-3v3h-4V9h-3V5h3Z\"/>",
];

/// How lines of one colour are dashed: pixels on and off. Those of `common.js`.
const DASHES: [&[u32]; 9] = [
    &[],
    &[6, 2],
    &[8, 4],
    &[1, 4],
    &[2, 3],
    &[5, 2, 1, 2],
    &[8, 3, 2, 3],
    &[4, 4, 1, 4],
    &[12, 4],
];
const CSS: &str = include_str!("assets/page.css");

/// Text that is safe between tags and in attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A text that begins a sentence.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// The drawn key of a case: its line and its marker.
pub(super) fn key(case: usize) -> String {
    format!(
        "<svg class=\"key\" viewBox=\"0 0 30 14\" style=\"color:var(--case-{})\" aria-hidden=\"true\"><path d=\"M0 7H30\"{}/>{}</svg>",
        case % COLOURS,
        dashed(case),
        MARKERS[case % MARKERS.len()],
    )
}

/// The marker of a case in its colour, to be placed by its middle.
pub(super) fn mark(case: usize, style: &str) -> String {
    let shape = MARKERS[case % MARKERS.len()];
    format!(
        "<svg class=\"mark\" viewBox=\"8 0 14 14\" style=\"color:var(--case-{});{style}\" aria-hidden=\"true\">{shape}</svg>",
        case % COLOURS
    )
}

/// The dashes of a case's line as an attribute.
fn dashed(case: usize) -> String {
    match dashes(case, 0) {
        [] => String::new(),
        dashes => format!(
            " stroke-dasharray=\"{}\"",
            dashes.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
        ),
    }
}

/// The dashes of the `part`-th line of a case, none for the first of the first cases. In two rounds of colours, four lines of a case have dashes of their own.
pub(super) fn dashes(case: usize, part: usize) -> &'static [u32] {
    DASHES[(case / COLOURS + 2 * part) % DASHES.len()]
}

/// The colour of a case on white, as red, green and blue.
pub(super) fn colour(case: usize) -> [u8; 3] {
    named_colour(&format!("--case-{}", case % COLOURS))
}

/// A colour of `page.css` on white.
pub(super) fn named_colour(name: &str) -> [u8; 3] {
    let hex = CSS.split_once(&format!("{name}: #")).map_or("", |(_, after)| after);
    [0, 2, 4].map(|at| {
        hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or(0)
    })
}

/// A switch for each case.
pub(super) fn switches(comparison: &Comparison) -> String {
    let one = |(index, case): (usize, &crate::Case)| {
        format!(
            "<label><input type=\"checkbox\" checked data-case=\"{index}\">{}{}</label>\n",
            key(index),
            escape(&case.label)
        )
    };
    comparison.cases.iter().enumerate().map(one).collect()
}

/// The seeds that can be chosen.
pub(super) fn seed_options(seeds: &[u64]) -> String {
    seeds
        .iter()
        .enumerate()
        .map(|(index, seed)| format!("<option value=\"{index}\">{seed}</option>"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_light_pages() {
        assert_eq!(colour(0), [0x00, 0x72, 0xb2]);
        assert_eq!(colour(8), [0xd5, 0x5e, 0x00]);
        assert!(!key(0).contains("dasharray") && key(8).contains("stroke-dasharray=\"6,2\""));
    }

    #[test]
    fn four_lines_of_each_of_fourteen_cases_differ() {
        let lines: std::collections::BTreeSet<([u8; 3], &[u32])> = (0..14)
            .flat_map(|case| (0..4).map(move |part| (colour(case), dashes(case, part))))
            .collect();
        assert_eq!(lines.len(), 14 * 4);
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
        assert_eq!(drawn, DASHES);
        assert!(script.contains(&format!("Math.floor(k / {COLOURS}) + 2 * part")));
    }
}
