//! Result of a search, as files and as text.

use super::on_kernel::OnKernel;
use crate::contenders::join;
use crate::error::Failure;
use crate::notes::unverified;
use crate::output::Started;
use crate::quote::quote;
use crate::request;
use narrows_evidence::attack::{
    Aim, Cast, Finding, Genome, Replayed, Search, Searched, Standing, Strategy, Trial, TrialError,
    Variant,
};
use narrows_measure::Record;
use narrows_measure::metrics::{Better, Metric, Summary, metric};
use narrows_report::{Case, Comparison, Group, Reserved};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Seeds of the runs in the report.
const SHOWN: [u64; 3] = [1, 2, 3];

/// Result of a search.
pub struct Found {
    pub aim: Aim,
    pub plan: Search,
    pub replayed: Vec<Replayed>,
    pub searched: Vec<Searched>,
    pub findings: Vec<Finding>,
    /// Result of each finding on the kernel, in the order of `findings`.
    pub kernel: Vec<OnKernel>,
    pub remake: String,
}

/// Writes the result directory: for each finding a scenario with a band that the controller misses,
/// `findings.json`, and the report over the runs of the controller and its references. Returns the
/// text to print.
pub fn write(
    found: &Found,
    reserved: Reserved,
    started: &Started,
    output: &request::Output,
) -> Result<String, Failure> {
    let mut cases = Vec::new();
    for (place, finding) in found.findings.iter().enumerate() {
        let runs = shown(&found.aim, finding, output.console.stop())?;
        let name = file(place);
        put(&reserved, &name, &scenario(found, finding, &runs))?;
        for (cast, (scenario_toml, runs)) in found.aim.casts(finding.genome.kind).iter().zip(runs) {
            cases.push(Case {
                label: format!("{}: {}", place + 1, label(cast)),
                scenario_toml,
                runs,
            });
        }
    }
    let json = json(found);
    put(&reserved, "findings.json", &json)?;
    let text = told(found, reserved.directory());
    let title = format!("Attack on {}: {}", found.aim.subject, found.aim.goal.name());
    let mut comparison = Comparison::new(title, cases, found.remake.clone());
    comparison.notes = searched(found);
    comparison.notes.push(confirmed(found));
    comparison.notes.extend(unverified::notes());
    comparison.groups = found
        .findings
        .iter()
        .enumerate()
        .map(|(place, finding)| Group {
            title: format!("{}. {}", place + 1, finding.says),
            notes: examined(found, place, Path::new("")),
            cases: found.aim.casts(finding.genome.kind).len(),
        })
        .collect();
    narrows_report::write(reserved, &comparison, &started.info(Vec::new(), &output.console))?;
    Ok(if output.json { json } else { text })
}

/// Returns the name of a finding's scenario file in the result directory.
fn file(place: usize) -> String {
    format!("finding-{}.toml", place + 1)
}

fn put(reserved: &Reserved, name: &str, text: &str) -> Result<(), Failure> {
    let written = reserved.create(name)?.write_all(text.as_bytes());
    written.map_err(|error| {
        Failure::Other(format!(
            "{name} cannot be written: {error}; free some space or choose another place with --out"
        ))
    })
}

/// Runs each cast of a finding. Returns the scenario and the records per cast.
fn shown(
    aim: &Aim,
    finding: &Finding,
    stop: &AtomicBool,
) -> Result<Vec<(String, Vec<Record>)>, Failure> {
    let failed = |error| Failure::Other(format!("on a network of {}: {error}", finding.says));
    let trial = |seed| Trial { genome: finding.genome.clone(), seed, variant: Variant::Plain };
    let mut all: Vec<(String, Vec<Record>)> = Vec::new();
    for cast in aim.casts(finding.genome.kind) {
        all.push((aim.scenario(&trial(SHOWN[0]), &cast).map_err(failed)?.to_toml(), Vec::new()));
    }
    for seed in SHOWN {
        let records = match aim.runs(&trial(seed), stop) {
            // A controller that fails with this seed may still run with the other seeds.
            Err(TrialError::Run(error)) if error.is_of_controller() => continue,
            Err(TrialError::Stopped) => return Err(Failure::Interrupted),
            records => records.map_err(failed)?,
        };
        all.iter_mut().zip(records).for_each(|((_, runs), record)| runs.push(record));
    }
    Ok(all)
}

/// Returns the names of the controllers on the network.
fn label(cast: &Cast) -> String {
    match (&cast.a, &cast.b) {
        (Some(a), Some(b)) => format!("{a} beside {b}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    }
}

/// Returns the scenario of a finding, with a band that the controller misses and its best reference
/// meets.
fn scenario(found: &Found, finding: &Finding, runs: &[(String, Vec<Record>)]) -> String {
    let aim = &found.aim;
    let text = aim.text(
        &finding.genome,
        &aim.casts(finding.genome.kind)[0],
        Variant::Plain,
        &format!("{}: {}", aim.subject, aim.goal.name()),
    );
    let band = aim
        .goal
        .metrics()
        .iter()
        .filter_map(|name| metric(name))
        .find_map(|metric| band(metric, &runs[..aim.goal.alike(runs.len())]));
    let head = format!(
        "# {}.\n# {}: {}; {} of the reference.\n",
        finding.says,
        aim.goal.number(),
        number(finding.subject),
        number(finding.reference)
    );
    head + &text + &band.map_or_else(String::new, |band| format!("\n[expect]\n{band}\n"))
}

/// Returns a bound half way between the medians of the controller and of its best reference, or
/// `None` if it does not separate the two.
fn band(metric: &Metric, runs: &[(String, Vec<Record>)]) -> Option<String> {
    let (own, references) = runs.split_first()?;
    let own = Summary::of(metric, &own.1)?.median;
    let medians = references.iter().filter_map(|(_, runs)| Some(Summary::of(metric, runs)?.median));
    let (key, best) = match metric.better {
        Better::Higher => ("min", medians.fold(own, f64::max)),
        Better::Lower => ("max", medians.fold(own, f64::min)),
        Better::Neither => return None,
    };
    let between: f64 = format!("{:.2e}", (own + best) / 2.0).parse().ok()?;
    let told_apart = if key == "min" {
        own < between && between < best
    } else {
        own > between && between > best
    };
    told_apart.then(|| format!("{} = {{ {key} = {between} }}", metric.name))
}

#[derive(Serialize)]
struct Json<'a> {
    format: u32,
    narrows: &'a str,
    aim: &'a Aim,
    formula: &'a str,
    search: &'a Search,
    searched: Vec<Kinds<'a>>,
    replayed: &'a [Replayed],
    findings: Vec<WithFile<'a>>,
    remake: &'a str,
}

#[derive(Serialize)]
struct Kinds<'a> {
    kind: &'a str,
    evaluated: usize,
    highest: f64,
    faulty: usize,
    first_faulty: Option<String>,
}

