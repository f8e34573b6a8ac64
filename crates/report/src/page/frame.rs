//! The parts that every page has: head, title, notes, and the version at the end.

use super::packed::{PLOTLY, packed};
use maud::{Markup, PreEscaped, html};

const FRAME: &str = include_str!("assets/frame.html");
const SCRIPTS: &str = include_str!("assets/scripts.html");
const CSS: &str = include_str!("assets/page.css");
const COMMON: &str = concat!(
    include_str!("assets/common.js"),
    include_str!("assets/save.js"),
    include_str!("assets/figure.js")
);

/// The documentation of pages with plots of runs.
pub(crate) const PLOTS_AND_METRICS: &str =
    "docs/how-to/plots.md explains every plot, docs/reference/metrics.md every number.";

/// The frame around the main part of a page.
pub(crate) struct Frame<'a> {
    pub title: &'a str,
    /// Style rules in addition to those of all pages.
    pub css: &'a str,
    /// Content between title and main part.
    pub above: Markup,
    pub version: &'a str,
    /// Explanation of how to read the page, as HTML.
    pub reading: &'static str,
    /// The documentation that explains the page, in a sentence.
    pub explained: &'static str,
    pub plots: Option<Plots>,
}

/// The data and the script of a page's plots.
pub(crate) struct Plots {
    /// The data, as JSON.
    pub data: String,
    pub js: &'static str,
}

impl Frame<'_> {
    /// Returns the page with this main part.
    pub fn around(&self, main: Markup) -> String {
        let scripts = self.plots.as_ref().map_or_else(Markup::default, |plots| {
            let packed = packed(&plots.data);
            fill(
                SCRIPTS,
                &[
                    ("plotly", raw(PLOTLY)),
                    ("data", raw(&packed)),
                    ("common", raw(COMMON)),
                    ("own", raw(plots.js)),
                ],
            )
        });
        let page = fill(
            FRAME,
            &[
                ("title", html!((self.title))),
                ("css", raw(&[CSS, self.css].concat())),
                ("above", self.above.clone()),
                ("main", main),
                ("reading", raw(self.reading)),
                ("explained", html!((self.explained))),
                ("version", html!((self.version))),
                ("scripts", scripts),
            ],
        );
        page.into_string()
    }
}

/// Marks a text as HTML, script or style that needs no escaping.
pub(crate) fn raw(text: &str) -> Markup {
    PreEscaped(text.to_owned())
}

/// Returns the line that describes the measurement.
pub(crate) fn setup(text: &str) -> Markup {
    html!(p.setup { (text) })
}

/// Returns the notes for the reader.
pub(crate) fn notes(all: impl IntoIterator<Item = impl AsRef<str>>) -> Markup {
    html!(@for note in all { p.note { (note.as_ref()) } })
}

/// Returns parts of a page one after another.
pub(crate) fn joined(parts: impl IntoIterator<Item = Markup>) -> Markup {
    html!(@for part in parts { (part) })
}

/// Replaces each `{{name}}` of a template by the part of that name. Placeholders inside the parts
/// stay as they are.
pub(crate) fn fill(template: &'static str, parts: &[(&str, Markup)]) -> Markup {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        page += before;
        let part = parts.iter().find(|(own, _)| *own == name);
        debug_assert!(part.is_some(), "the page has a place for {name} and nothing to put there");
        page += part.map_or("", |(_, part)| &part.0);
        rest = after;
    }
    PreEscaped(page + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in_once() {
        let parts = [("x", html!(("{{y}}"))), ("y", html!(("2<")))];
        assert_eq!(fill("a {{x}} b {{y}}.", &parts).0, "a {{y}} b 2&lt;.");
    }
}
