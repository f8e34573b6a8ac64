//! The results of reproducing the figures of papers.

use super::curve::Traced;
use super::plots::DrawnPlot;
use narrows_scenario::paper::{By, Claim, Standing, Statement};
use serde::{Deserialize, Serialize};

/// Largest difference between kernel and simulator that needs no explanation, in percent.
const NEAR: f64 = 15.0;

/// The data of a run of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRun {
    /// The numbers that the figure asks for; `None` if a number is undefined.
    pub values: Vec<Option<f64>>,
    /// The curves of each plot over time that shows the run: the index of the plot, and its curves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<(usize, Vec<Traced>)>,
    /// Reasons why a run on the kernel is invalid; empty for other runs.
    #[serde(rename = "doubts", skip_serializing_if = "Vec::is_empty", default)]
    pub validity_issues: Vec<String>,
}

/// Papers and their verdicts.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The command that repeats the measurement.
    pub remake: String,
    /// Version of Narrows that measured.
    pub version: String,
    /// True if figures were scaled down for a quick look.
    pub quick: bool,
    /// The papers.
    pub papers: Vec<PaperResult>,
}

/// A paper and its verdicts.
#[derive(Clone, Debug)]
pub struct PaperResult {
    /// Name on the command line.
    pub name: String,
    /// Title of the paper.
    pub title: String,
    /// Authors of the paper.
    pub authors: String,
    /// Place and date of publication.
    pub published: String,
    /// Subject of the paper.
    pub about: String,
    /// The reproduced figures, in order.
    pub figures: Vec<FigureResult>,
    /// The document's statements, judged or not, in the document's order.
    pub statements: Vec<JudgedStatement>,
}

/// A statement of a document and its verdict.
#[derive(Clone, Debug)]
pub struct JudgedStatement {
    /// The statement.
    pub statement: Statement,
    /// The verdict, from the measured claims.
    pub standing: Standing,
}

/// A figure and its verdicts.
#[derive(Clone, Debug)]
pub struct FigureResult {
    /// Name on the command line.
    pub name: String,
    /// Title of the figure.
    pub title: String,
    /// Place of the figure in the document.
    pub source: String,
    /// The set-up: the parts given by the document, and our additions.
    pub about: String,
    /// Description of the scaling, and why it is fair; `None` if nothing was scaled.
    pub scaled: Option<String>,
    /// Reasons why runs on the kernel are invalid.
    pub validity_issues: Vec<String>,
    /// The claims of the figure, in order.
    pub claims: Vec<JudgedClaim>,
    /// The plots of the figure, in order.
    pub plots: Vec<DrawnPlot>,
}

/// A claim and its measured value.
#[derive(Clone, Debug)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// Measured value; `None` if it is undefined.
    pub measured: Option<f64>,
    /// Value in the simulator, if `measured` is from the kernel.
    pub simulated: Option<f64>,
    /// Description of the cell with the measured value, if the claim is about several cells.
    pub cell: Option<String>,
    /// Values of that cell and of the cell that it is compared with, in the unit of the metric.
    pub sides: Option<[f64; 2]>,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The claim holds.
    Holds,
    /// The claim does not hold.
    Fails,
    /// The claim does not hold, which is known and explained.
    Explained,
    /// The claim holds, but is marked as known not to hold.
    Unexpected,
}

impl Verdict {
    /// Returns the verdict in words.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "does not hold",
            Verdict::Explained => "does not hold (explained)",
            Verdict::Unexpected => "holds (was known not to)",
        }
    }

    /// True if the claim holds.
    pub fn holds(self) -> bool {
        matches!(self, Verdict::Holds | Verdict::Unexpected)
    }

    /// True if the verdict agrees with the figure file.
    pub fn expected(self) -> bool {
        matches!(self, Verdict::Holds | Verdict::Explained)
    }
}

impl JudgedClaim {
    /// Judges the claim. A claim with an undefined value does not hold.
    pub fn verdict(&self) -> Verdict {
        let within = |value: f64| {
            self.claim.min.is_none_or(|min| value >= min)
                && self.claim.max.is_none_or(|max| value <= max)
        };
        match (self.measured.is_some_and(within), &self.claim.known) {
            (true, None) => Verdict::Holds,
            (true, Some(_)) => Verdict::Unexpected,
            (false, Some(_)) => Verdict::Explained,
            (false, None) => Verdict::Fails,
        }
    }

    /// Returns by how much the kernel's value is above the simulator's, in percent of the
    /// simulator's value, if the two differ by more than 15 %. If the claim has only an upper
    /// bound, such as for a queue or a loss, and the bound is above the simulator's value, the
    /// result is in percent of the bound: relative differences between values near zero mean
    /// nothing.
    pub fn apart(&self) -> Option<f64> {
        let (kernel, simulator) = (self.measured?, self.simulated?);
        let bound = self.claim.max.filter(|_| self.claim.min.is_none());
        let percent =
            100.0 * (kernel - simulator) / bound.unwrap_or(0.0).abs().max(simulator.abs());
        (kernel != simulator && percent.abs() > NEAR).then_some(percent)
    }

    /// Returns the unit of the measured value and of the bounds; empty for a ratio and a pure
    /// number.
    pub fn unit(&self) -> &'static str {
        match &self.claim.than {
            Some(than) if than.by == By::Ratio => "",
            _ => self.claim.asked.metric.unit,
        }
    }
}

impl FigureResult {
    /// True if the claims were measured both on the kernel and in the simulator.
    pub fn is_live(&self) -> bool {
        self.claims.iter().any(|claim| claim.simulated.is_some())
    }
}

impl Reproduction {
    /// Returns all claims.
    pub fn claims(&self) -> impl Iterator<Item = &JudgedClaim> {
        self.papers.iter().flat_map(PaperResult::claims)
    }

    /// Returns all statements of the documents.
    pub fn statements(&self) -> impl Iterator<Item = &JudgedStatement> {
        self.papers.iter().flat_map(|paper| &paper.statements)
    }

    /// True if each verdict agrees with the figure file.
    pub fn as_expected(&self) -> bool {
        self.claims().all(|claim| claim.verdict().expected())
    }
}

impl PaperResult {
    /// Returns all claims of the paper.
    pub fn claims(&self) -> impl Iterator<Item = &JudgedClaim> {
        self.figures.iter().flat_map(|figure| &figure.claims)
    }
}