#[derive(Serialize)]
struct WithFile<'a> {
    scenario: String,
    kernel: &'a OnKernel,
    #[serde(flatten)]
    finding: &'a Finding,
}

fn json(found: &Found) -> String {
    let kinds = |own: &'_ Searched| Kinds {
        kind: own.kind.name(),
        evaluated: own.evaluated,
        highest: own.highest,
        faulty: own.faulty,
        first_faulty: own.first_faulty.as_ref().map(Genome::says),
    };
    let json = Json {
        format: 1,
        narrows: env!("CARGO_PKG_VERSION"),
        aim: &found.aim,
        formula: found.aim.goal.formula(),
        search: &found.plan,
        searched: found.searched.iter().map(kinds).collect(),
        replayed: &found.replayed,
        findings: found
            .findings
            .iter()
            .zip(&found.kernel)
            .enumerate()
            .map(|(place, (finding, kernel))| WithFile { scenario: file(place), kernel, finding })
            .collect(),
        remake: &found.remake,
    };
    serde_json::to_string_pretty(&json).expect("its fields are texts and numbers") + "\n"
}

/// Formats a number with three significant digits.
fn number(value: f64) -> String {
    let short: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    format!("{short}")
}

/// Formats the whole result as text. `directory` is the directory of the scenario files.
fn told(found: &Found, directory: &Path) -> String {
    let mut text: String = searched(found).iter().map(|line| format!("{line}\n")).collect();
    for (place, finding) in found.findings.iter().enumerate() {
        let lines = examined(found, place, directory).join("\n   ");
        text += &format!("\n{}. {}\n   {lines}\n", place + 1, finding.says);
    }
    text + &format!("\n{}\n", confirmed(found))
}

/// Describes the search: the goal, the repeated findings, and the networks of each kind.
fn searched(found: &Found) -> Vec<String> {
    let Found { aim, plan, replayed, searched, .. } = found;
    let goal = (aim.goal.name(), aim.goal.formula());
    let against = join(&aim.references);
    let mut lines = vec![format!("{} against {against}, {}: {}", aim.subject, goal.0, goal.1)];
    lines.extend(replayed.iter().map(|own| own.text(&aim.subject)));
    for own in searched {
        let how = if plan.strategy == Strategy::Random { "drawn at random" } else { "bred" };
        let (kind, count) = (own.kind.name(), own.evaluated);
        lines.push(format!("{kind}: {count} networks {how}, highest score {:.2}", own.highest));
        lines.extend(own.first_faulty.as_ref().map(|first| {
            format!(
                "on {} of them the controller cannot go on, which is not scored; the first: {}",
                own.faulty,
                first.says()
            )
        }));
    }
    lines
}

/// Describes how a finding was examined. `directory` is the directory of its scenario file.
fn examined(found: &Found, place: usize, directory: &Path) -> Vec<String> {
    let Finding { standing, score, low, high, copies, variants, passes, complexity, .. } =
        &found.findings[place];
    let (subject, reference) = (found.findings[place].subject, found.findings[place].reference);
    let passing = if *passes { ": it passes" } else { "" };
    vec![
        format!(
            "{}: score {score:.2} [{low:.2}, {high:.2}] over 30 fresh seeds; {}: {}, of the reference {}",
            standing.words(),
            found.aim.goal.number(),
            number(subject),
            number(reference)
        ),
        format!(
            "{:.0} % of 20 copies with other numbers keep half of the score; without the random delay of hosts {:.2}, \
             with 1 ms of jitter on the way back {:.2}, when run twice as long {:.2}{passing}",
            100.0 * copies,
            variants[0],
            variants[1],
            variants[2]
        ),
        format!(
            "complexity {:.1}, minimised from {:.1}; {}; narrows run {}",
            complexity[1],
            complexity[0],
            found.kernel[place].words(),
            quote(&directory.join(file(place)).display().to_string())
        ),
    ]
}

/// Returns the number of confirmed findings, in words.
fn confirmed(found: &Found) -> String {
    let confirmed = |finding: &&Finding| finding.standing == Standing::Confirmed;
    match found.findings.iter().filter(confirmed).count() {
        0 => {
            let evaluated: usize = found.searched.iter().map(|own| own.evaluated).sum();
            format!(
                "Nothing confirmed in {evaluated} networks, which is no proof that there is nothing"
            )
        }
        1 => "1 confirmed finding".to_owned(),
        many => format!("{many} confirmed findings"),
    }
}
