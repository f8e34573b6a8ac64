//! A check as it is kept.

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

/// What no check shows, whatever its verdicts.
pub const NOT_SHOWN: [&str; 5] = [
    "RFC 9743 sets no thresholds and asks for review by people: these are findings under the rules of this suite, not conformance.",
    "Many thousands of flows, real routers, real radio, hosts' processors and offloads, middleboxes and users are not simulated, or only as models.",
    "A verdict is about this implementation with these parameters, not about an algorithm.",
    "Where the baselines do badly, too, the network is the cause.",
    "The criteria are not added up: there is no overall score.",
];

/// The verdicts of a check, with all that they come from.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// The version of this form.
    pub format: u32,
    /// The version of the program.
    pub narrows: String,
    /// The suite's name.
    pub suite: String,
    /// The short name of the document whose sections criteria name.
    #[serde(default = "rfc9743")]
    pub document: String,
    /// What the suite is about.
    pub title: String,
    /// The version of its rules.
    pub rules: String,
    /// The controller with its parameters, or a program's command.
    pub controller: String,
    /// True if it was a program, run on a kernel; the baselines ran there too in cells that did not pass, and else in the simulator.
    #[serde(default)]
    pub program: bool,
    /// Where it is meant to be used.
    pub scope: String,
    /// Few cells, or all.
    pub quick: bool,
    /// How many seeds each cell had at first.
    pub seeds: u16,
    /// The first of them.
    pub first_seed: u16,
    /// The controllers that it was judged against.
    pub baselines: Vec<String>,
    /// How many criteria have which verdict.
    pub summary: Counts,
    /// How many runs were made.
    pub runs: usize,
    /// The command that makes it again.
    pub remake: String,
    /// The criteria, in the order of the suite.
    pub criteria: Vec<CheckedCriterion>,
    /// What the authors state, by what RFC 9743 asks of them.
    #[serde(default)]
    pub statements: Statements,
    /// The example cases of BBR's draft, of a controller that shows the states of BBR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<Cases>,
    /// Findings of searches that were kept, run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Replayed>,
    /// What changed from another version, if it was compared with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<Versions>,
    /// What it does not show.
    pub not_shown: Vec<String>,
}

/// The example cases of a draft in a line; `conformance.html` and `conformance.json` in the result directory have each of them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cases {
    /// The document.
    pub draft: String,
    /// The verdict line.
    pub line: String,
    /// True if each failure was to be expected of the controller's profile.
    pub explained: bool,
}

impl From<&Conformance> for Cases {
    fn from(own: &Conformance) -> Cases {
        Cases { draft: own.draft.clone(), line: own.line(), explained: own.is_explained() }
    }
}

/// What two checks must share to be compared: same networks, seeds, rules and baselines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The suite's name.
    pub suite: String,
    /// The version of its rules.
    pub rules: String,
    /// Where the controller is meant to be used.
    pub scope: String,
    /// Few cells, or all.
    pub quick: bool,
    /// How many seeds each cell had at first.
    pub seeds: u16,
    /// The first of them.
    pub first_seed: u16,
    /// The controllers that it was judged against.
    pub baselines: Vec<String>,
    /// True if it was a program.
    pub program: bool,
}

impl Terms {
    /// Those of a check that is planned.
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

    /// Why checks by these and by other terms cannot be compared; `None` if they can.
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

/// The document of checks that were kept before they named it.
fn rfc9743() -> String {
    "RFC 9743".to_owned()
}

/// How many criteria have which verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Within all bounds.
    pub pass: usize,
    /// Beyond a bound that gives rise to concern, or undecided.
    pub concern: usize,
    /// Beyond a bound that a document asks for.
    pub fail: usize,
    /// Shown, not judged.
    #[serde(default)]
    pub shown: usize,
    /// Not run.
    pub not_run: usize,
    /// Not for this controller or scope.
    pub not_applicable: usize,
}

/// The verdict on a criterion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckedCriterion {
    /// Its id.
    pub id: String,
    /// A few words on it.
    pub title: String,
    /// The document's section.
    pub section: String,
    /// How strongly the document asks.
    pub strength: String,
    /// What it asks.
    pub asks: String,
    /// pass, concern, fail, shown, not run or not applicable.
    pub verdict: String,
    /// The variant that changes the verdict of the worst cell, if there is one.
    pub fragile: Option<String>,
    /// Why there is no verdict.
    pub reason: Option<String>,
    /// The criterion from whose cells the verdict comes.
    pub comes_from: Option<String>,
    /// Grids in which the controller cannot run while it runs in others, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What the worst cell showed on the kernel, if it was run there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<OnKernel>,
    /// The cells, the worst first.
    pub cells: Vec<CheckedCell>,
}

impl CheckedCriterion {
    /// True if its numbers are shown and not judged.
    pub fn is_shown(&self) -> bool {
        self.verdict == "shown" && !self.cells.is_empty()
    }
}

impl Checked {
    /// The form in which a report is kept. `remake` is the command that makes it again, `runs` how many runs there were.
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

    /// The same with statements of the authors, which are not judged.
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

    /// A check as it was kept.
    ///
    /// # Errors
    ///
    /// The text is none: the reason.
    pub fn read(text: &str) -> Result<Checked, String> {
        let checked: Checked = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if checked.format == 1 {
            Ok(checked)
        } else {
            Err(format!("its format is {}, and this version reads 1", checked.format))
        }
    }

    /// All that two checks must share to be compared.
    pub fn terms(&self) -> Terms {
        let Checked { suite, rules, scope, quick, seeds, first_seed, baselines, program, .. } =
            self.clone();
        Terms { suite, rules, scope, quick, seeds, first_seed, baselines, program }
    }

    /// Against whom and how: "Against newreno and cubic; scope internet, rules 2026-11.4, quick, 5 seeds, 1650 runs".
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

    /// The verdict line: "18 pass, 3 concern, 1 fail, 3 not run".
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

    /// The JSON Schema of `check.json`.
    pub fn schema() -> Value {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Checked>().to_value()
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("its fields are texts and finite numbers") + "\n"
    }
}
