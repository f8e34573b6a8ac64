//! The worst cell of a criterion over time.

use crate::EvidenceError;
use crate::check::{Check, CriterionVerdict, Run};
use narrows_report::{Case, Comparison, Selection, Style, figures};
use narrows_sim::SimError;
use std::sync::atomic::AtomicBool;

/// Draws the worst cell of a criterion over time, as SVG on white: the run with the worst seed,
/// once with the controller under test and once with each baseline in its place. `None` if the
/// criterion passes or has no cells, if the subject is a program, which does not run in the
/// simulator, if a controller cannot continue in one of these runs, or if `stop` is set.
///
/// # Errors
///
/// A scenario is invalid, or its run fails.
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
    let drawn =
        figures(&Comparison::new(own.criterion.title.clone(), cases, ""), &Selection::default());
    Ok(drawn
        .iter()
        .find(|figure| figure.title.starts_with(title))
        .map(|figure| figure.svg(&Style::SCREEN)))
}

fn case(check: &Check, run: Run, stop: &AtomicBool) -> Result<Option<Case>, EvidenceError> {
    let scenario = check.scenario(run)?;
    let record = match narrows_sim::run_until(&scenario, stop) {
        Err(SimError::Stopped) => return Ok(None),
        Err(error) if error.is_of_controller() => return Ok(None),
        ran => ran.map_err(|error| EvidenceError::new(&check.describe(run), &error.to_string()))?,
    };
    Ok(Some(Case {
        label: check.pair_label(run),
        scenario_toml: scenario.to_toml(),
        runs: vec![record],
    }))
}
