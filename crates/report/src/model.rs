//! The data that a report is made from.

use crate::Overlay;
use narrows_measure::Record;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Cases to be shown side by side. A single run is one case with one record.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Title of the comparison, in one line.
    pub title: String,
    /// The cases, in the order of tables and colours. Their labels differ.
    pub cases: Vec<Case>,
    /// The command that repeats the measurement.
    pub remake: String,
    /// Caveats that the reader must know.
    pub notes: Vec<String>,
    /// Series measured elsewhere, drawn over the results.
    pub overlays: Vec<Overlay>,
    /// Version of Narrows that measured.
    pub version: String,
    /// The label of the case that the others are judged against, if there is one.
    pub baseline: Option<String>,
    /// Parts of the comparison that are read one at a time, in the order of the cases. Together
    /// they hold every case; a comparison that is read as a whole has none.
    pub groups: Vec<Group>,
}

/// Cases that belong together, such as the runs of several controllers on one network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The common property of the cases, in one line.
    pub title: String,
    /// Notes about them, a sentence or a list each.
    pub notes: Vec<String>,
    /// Number of cases, at least 1.
    pub cases: usize,
}

/// One case: a scenario run with one or more seeds.
#[derive(Clone, Debug)]
pub struct Case {
    /// Label of the case; usually the controller's name.
    pub label: String,
    /// The resolved scenario.
    pub scenario_toml: String,
    /// One record for each seed.
    pub runs: Vec<Record>,
}

impl Comparison {
    /// Creates a comparison measured by this version of Narrows.
    pub fn new(
        title: impl Into<String>,
        cases: Vec<Case>,
        remake: impl Into<String>,
    ) -> Comparison {
        Comparison {
            title: title.into(),
            cases,
            remake: remake.into(),
            notes: Vec::new(),
            overlays: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            baseline: None,
            groups: Vec::new(),
        }
    }

    /// Returns the name of the file with a case's scenario in the result directory: `scenario.toml`
    /// if all cases have the same scenario, otherwise a name with the case's number and label.
    pub fn scenario_file(&self, index: usize) -> String {
        if self.cases.windows(2).all(|pair| pair[0].scenario_toml == pair[1].scenario_toml) {
            return "scenario.toml".to_owned();
        }
        let plain =
            |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '-' };
        let label: String = self.cases[index].label.chars().take(40).map(plain).collect();
        format!("scenario-{}-{label}.toml", index + 1)
    }

    /// Returns each group with the indices of its cases.
    pub(crate) fn grouped(&self) -> impl Iterator<Item = (&Group, Range<usize>)> {
        let mut next = 0;
        self.groups.iter().map(move |group| {
            let first = next;
            next += group.cases;
            (group, first..next)
        })
    }

    /// Returns the index of a case's colour and marker: its place in its group, or among all cases
    /// if there are no groups.
    pub(crate) fn look(&self, case: usize) -> usize {
        let own = self.grouped().find(|(_, cases)| cases.contains(&case));
        own.map_or(case, |(_, cases)| case - cases.start)
    }

    /// True if tables must name the cases: there are several, or the label of the only case differs
    /// from the title.
    pub(crate) fn names_cases(&self) -> bool {
        !matches!(&self.cases[..], [only] if only.label == self.title)
    }

    /// True for an information-centric network.
    pub(crate) fn is_icn(&self) -> bool {
        self.runs().any(|(_, run)| run.icn.is_some())
    }

    /// Returns the largest number of seeds that a case has, if that is more than one.
    pub(crate) fn seeds(&self) -> Option<usize> {
        self.cases.iter().map(|case| case.runs.len()).max().filter(|seeds| *seeds > 1)
    }

    /// Returns every record with its case's label.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&str, &Record)> {
        self.cases.iter().flat_map(|case| case.runs.iter().map(|run| (case.label.as_str(), run)))
    }

    /// Returns the record if there is only one.
    pub(crate) fn single(&self) -> Option<&Record> {
        let mut runs = self.runs();
        runs.next().filter(|_| runs.next().is_none()).map(|(_, run)| run)
    }
}
