//! Colours and markers of the cases. Colour is never the only cue.

use crate::Comparison;

/// How many colours `page.css` defines.
const COLOURS: usize = 7;
const MARKERS: [&str; 6] = [
    "<circle cx=\"15\" cy=\"7\" r=\"4\"/>",
    "<rect x=\"11\" y=\"3\" width=\"8\" height=\"8\"/>",
    "<path d=\"M15 1.5 20.5 7 15 12.5 9.5 7Z\"/>",
    "<path d=\"M15 2 20 11H10Z\"/>",
    "<path d=\"M15 12 10 3H20Z\"/>",
    "<path d=\"M13 2h4v3h3v4h-3v3h-4V9h-3V5h3Z\"/>",
];

/// Text that is safe between tags and in attributes.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The drawn key of a case: its line and its marker.
pub(super) fn key(case: usize) -> String {
    format!(
        "<svg class=\"key\" viewBox=\"0 0 30 14\" style=\"color:var(--case-{})\" aria-hidden=\"true\"><path d=\"M0 7H30\"/>{}</svg>",
        case % COLOURS,
        MARKERS[case % MARKERS.len()],
    )
}

/// A switch for each case.
pub(super) fn switches(comparison: &Comparison) -> String {
    let one = |(index, case): (usize, &crate::Case)| {
        format!("<label><input type=\"checkbox\" checked data-case=\"{index}\">{}{}</label>\n", key(index), escape(&case.label))
    };
    comparison.cases.iter().enumerate().map(one).collect()
}

/// The seeds that can be chosen.
pub(super) fn seed_options(seeds: &[u64]) -> String {
    seeds.iter().enumerate().map(|(index, seed)| format!("<option value=\"{index}\">{seed}</option>")).collect()
}
