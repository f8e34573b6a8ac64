//! Recorded capacity for the networks of environments.

use narrows_path::Trace;
use narrows_units::{Rate, Span, Time};
use std::path::Path;

/// A file of recorded capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its text.
    pub text: String,
    /// How long it is, until it repeats or its last rate begins.
    pub length: Span,
    /// Its mean rate until then.
    pub mean: Rate,
}

impl Recorded {
    /// Reads a file, in either of the formats that scenarios take.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no such file: the file, the line and a remedy.
    pub fn read(path: &Path) -> Result<Recorded, String> {
        let text = narrows_scenario::read_named(path).map_err(|error| {
            format!(
                "the trace {} cannot be read: {error}; give the path of a text file",
                path.display()
            )
        })?;
        let trace = Trace::parse(&text).map_err(|error| {
            format!("{}:{}: {}; {}", path.display(), error.line, error.problem, error.remedy)
        })?;
        let length = match &trace {
            Trace::Opportunities { period, .. } => *period,
            Trace::Steps(steps) => {
                steps.iter().next_back().map_or(Span::ZERO, |(time, _)| time.since(Time::ZERO))
            }
        };
        // Of a single rate the first second shows it.
        let shown = if length.is_zero() { Span::from_secs(1) } else { length };
        let mean = Rate::of(trace.capacity(Time::ZERO + shown), shown);
        Ok(Recorded { text, length, mean })
    }
}
