//! Pages with a main part from another crate.

use super::frame::{self, Frame, joined};
use maud::Markup;

/// A page in the style of all reports: one file that needs no network, with a title, notes and a
/// main part.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// Description of the measurement, in one line.
    pub setup: &'a str,
    /// Notes for the reader, one paragraph each.
    pub notes: &'a [String],
    /// Style rules in addition to those of all pages.
    pub css: &'a str,
    /// Explanation of how to read the page, as HTML.
    pub reading: &'static str,
    /// The documentation that explains the page, in a sentence.
    pub explained: &'static str,
    /// The main part.
    pub main: Markup,
    /// Version of the program.
    pub version: &'a str,
}

impl Document<'_> {
    /// Returns the page as HTML.
    pub fn html(self) -> String {
        let frame = Frame {
            title: self.title,
            css: self.css,
            above: joined([frame::setup(self.setup), frame::notes(self.notes)]),
            version: self.version,
            reading: self.reading,
            explained: self.explained,
            plots: None,
        };
        frame.around(self.main)
    }
}
