//! Log file of the output of BPF programs. It has one line per message, sorted by run and time,
//! however many runs are concurrent.

use crate::error::Failure;
use narrows_bpf::log::{Gathered, gather};
use narrows_control::kept_objects;
use narrows_files::Output;
use narrows_scenario::Scenario;
use narrows_units::Time;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The log file and its pending content.
pub struct BpfLog {
    path: PathBuf,
    file: Output,
    /// Lines of each run, by the index of the run.
    runs: Mutex<BTreeMap<usize, String>>,
}

impl BpfLog {
    /// Creates the log file, or returns `None` without a path.
    ///
    /// # Errors
    ///
    /// If the file exists as a regular file or cannot be created, if no controller of the scenarios
    /// can print, or if the output cannot be assigned to flows.
    pub fn begin(path: Option<&Path>, scenarios: &[Scenario]) -> Result<Option<BpfLog>, Failure> {
        let Some(path) = path else { return Ok(None) };
        scenarios.iter().try_for_each(refuse)?;
        if !scenarios.iter().any(|scenario| prints(scenario).next().is_some()) {
            let problem = "--bpf-log keeps what controllers from BPF files print, and none of these comes from a file; leave it out";
            return Err(Failure::Other(problem.to_owned()));
        }
        let file = Output::create_new(path).map_err(|error| unwritable(path, &error))?;
        Ok(Some(BpfLog { path: path.to_owned(), file, runs: Mutex::default() }))
    }

    /// Runs `run` and collects the output of its programs. `index` is the index of the run. `label`
    /// identifies it in the log in addition to its seed.
    pub fn gather<T>(
        &self,
        index: usize,
        label: &str,
        scenario: &Scenario,
        run: impl FnOnce() -> T,
    ) -> T {
        let (answer, gathered) = gather(run);
        let text = lines(label, scenario, &gathered);
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).insert(index, text);
        answer
    }

    /// Writes the log file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        let BpfLog { path, mut file, runs } = self;
        let runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let written = runs
            .values()
            .try_for_each(|text| file.write_all(text.as_bytes()))
            .and_then(|()| file.finish());
        written.map_err(|error| unwritable(&path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!(
        "{}: what programs print cannot be written there: {error}; give --bpf-log another file",
        path.display()
    ))
}

/// Returns the flows with controllers from files.
fn prints(scenario: &Scenario) -> impl Iterator<Item = &narrows_scenario::Flow> {
    let files = kept_objects();
    let from_file = move |name: &str| files.iter().any(|(entry, _)| entry.name() == name);
    scenario.flows.iter().filter(move |flow| {
        flow.controller.as_ref().is_some_and(|choice| from_file(choice.entry().name()))
    })
}

fn refuse(scenario: &Scenario) -> Result<(), Failure> {
    if scenario.icn.is_some() {
        let problem = "--bpf-log names the flow of each line, and an information-centric network has none; leave it out";
        return Err(Failure::Other(problem.to_owned()));
    }
    match prints(scenario).find(|flow| flow.workload.opens_connections()) {
        Some(flow) => Err(Failure::Other(format!(
            "flow \"{}\" opens a connection for each transfer, which --bpf-log does not tell apart; give it a workload of one connection",
            flow.name
        ))),
        None => Ok(()),
    }
}

fn lines(label: &str, scenario: &Scenario, gathered: &Gathered) -> String {
    let names = scenario.flows.iter().map(|flow| flow.name.as_str());
    let flows: BTreeMap<u64, &str> =
        names.map(|name| (narrows_sim::controller_seed(scenario.seed, name), name)).collect();
    let label = if label.is_empty() { String::new() } else { format!("{label}, ") };
    let mut text = String::new();
    for line in &gathered.lines {
        let (flow, at) =
            (flows.get(&line.seed).copied().unwrap_or("?"), line.at.since(Time::ZERO).as_nanos());
        let (seconds, nanos) = (at / 1_000_000_000, at % 1_000_000_000);
        // Each message of a program is a single line of the file.
        let said = line.text.replace(['\n', '\r'], " ");
        writeln!(
            text,
            "{label}seed {}, {seconds}.{nanos:09} s, flow {flow}: {}",
            scenario.seed,
            said.trim_end()
        )
        .expect("a string grows");
    }
    if gathered.left_out > 0 {
        writeln!(
            text,
            "{label}seed {}: {} further lines are left out",
            scenario.seed, gathered.left_out
        )
        .expect("a string grows");
    }
    text
}
