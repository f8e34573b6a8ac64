//! What a report is made from.

use crate::Overlay;
use narrows_measure::Record;

/// Cases to be shown side by side. One run is one case with one record.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What it is about, in a line.
    pub title: String,
    /// The cases, in the order of tables and colours. Their labels differ.
    pub cases: Vec<Case>,
    /// The command that makes it again.
    pub remake: String,
    /// What the reader must know to judge it.
    pub notes: Vec<String>,
    /// What was measured elsewhere, to be drawn beside it.
    pub overlays: Vec<Overlay>,
    /// The version of Narrows that measured.
    pub version: String,
}

/// One case: a scenario run with one or more seeds.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name; usually the controller's.
    pub label: String,
    /// The resolved scenario.
    pub scenario_toml: String,
    /// One record for each seed.
    pub runs: Vec<Record>,
}

impl Comparison {
    /// A comparison measured by this version of Narrows.
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
        }
    }

    /// The name in the result directory of the file that holds a case's scenario: `scenario.toml` if all cases share one, else one for
    /// each.
    pub fn scenario_file(&self, index: usize) -> String {
        if self.cases.windows(2).all(|pair| pair[0].scenario_toml == pair[1].scenario_toml) {
            return "scenario.toml".to_owned();
        }
        let plain =
            |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '-' };
        let label: String = self.cases[index].label.chars().take(40).map(plain).collect();
        format!("scenario-{}-{label}.toml", index + 1)
    }

    /// The cases must be told apart: there are several, or the only one is called otherwise than the whole.
    pub(crate) fn names_cases(&self) -> bool {
        !matches!(&self.cases[..], [only] if only.label == self.title)
    }

    /// True of an information-centric network.
    pub(crate) fn is_icn(&self) -> bool {
        self.runs().any(|(_, run)| run.icn.is_some())
    }

    /// How many seeds the case with the most has, if that is more than one.
    pub(crate) fn seeds(&self) -> Option<usize> {
        self.cases.iter().map(|case| case.runs.len()).max().filter(|seeds| *seeds > 1)
    }

    /// Every record with its case's label.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&str, &Record)> {
        self.cases.iter().flat_map(|case| case.runs.iter().map(|run| (case.label.as_str(), run)))
    }

    /// The record, if there is only one.
    pub(crate) fn single(&self) -> Option<&Record> {
        let mut runs = self.runs();
        runs.next().filter(|_| runs.next().is_none()).map(|(_, run)| run)
    }
}
