//! The parts that every page has: head, title, notes, and the version at the end.

use super::packed::{PLOTLY, packed};
use super::style::escape;

const FRAME: &str = include_str!("assets/frame.html");
const SCRIPTS: &str = include_str!("assets/scripts.html");
const CSS: &str = include_str!("assets/page.css");
const COMMON: &str = concat!(include_str!("assets/common.js"), include_str!("assets/save.js"));

/// The frame around the main part of a page.
pub(crate) struct Frame<'a> {
    pub title: &'a str,
    /// Style rules in addition to those of all pages.
    pub css: &'a str,
    /// Content between title and main part, as HTML.
    pub above: String,
    pub version: &'a str,
    /// Explanation of how to read the plots, as HTML.
    pub reading: &'static str,
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
    pub fn around(&self, main: &str) -> String {
        let scripts = self.plots.as_ref().map_or_else(String::new, |plots| {
            fill(
                SCRIPTS,
                &[
                    ("plotly", PLOTLY),
                    ("data", &packed(&plots.data)),
                    ("common", COMMON),
                    ("own", plots.js),
                ],
            )
        });
        fill(
            FRAME,
            &[
                ("title", &escape(self.title)),
                ("css", &[CSS, self.css].concat()),
                ("above", &self.above),
                ("main", main),
                ("reading", self.reading),
                ("version", &escape(self.version)),
                ("scripts", &scripts),
            ],
        )
    }
}

/// Returns the line that describes the measurement.
pub(crate) fn setup(text: &str) -> String {
    format!("<p class=\"setup\">{}</p>\n", escape(text))
}

/// Returns the notes for the reader.
pub(crate) fn notes(all: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    all.into_iter()
        .map(|note| format!("<p class=\"note\">{}</p>\n", escape(note.as_ref())))
        .collect()
}

/// Replaces each `{{name}}` of a template by the part of that name. Placeholders inside the parts
/// stay as they are.
pub(crate) fn fill(template: &str, parts: &[(&str, &str)]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in_once() {
        assert_eq!(fill("a {{x}} b {{y}}.", &[("x", "{{y}}"), ("y", "2")]), "a {{y}} b 2.");
    }
}
