//! The stored form of a check.

use super::cell::{CheckedCell, OnKernel, kept_cells};
use super::conformance::Conformance;
use super::statements::Statements;
use super::versions::Versions;
use crate::attack::Replayed;
use crate::check::{Check, CriterionVerdict, Report};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Limits of every check, whatever its verdicts.
pub const NOT_SHOWN: [&str; 5] = [
    "RFC 9743 sets no thresholds and asks for review by people: these are findings under the rules of this suite, not conformance.",
    "Many thousands of flows, real routers, real radio, hosts' processors and offloads, middleboxes and users are not simulated, or only as models.",
    "A verdict is about this implementation with these parameters, not about an algorithm.",
    "Where the baselines do badly, too, the network is the cause.",
    "The criteria are not added up: there is no overall score.",
];

/// The verdicts of a check, with all inputs that determine them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// Version of the format.
    pub format: u32,
    /// Version of Narrows.
    pub narrows: String,
    /// Name of the suite.
    pub suite: String,
    /// Short name of the document that the sections of criteria refer to.
    #[serde(default = "rfc9743")]
    pub document: String,
    /// Title of the suite.
    pub title: String,
    /// Version of the suite's rules.
    pub rules: String,
    /// The controller with its parameters, or a program's command.
    pub controller: String,
    /// True if the subject is a program, which runs on the kernel. Its baselines run on the kernel,
    /// too, in cells that did not pass, and otherwise in the simulator.
    #[serde(default)]
    pub program: bool,
    /// Environment for which the controller is intended.
    pub scope: String,
    /// True if few cells were run, false if all.
    pub quick: bool,
    /// Number of first seeds of each cell.
    pub seeds: u16,
    /// The first seed.
    pub first_seed: u16,
    /// The baselines.
    pub baselines: Vec<String>,
    /// Number of criteria with each verdict.
    pub summary: Counts,
    /// Number of runs.
    pub runs: usize,
    /// The command that repeats the check.
    pub remake: String,
    /// The criteria, in the order of the suite.
    pub criteria: Vec<CheckedCriterion>,
    /// Statements of the authors, by the questions of RFC 9743.
    #[serde(default)]
    pub statements: Statements,
    /// Outcomes of the example cases of BBR's draft, for a controller that reports the states of
    /// BBR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<Cases>,
    /// Replayed findings of searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Replayed>,
    /// Changes from another version, if the check was compared with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<Versions>,
    /// Limits of the check.
    pub not_shown: Vec<String>,
}

/// Summary of the example cases of a draft. `conformance.html` and `conformance.json` in the result
/// directory have the details.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cases {
    /// Name of the draft.
    pub draft: String,
    /// The verdict line.
    pub line: String,
    /// True if each failure is known for the controller's profile.
    pub explained: bool,
}

impl From<&Conformance> for Cases {
    fn from(own: &Conformance) -> Cases {
        Cases { draft: own.draft.clone(), line: own.line(), explained: own.is_explained() }
    }
}

/// The properties that two checks must share to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Name of the suite.
    pub suite: String,
    /// Version of the suite's rules.
    pub rules: String,
    /// Environment for which the controller is intended.
    pub scope: String,
    /// True if few cells were run, false if all.
    pub quick: bool,
    /// Number of first seeds of each cell.
    pub seeds: u16,
    /// The first seed.
    pub first_seed: u16,
    /// The baselines.
    pub baselines: Vec<String>,
    /// True if the subject is a program.
    pub program: bool,
}

impl Terms {
    /// Returns the terms of a planned check.
    pub fn of(check: &Check) -> Terms {
        Terms {
            suite: check.suite.name.clone(),
            rules: check.suite.rules.clone(),
            scope: check.options.scope.name().to_owned(),
            quick: check.options.quick,
            seeds: check.seeds(),
            first_seed: check.options.first_seed,
            baselines: check.players.baselines.clone(),
            program: check.players.program,
        }
    }

    /// Returns the reason why checks with these and with other terms cannot be compared; `None` if
    /// they can.
    pub fn differ(&self, other: &Terms) -> Option<String> {
        let subject = |program: bool| if program { "a program" } else { "a controller" }.to_owned();
        let extent = |own: &Terms| {
            let cells = if own.quick { "quick" } else { "full" };
            format!("{cells}, {} seeds from {}", own.seeds, own.first_seed)
        };
        let parts = [
            ("suites", self.suite.clone(), other.suite.clone()),
            ("versions of the rules", self.rules.clone(), other.rules.clone()),
            ("cells and seeds", extent(self), extent(other)),
            ("baselines", self.baselines.join(" and "), other.baselines.join(" and ")),
            ("scopes", self.scope.clone(), other.scope.clone()),
            ("subjects", subject(self.program), subject(other.program)),
        ];
        let (what, own, other) = parts.into_iter().find(|(_, own, other)| own != other)?;
        Some(format!("the two checks have different {what}: {own}, and {other}"))
    }
}

/// Returns the document of checks that were stored before they named it.
fn rfc9743() -> String {
    "RFC 9743".to_owned()
}

/// Numbers of criteria with each verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Within all bounds.
    pub pass: usize,
    /// Beyond a bound that raises concern, or undecided.
    pub concern: usize,
    /// Beyond a bound that a document requires.
    pub fail: usize,
    /// Shown, not judged.
    #[serde(default)]
    pub shown: usize,
    /// Not run.
    pub not_run: usize,
    /// Not applicable to this controller or scope.
    pub not_applicable: usize,
}

