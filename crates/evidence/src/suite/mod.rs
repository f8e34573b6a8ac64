//! Suites: criteria, the networks on which each is judged, and the rules.
//!
//! A suite is a folder of TOML files. `suite.toml` lists the criteria. Every other file is a
//! **grid**: a scenario with the axes of its cells in `[sweep]`, the criterion and the cast in
//! `[check]`, and a `[[rule]]` for each judged number. Flows with the controller `"self"` are
//! driven by the controller under test, or in runs for comparison by one of the baselines. Flows
//! with the controller `"other"` are driven by a baseline.

mod built_in;
mod cast;
mod criterion;
mod grid;
mod known;
mod raw;

pub use built_in::{bbr_draft, media, rfc9743, startup, tcpeval};
pub use cast::{Cast, Part, Players, Who};
pub use criterion::{Criterion, Scope};
pub use grid::Grid;
pub use known::{KnownVerdict, known_verdicts};

use crate::EvidenceError;
use crate::rule::RuleKind;

/// Criteria and the grids on which they are judged.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Name on the command line.
    pub name: String,
    /// Short name of the document that the sections of criteria refer to.
    pub document: String,
    /// Title in one line.
    pub title: String,
    /// Version of the rules. Verdicts by different versions are not compared.
    pub rules: String,
    /// The criteria in the order of the document.
    pub criteria: Vec<Criterion>,
    /// The grids in the order of the criteria.
    pub grids: Vec<Grid>,
}

impl Suite {
    /// True if some rule sets a bound. Other suites only show numbers.
    pub fn judges(&self) -> bool {
        self.grids.iter().flat_map(|grid| &grid.rules).any(|rule| rule.kind != RuleKind::Shown)
    }

    /// Reads a suite from the names and texts of its files, which include `suite.toml`.
    ///
    /// # Errors
    ///
    /// A file is invalid. The error names the file and the reason.
    pub fn read(files: &[(&str, &str)]) -> Result<Suite, EvidenceError> {
        let about = files
            .iter()
            .find(|(name, _)| *name == "suite.toml")
            .ok_or_else(|| EvidenceError::new("suite.toml", "it is missing"))?;
        let raw: raw::Suite = raw::parse(about.0, about.1)?;
        let criteria: Vec<Criterion> = raw.criterion.into_iter().map(Criterion::from).collect();
        let mut grids = Vec::new();
        for (name, text) in files.iter().filter(|(name, _)| *name != "suite.toml") {
            grids.push(Grid::read(name.trim_end_matches(".toml"), text, &criteria)?);
        }
        let place = |grid: &Grid| grid.criterion;
        grids.sort_by_key(place);
        Ok(Suite {
            name: raw.name,
            document: raw.document,
            title: raw.title,
            rules: raw.rules,
            criteria,
            grids,
        })
    }

    /// Returns the index of a criterion by its id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.criteria.iter().position(|criterion| criterion.id == id)
    }
}
