//! Runs that change the network at a transition of the controller.

use super::outcome::Trial;
use super::plan::{Plan, Run};
use super::record::Record;
use narrows_units::Time;

/// A run with a change of the network at a transition of the run before.
pub(super) struct Changed {
    pub run: Run,
    /// Time of the change.
    pub at: Time,
    pub plan: Plan,
}

/// Runs `plan`, finds a row with `find`, and runs the plan again after `change` has changed it at
/// the time of that row. Both records must be equal up to that time.
pub(super) fn at_transition(
    trial: &mut Trial,
    plan: &Plan,
    find: impl FnOnce(&Record) -> Result<usize, String>,
    change: impl FnOnce(Plan, Time) -> Plan,
) -> Result<Changed, String> {
    let before = plan.run()?;
    let at = before.record.rows[find(&before.record)?].at;
    let plan = change(plan.clone(), at);
    let run = plan.run()?;
    trial.check("same", run.record.begins_as(&before.record, at), || {
        format!(
            "the runs with and without the change at {:.6} s differ before it",
            at.as_secs_f64()
        )
    });
    Ok(Changed { run, at, plan })
}
