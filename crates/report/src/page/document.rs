//! Pages whose main part another crate writes.

use super::frame::{self, Frame};

/// A page in the style of every report: one file that needs no network, with a title, what the reader must know, and a main part.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// Its title.
    pub title: &'a str,
    /// What was measured, in a line.
    pub setup: &'a str,
    /// What the reader must know, a paragraph each.
    pub notes: &'a [String],
    /// Rules of style beside those of all pages.
    pub css: &'a str,
    /// How to read it, as HTML.
    pub reading: &'static str,
    /// The main part, as HTML.
    pub main: &'a str,
    /// The version of the program.
    pub version: &'a str,
}

impl Document<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let frame = Frame {
            title: self.title,
            css: self.css,
            above: frame::setup(self.setup) + &frame::notes(self.notes),
            version: self.version,
            reading: self.reading,
            plots: None,
        };
        frame.around(self.main)
    }
}