/// The verdict on a criterion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckedCriterion {
    /// Identifier.
    pub id: String,
    /// Short title.
    pub title: String,
    /// Section of the document.
    pub section: String,
    /// Strength of the document's requirement.
    pub strength: String,
    /// The requirement.
    pub asks: String,
    /// pass, concern, fail, shown, not run or not applicable.
    pub verdict: String,
    /// The variant that changes the verdict of the worst cell, if there is one.
    pub fragile: Option<String>,
    /// Reason why there is no verdict.
    pub reason: Option<String>,
    /// Id of the criterion that the verdict is taken from.
    pub comes_from: Option<String>,
    /// Grids in which the controller cannot run although it runs in others, with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Finding of the worst cell on the kernel, if it ran there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<OnKernel>,
    /// The cells, the worst first.
    pub cells: Vec<CheckedCell>,
}

impl CheckedCriterion {
    /// True if the numbers are shown but not judged.
    pub fn is_shown(&self) -> bool {
        self.verdict == "shown" && !self.cells.is_empty()
    }
}

impl Checked {
    /// Converts a report into its stored form. `remake` is the command that repeats the check,
    /// `runs` the number of runs.
    pub fn of(check: &Check, report: &Report, narrows: &str, remake: &str, runs: usize) -> Checked {
        let criterion = |own: &CriterionVerdict| CheckedCriterion {
            id: own.criterion.id.clone(),
            title: own.criterion.title.clone(),
            section: own.criterion.section.clone(),
            strength: own.criterion.strength.clone(),
            asks: own.criterion.asks.clone(),
            verdict: own.standing.word().to_owned(),
            fragile: own.fragile.map(|variant| variant.text().to_owned()),
            reason: own.standing.reason().map(str::to_owned),
            comes_from: own.comes_from.clone(),
            left_out: own.left_out.clone(),
            kernel: own.kernel.as_ref().map(OnKernel::of),
            cells: kept_cells(check, &own.cells),
        };
        Checked {
            format: 1,
            narrows: narrows.to_owned(),
            suite: check.suite.name.clone(),
            document: check.suite.document.clone(),
            title: check.suite.title.clone(),
            rules: check.suite.rules.clone(),
            controller: check.players.subject.clone(),
            program: check.players.program,
            scope: check.options.scope.name().to_owned(),
            quick: check.options.quick,
            seeds: check.seeds(),
            first_seed: check.options.first_seed,
            baselines: check.players.baselines.clone(),
            summary: Counts {
                pass: report.count("pass"),
                concern: report.count("concern"),
                fail: report.count("fail"),
                shown: report.count("shown"),
                not_run: report.count("not run"),
                not_applicable: report.count("not applicable"),
            },
            runs,
            remake: remake.to_owned(),
            criteria: report.criteria.iter().map(criterion).collect(),
            statements: Statements::default(),
            conformance: None,
            findings: Vec::new(),
            versions: None,
            not_shown: NOT_SHOWN.map(str::to_owned).to_vec(),
        }
    }

    /// Adds statements of the authors, which are not judged.
    pub fn stated(mut self, statements: Statements) -> Checked {
        let missing = statements.missing();
        let (verdict, reason) = match &missing[..] {
            [] => ("shown", "stated by the authors, not judged".to_owned()),
            _ => (
                "not run",
                format!("stated by the authors, not judged; missing: {}", missing.join(", ")),
            ),
        };
        if let Some(own) =
            self.criteria.iter_mut().find(|own| own.id == "stated" && own.verdict == "not run")
        {
            (own.verdict, own.reason) = (verdict.to_owned(), Some(reason));
            if missing.is_empty() {
                self.summary.not_run -= 1;
                self.summary.shown += 1;
            }
        }
        self.statements = statements;
        self
    }

    /// Reads a stored check.
    ///
    /// # Errors
    ///
    /// The text is not a stored check of this format. The error gives the reason.
    pub fn read(text: &str) -> Result<Checked, String> {
        let checked: Checked = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if checked.format == 1 {
            Ok(checked)
        } else {
            Err(format!("its format is {}, and this version reads 1", checked.format))
        }
    }

    /// Returns the properties that two checks must share to be compared.
    pub fn terms(&self) -> Terms {
        let Checked { suite, rules, scope, quick, seeds, first_seed, baselines, program, .. } =
            self.clone();
        Terms { suite, rules, scope, quick, seeds, first_seed, baselines, program }
    }

    /// Describes the extent: "Against newreno and cubic; scope internet, rules 2026-11.4, quick, 5
    /// seeds, 1650 runs".
    pub fn extent(&self) -> String {
        let seeds = match (self.program, self.seeds) {
            (false, seeds) => format!("{seeds} seeds"),
            (true, 1) => "one run of the program in each cell, on this host's kernel".to_owned(),
            (true, seeds) => {
                format!("{seeds} runs of the program in each cell, on this host's kernel")
            }
        };
        let cells = if self.quick { "quick" } else { "full" };
        let Checked { rules, scope, runs, .. } = self;
        format!(
            "Against {}; scope {scope}, rules {rules}, {cells}, {seeds}, {runs} runs",
            self.baselines.join(" and ")
        )
    }

    /// Returns the verdict line: "18 pass, 3 concern, 1 fail, 3 not run".
    pub fn line(&self) -> String {
        let Counts { pass, concern, fail, shown, not_run, not_applicable } = self.summary;
        let all = [
            (pass, "pass"),
            (concern, "concern"),
            (fail, "fail"),
            (shown, "shown"),
            (not_run, "not run"),
            (not_applicable, "not applicable"),
        ];
        all.into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the JSON Schema of `check.json`.
    pub fn schema() -> Value {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Checked>().to_value()
    }

    /// Returns the check as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("its fields are texts and finite numbers") + "\n"
    }
}
