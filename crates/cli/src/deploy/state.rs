//! The state of an experiment: a file that its agent writes, and that `status` and `stop` read.

use narrows_files::{Limit, read_unlinked};
use narrows_workbench::Failure;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Usual directory of the states of experiments.
pub const STATES: &str = "/var/lib/narrows/deploy";
pub const FILE: &str = "state.json";

/// How an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// All connections have the control.
    Observing,
    /// Periods alternate.
    Running,
    /// All pairs are done, and no harm was shown.
    Completed,
    /// Harm was shown, and connections were put back.
    Harmed,
    /// Somebody stopped it.
    Stopped,
    /// Its numbers do not count.
    Invalid,
    /// It could not go on.
    Failed,
}

impl Phase {
    /// True if the experiment goes on.
    pub fn goes_on(self) -> bool {
        matches!(self, Phase::Observing | Phase::Running)
    }

    /// Returns the phase in a word.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Observing => "observing",
            Phase::Running => "running",
            Phase::Completed => "completed",
            Phase::Harmed => "harmed",
            Phase::Stopped => "stopped",
            Phase::Invalid => "invalid",
            Phase::Failed => "failed",
        }
    }
}

/// Counts of an arm.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ArmCounts {
    pub assigned: u64,
    pub closed: u64,
    pub refused: u64,
    pub overridden: u64,
    pub restored: u64,
    pub not_restored: u64,
}

/// The state of an experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// Name of the experiment.
    pub name: String,
    /// How it is.
    pub phase: Phase,
    /// Why it ended, or an empty text.
    pub reason: String,
    /// Process of the agent.
    pub process: u32,
    /// Names of the controllers: of the control, or "default", and of the treatment.
    pub arms: [String; 2],
    /// Number of periods, and the present one.
    pub periods: [usize; 2],
    /// Judged pairs, all pairs, and void pairs.
    pub pairs: [usize; 3],
    /// Control and treatment.
    pub counts: [ArmCounts; 2],
    /// Connections that were left alone, that began after a lease, and records that were lost.
    pub left_alone: u64,
    pub lapsed: u64,
    pub unrecorded: u64,
    /// The effect and the evidence of each metric, as JSON.
    pub metrics: serde_json::Value,
}

impl State {
    /// Reads the state of an experiment.
    pub fn read(states: &Path, name: &str) -> Result<State, Failure> {
        let path = states.join(name).join(FILE);
        let text = read_unlinked(&path, Limit::TEXT).map_err(|error| {
            let others = names(states);
            Failure::Other(format!(
                "there is no experiment \"{name}\" in {} ({error}); there are: {}",
                states.display(),
                if others.is_empty() { "none".to_owned() } else { others.join(", ") }
            ))
        })?;
        serde_json::from_slice(&text).map_err(|error| {
            Failure::Other(format!("{} is damaged: {error}; remove it", path.display()))
        })
    }

    /// True if the agent is there.
    pub fn has_agent(&self) -> bool {
        let command = PathBuf::from(format!("/proc/{}/cmdline", self.process));
        let words = fs::read(command).unwrap_or_default();
        let mut words = words.split(|byte| *byte == 0);
        words.any(|word| word == b"deploy") && words.any(|word| word == b"start")
    }
}

/// Returns the names of the experiments that have a state.
pub fn names(states: &Path) -> Vec<String> {
    let entries = fs::read_dir(states).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(FILE).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
