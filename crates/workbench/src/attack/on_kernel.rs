//! Runs of findings on this host's kernel.

use crate::error::Failure;
use crate::request;
use crate::runner::run_live_together;
use narrows_evidence::attack::{Aim, Cast, Finding, Standing, Trial, Variant, mean};
use narrows_live::LiveError;
use narrows_measure::{Emulation, Record};
use narrows_scenario::Scenario;
use serde::Serialize;

/// Seeds for the random choices of the links on the kernel.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// Minimum fraction of the simulated score for a finding to count as seen.
const SEEN: f64 = 0.5;
/// Load and capacity of a run, equal so that only one run at a time uses the host.
const ALONE: f64 = 1.0;

/// Result of a finding on the kernel.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnKernel {
    /// The finding did not run on the kernel. With the reason.
    SimulatedOnly(String),
    /// The score is at least [`SEEN`] times the simulated score. With the mean score over the
    /// seeds.
    Seen(f64),
    /// The score is lower. With the mean score over the seeds.
    NotSeen(f64),
    /// The host was too slow for valid runs in two attempts. With the reasons.
    Invalid(String),
}

impl OnKernel {
    /// Formats the result as a phrase.
    pub fn words(&self) -> String {
        match self {
            OnKernel::SimulatedOnly(why) => format!("simulated only ({why})"),
            OnKernel::Seen(score) => format!("seen on the kernel, score {score:.2}"),
            OnKernel::NotSeen(score) => format!("not seen on the kernel, score {score:.2}"),
            OnKernel::Invalid(why) => format!("the runs on the kernel are invalid ({why})"),
        }
    }
}

/// Runs each confirmed finding on the kernel if `wanted`. No other run may use the host at the same
/// time.
pub fn on_kernel(
    aim: &Aim,
    findings: &[Finding],
    wanted: bool,
    output: &request::Output,
) -> Result<Vec<OnKernel>, Failure> {
    let one = |finding: &Finding| match finding.standing {
        _ if !wanted => Ok(OnKernel::SimulatedOnly("--live runs it on the kernel".to_owned())),
        Standing::Confirmed => run(aim, finding, output),
        _ => Ok(OnKernel::SimulatedOnly("only confirmed findings run there".to_owned())),
    };
    findings.iter().map(one).collect()
}

fn run(aim: &Aim, finding: &Finding, output: &request::Output) -> Result<OnKernel, Failure> {
    let mut scores = Vec::new();
    for seed in SEEDS {
        let trial = Trial { genome: finding.genome.clone(), seed, variant: Variant::Plain };
        let plan = |cast: &Cast| {
            aim.scenario(&trial, cast).map_err(|error| Failure::Other(error.to_string()))
        };
        let plans: Vec<Scenario> =
            aim.casts(finding.genome.kind).iter().map(plan).collect::<Result<_, Failure>>()?;
        let loads = vec![ALONE; plans.len()];
        let mut records = match run_live_together(&plans, &loads, ALONE, output) {
            Ok(records) => records,
            Err(Failure::Live(LiveError::Refused { problem, .. })) => {
                return Ok(OnKernel::SimulatedOnly(problem));
            }
            Err(Failure::Live(LiveError::Kernel(error))) => {
                return Ok(OnKernel::SimulatedOnly(error.to_string()));
            }
            Err(other) => return Err(other),
        };
        if !issues(&records).is_empty() {
            records = run_live_together(&plans, &loads, ALONE, output)?;
        }
        let issues = issues(&records);
        if !issues.is_empty() {
            return Ok(OnKernel::Invalid(issues.join("; ")));
        }
        scores.push(aim.goal.score(&records).value);
    }
    let score = mean(&scores);
    Ok(if score >= SEEN * finding.score { OnKernel::Seen(score) } else { OnKernel::NotSeen(score) })
}

fn issues(records: &[Record]) -> Vec<String> {
    records
        .iter()
        .filter_map(|record| record.emulation.as_ref())
        .flat_map(Emulation::validity_issues)
        .collect()
}
