//! What happened over time in the worst cell of a criterion.

use crate::EvidenceError;
use crate::check::{Check, CriterionVerdict, Run};
use narrows_report::{Case, Comparison, figures};
use narrows_sim::SimError;
use std::sync::atomic::AtomicBool;

/// The worst cell of a criterion over time, as SVG on white: the run of the seed that went worst, with the controller under test and with each baseline in its place.
/// `None` of a criterion that passes or that has no cells, of a program, which the simulator does not have, where a controller cannot go on in one of these runs, and as
/// soon as `go` says no.
///
/// # Errors
///
/// A scenario cannot be made or run.
pub fn course(
    check: &Check,
    own: &CriterionVerdict,
    stop: &AtomicBool,
) -> Result<Option<String>, EvidenceError> {
    let Some(worst) =
        own.cells.first().filter(|_| !check.players.program && own.is_worse_than_pass())
    else {
        return Ok(None);
    };
    let mut cases = Vec::new();
    for run in check.worst_runs(worst) {
        let Some(case) = case(check, run, stop)? else { return Ok(None) };
        cases.push(case);
    }
    let of_queue = ["rtt", "queueing", "standing_queue"]
        .iter()
        .any(|name| check.measure(worst).starts_with(name));
    let title = if of_queue { "Queueing delay" } else { "Throughput" };
    let drawn = figures(&Comparison::new(own.criterion.title.clone(), cases, ""));
    Ok(drawn
        .iter()
        .find(|figure| figure.title().starts_with(title))
        .map(narrows_report::Figure::svg))
}

fn case(check: &Check, run: Run, stop: &AtomicBool) -> Result<Option<Case>, EvidenceError> {
    let scenario = check.scenario(run)?;
    let record = match narrows_sim::run_until(&scenario, stop) {
        Err(SimError::Fault { .. } | SimError::Stopped) => return Ok(None),
        ran => ran.map_err(|error| EvidenceError::new(&check.describe(run), &error.to_string()))?,
    };
    Ok(Some(Case {
        label: check.pair_label(run),
        scenario_toml: scenario.to_toml(),
        runs: vec![record],
    }))
}
