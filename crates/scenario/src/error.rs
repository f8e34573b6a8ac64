//! Errors of scenarios: the problem, its place, and the remedy.

use crate::excerpt::{self, excerpt, visible};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt::{self, Display};
use std::ops::Range;

/// A problem at a place of the text, without the name of the file.
#[derive(Debug)]
pub struct Problem {
    message: String,
    help: String,
    marks: Vec<(Range<usize>, Option<String>)>,
}

/// A value that was read from a text, or the problem with it.
pub type Checked<T> = Result<T, Box<Problem>>;

impl Problem {
    /// A problem with the text at `span`.
    pub fn at(
        span: &Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<Problem> {
        Box::new(Problem {
            message: message.into(),
            help: help.into(),
            marks: vec![(span.clone(), None)],
        })
    }

    /// Labels the place of the problem.
    pub fn saying(mut self: Box<Problem>, label: impl Into<String>) -> Box<Problem> {
        self.marks[0].1 = Some(label.into());
        self
    }

    /// True if `span` overlaps a place of the problem.
    pub(crate) fn touches(&self, span: &Range<usize>) -> bool {
        self.marks
            .iter()
            .any(|(own, _)| !own.is_empty() && own.start < span.end && span.start < own.end)
    }

    /// True if the other problem has the same message, wherever it is.
    pub(crate) fn says_as(&self, other: &Problem) -> bool {
        self.message == other.message
    }

    /// Makes it the problem of a cell of a sweep, shown at the places of the cell's axes.
    pub(crate) fn of_cell(self, cell: &str, marks: Vec<(Range<usize>, String)>) -> Box<Problem> {
        let marks = marks.into_iter().map(|(span, label)| (span, Some(label))).collect();
        Box::new(Problem {
            message: format!("in the cell with {cell}: {}", self.message),
            help: self.help,
            marks,
        })
    }

    /// Shows another place.
    pub fn and(
        mut self: Box<Problem>,
        span: &Range<usize>,
        label: impl Into<String>,
    ) -> Box<Problem> {
        self.marks.push((span.clone(), Some(label.into())));
        self
    }
}

/// The reason why a scenario is refused: the message, the line, and the remedy. It is shown with
/// the line by [`rendered`](ScenarioError::rendered), or in one line by
/// [`short`](ScenarioError::short).
#[derive(Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    help: String,
    file: String,
    line: Option<usize>,
    excerpt: Option<Excerpt>,
}

/// The lines of a file that an error shows.
#[derive(Debug)]
struct Excerpt {
    /// The whole file; long lines are cut.
    text: String,
    /// Places in `text`, the first of which is the problem's own, each with a label.
    marks: Vec<(Range<usize>, Option<String>)>,
}

/// Columns at which source lines of an error are cut.
const COLUMNS: usize = 120;

/// The signs and colours of a rendered error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorStyle {
    /// True if lines are drawn with Unicode's box characters, false for ASCII alone.
    pub unicode: bool,
    /// True if the text has the colour codes of terminals.
    pub colour: bool,
}

impl ScenarioError {
    /// Makes the error of a problem in a text, which errors call `file`.
    pub fn new(problem: Problem, file: &str, text: &str) -> ScenarioError {
        let first = problem.marks[0].0.start.min(text.len());
        let line = text.as_bytes()[..first].iter().filter(|byte| **byte == b'\n').count() + 1;
        let on_one_line = |(span, _): &(Range<usize>, Option<String>)| {
            let (start, end) = (span.start.min(text.len()), span.end.min(text.len()));
            // A span over many lines would show them all.
            start
                ..text.as_bytes()[start..end]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .map_or(end, |length| start + length)
        };
        let places: Vec<Range<usize>> = problem.marks.iter().map(on_one_line).collect();
        let (shown, places) = excerpt(text, &places);
        let labels =
            problem.marks.into_iter().map(|(_, label)| label.map(|label| excerpt::message(&label)));
        ScenarioError(Box::new(Inner {
            message: excerpt::message(&problem.message),
            help: excerpt::message(&problem.help),
            file: file.to_owned(),
            line: Some(line),
            excerpt: Some(Excerpt { text: shown, marks: places.into_iter().zip(labels).collect() }),
        }))
    }

    pub(crate) fn unreadable(file: &str, error: &std::io::Error) -> ScenarioError {
        ScenarioError(Box::new(Inner {
            message: excerpt::message(&format!("the scenario {file} cannot be read: {error}")),
            help: "give the path of a scenario file, which is TOML text".to_owned(),
            file: file.to_owned(),
            line: None,
            excerpt: None,
        }))
    }

    /// Removes the place in the file.
    pub(crate) fn without_place(mut self) -> ScenarioError {
        self.0.line = None;
        self.0.excerpt = None;
        self
    }

    /// Returns the problem.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the remedy.
    pub fn remedy(&self) -> &str {
        &self.0.help
    }

    /// Returns the name of the file, as the parser received it.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// Returns the line, from 1; `None` if the error has no place in the file.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    /// The error over several lines, each with its end: the message, the lines of the file that
    /// cause it, and the remedy.
    pub fn rendered(&self, style: ErrorStyle) -> String {
        let Inner { message, help, file, excerpt, .. } = &*self.0;
        let file = visible(file);
        let title = Level::ERROR.primary_title(message.as_str());
        let remedy = Level::HELP.message(help.as_str());
        let group = match excerpt {
            None => title.element(remedy),
            Some(Excerpt { text, marks }) => {
                let annotations = marks.iter().enumerate().map(|(index, (span, label))| {
                    let kind = match index {
                        0 => AnnotationKind::Primary,
                        _ => AnnotationKind::Context,
                    };
                    kind.span(span.clone()).label(label.as_deref())
                });
                let snippet = Snippet::source(text.as_str()).path(file.as_ref());
                title.element(snippet.annotations(annotations)).element(remedy)
            }
        };
        let renderer = match style.colour {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        let decor = match style.unicode {
            true => DecorStyle::Unicode,
            false => DecorStyle::Ascii,
        };
        renderer.term_width(COLUMNS).decor_style(decor).render(&[group]) + "\n"
    }

    /// Formats the error in one line: `file:line: message; remedy`.
    pub fn short(&self) -> String {
        let Inner { message, help, file, .. } = &*self.0;
        match self.0.line {
            Some(line) => format!("{}:{line}: {message}; {help}", visible(file)),
            None => format!("{message}; {help}"),
        }
    }
}

impl Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ScenarioError {}
