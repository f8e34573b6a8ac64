//! What came out of the figures of papers.

use super::curve::Traced;
use super::plots::DrawnPlot;
use narrows_scenario::paper::{By, Claim, Standing, Statement};
use serde::{Deserialize, Serialize};

/// What kernel and simulator may be apart without a word on it, in percent.
const NEAR: f64 = 15.0;

/// What is kept of a run of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRun {
    /// Each number that the figure asks for; `None` where one is not defined.
    pub values: Vec<Option<f64>>,
    /// The curves of each plot over time that shows the run: the plot's place among all, and the curves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<(usize, Vec<Traced>)>,
    /// Why a run on the kernel says more of the machine than of the kernel; nothing for other runs.
    #[serde(rename = "doubts", skip_serializing_if = "Vec::is_empty", default)]
    pub validity_issues: Vec<String>,
}

/// Papers, and what holds of them.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The command that makes it again.
    pub remake: String,
    /// The version of Narrows that measured.
    pub version: String,
    /// True if figures were scaled for a quick look.
    pub quick: bool,
    /// The papers.
    pub papers: Vec<PaperResult>,
}

/// A paper, and what holds of it.
#[derive(Clone, Debug)]
pub struct PaperResult {
    /// What commands call it.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// Where and when it was published.
    pub published: String,
    /// What it is about.
    pub about: String,
    /// Its figures, in order.
    pub figures: Vec<FigureResult>,
    /// The statements of the document that they judge, or that nothing judges, in the document's order.
    pub statements: Vec<JudgedStatement>,
}

/// A statement of a document, and whether it holds.
#[derive(Clone, Debug)]
pub struct JudgedStatement {
    /// The statement.
    pub statement: Statement,
    /// As its claims were measured.
    pub standing: Standing,
}

/// A figure, and what holds of it.
#[derive(Clone, Debug)]
pub struct FigureResult {
    /// What commands call it.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Where it stands in the document.
    pub source: String,
    /// What the document says of the set-up, and what is ours.
    pub about: String,
    /// What was scaled, and why that is fair; `None` if nothing was.
    pub scaled: Option<String>,
    /// Runs on the kernel that say more of the machine than of the kernel, and why.
    pub validity_issues: Vec<String>,
    /// Its claims, in order.
    pub claims: Vec<JudgedClaim>,
    /// Its plots, in order.
    pub plots: Vec<DrawnPlot>,
}

/// A claim, and what was measured.
#[derive(Clone, Debug)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// The value that it is judged by; `None` if it is not defined.
    pub measured: Option<f64>,
    /// The same in the simulator, if the kernel was measured.
    pub simulated: Option<f64>,
    /// The cell that it comes from, in words, if it comes from one of several.
    pub cell: Option<String>,
    /// The values of that cell and of the one that it is compared with, each in the unit of its metric.
    pub sides: Option<[f64; 2]>,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// It does not, and that is known and explained.
    Explained,
    /// It does, though it is known not to.
    Unexpected,
}

impl Verdict {
    /// In words.
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

    /// True if this is what the figure file says.
    pub fn expected(self) -> bool {
        matches!(self, Verdict::Holds | Verdict::Explained)
    }
}

impl JudgedClaim {
    /// Whether it holds. What is not defined does not.
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

    /// By how much the kernel is above the simulator, in percent of the simulator's value, if that is more than 15 % either way. Where a value is only to stay
    /// below a bound, such as a queue or a loss, it is in percent of this bound if that is more: half of next to nothing tells nothing.
    pub fn apart(&self) -> Option<f64> {
        let (kernel, simulator) = (self.measured?, self.simulated?);
        let bound = self.claim.max.filter(|_| self.claim.min.is_none());
        let percent =
            100.0 * (kernel - simulator) / bound.unwrap_or(0.0).abs().max(simulator.abs());
        (kernel != simulator && percent.abs() > NEAR).then_some(percent)
    }

    /// The unit of the measured value and of the bounds; empty for a ratio and a pure number.
    pub fn unit(&self) -> &'static str {
        match &self.claim.than {
            Some(than) if than.by == By::Ratio => "",
            _ => self.claim.asked.metric.unit,
        }
    }
}

impl FigureResult {
    /// True if the kernel was measured, with the simulator beside it.
    pub fn is_live(&self) -> bool {
        self.claims.iter().any(|claim| claim.simulated.is_some())
    }
}

impl Reproduction {
    /// All claims.
    pub fn claims(&self) -> impl Iterator<Item = &JudgedClaim> {
        self.papers.iter().flat_map(PaperResult::claims)
    }

    /// All statements of the documents.
    pub fn statements(&self) -> impl Iterator<Item = &JudgedStatement> {
        self.papers.iter().flat_map(|paper| &paper.statements)
    }

    /// True if each claim turned out as its figure file says.
    pub fn as_expected(&self) -> bool {
        self.claims().all(|claim| claim.verdict().expected())
    }
}

impl PaperResult {
    /// All claims of the paper.
    pub fn claims(&self) -> impl Iterator<Item = &JudgedClaim> {
        self.figures.iter().flat_map(|figure| &figure.claims)
    }
}
