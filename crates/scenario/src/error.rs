//! What is wrong with a scenario, where, and what would be right.

use crate::excerpt::{self, excerpt, visible};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt::{self, Display};
use std::ops::Range;

/// A problem at a place of the text, before it knows whose text it is.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    help: String,
    marks: Vec<(Range<usize>, Option<String>)>,
}

pub(crate) type Checked<T> = Result<T, Box<Problem>>;

impl Problem {
    /// A problem with what stands at `span`.
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

    /// Says something at the place of the problem.
    pub fn saying(mut self: Box<Problem>, label: impl Into<String>) -> Box<Problem> {
        self.marks[0].1 = Some(label.into());
        self
    }

    /// True if the problem is with something within `span`, or with something that contains it.
    pub fn touches(&self, span: &Range<usize>) -> bool {
        self.marks
            .iter()
            .any(|(own, _)| !own.is_empty() && own.start < span.end && span.start < own.end)
    }

    /// True if the other says the same, wherever it is.
    pub fn says_as(&self, other: &Problem) -> bool {
        self.message == other.message
    }

    /// The same problem of a cell of a sweep, shown at other places: those of its axes.
    pub fn of_cell(self, cell: &str, marks: Vec<(Range<usize>, String)>) -> Box<Problem> {
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

/// Why a scenario was refused: what is wrong, the line it is on, and what would be right. Renders as a [`Diagnostic`] with the line shown,
/// or in one line with [`short`](ScenarioError::short).
#[derive(Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    help: String,
    file: String,
    line: Option<usize>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

impl ScenarioError {
    pub(crate) fn new(problem: Problem, file: &str, text: &str) -> ScenarioError {
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
        let label = |(index, (label, place)): (usize, (Option<String>, Range<usize>))| {
            if index == 0 {
                LabeledSpan::new_primary_with_span(label, place)
            } else {
                LabeledSpan::new_with_span(label, place)
            }
        };
        ScenarioError(Box::new(Inner {
            message: excerpt::message(&problem.message),
            help: excerpt::message(&problem.help),
            file: file.to_owned(),
            line: Some(line),
            source: Some(NamedSource::new(visible(file), shown)),
            labels: labels.zip(places).enumerate().map(label).collect(),
        }))
    }

    pub(crate) fn unreadable(file: &str, error: &std::io::Error) -> ScenarioError {
        ScenarioError(Box::new(Inner {
            message: excerpt::message(&format!("the scenario {file} cannot be read: {error}")),
            help: "give the path of a scenario file, which is TOML text".to_owned(),
            file: file.to_owned(),
            line: None,
            source: None,
            labels: Vec::new(),
        }))
    }

    /// The same without a place in the file.
    pub(crate) fn without_place(mut self) -> ScenarioError {
        (self.0.line, self.0.source) = (None, None);
        self.0.labels.clear();
        self
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What would be right.
    pub fn remedy(&self) -> &str {
        &self.0.help
    }

    /// The file, as it was named to the parser.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line, from 1; `None` if the file could not be read.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    /// All in one line: `file:line: message; remedy`.
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

impl Diagnostic for ScenarioError {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.0.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.0.labels.iter().cloned()))
    }
}
