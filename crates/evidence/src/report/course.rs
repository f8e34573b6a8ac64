//! What happened over time in the worst cell of a criterion.

use crate::EvidenceError;
use crate::check::{Check, CriterionVerdict, Run};
use narrows_report::{Case, Comparison, figures};

/// The worst cell of a criterion over time, as SVG on white: the run of the seed that went worst, with the controller under test and with each baseline in its place.
/// `None` of a criterion that passes or that has no cells, and of a program, which the simulator does not have.
///
/// # Errors
///
/// A scenario cannot be made or run.
pub fn course(check: &Check, own: &CriterionVerdict) -> Result<Option<String>, EvidenceError> {
    let Some(worst) = own.cells.first().filter(|_| !check.players.program && own.is_worse_than_pass()) else {
        return Ok(None);
    };
    let cases = check.worst_runs(worst).into_iter().map(|run| case(check, run)).collect::<Result<Vec<_>, _>>()?;
    let of_queue = ["rtt", "queueing", "standing_queue"].iter().any(|name| check.measure(worst).starts_with(name));
    let title = if of_queue { "Queueing delay" } else { "Throughput" };
    let drawn = figures(&Comparison::new(own.criterion.title.clone(), cases, ""));
    Ok(drawn.iter().find(|figure| figure.title().starts_with(title)).map(narrows_report::Figure::svg))
}

fn case(check: &Check, run: Run) -> Result<Case, EvidenceError> {
    let scenario = check.scenario(run)?;
    let record = narrows_sim::run(&scenario).map_err(|error| EvidenceError::new(&check.describe(run), &error.to_string()))?;
    Ok(Case { label: check.pair_label(run), scenario_toml: scenario.to_toml(), runs: vec![record] })
}
