//! Runs that change the network at a transition of the controller.

use super::outcome::Trial;
use super::plan::{Plan, Run};
use super::record::Record;
use narrows_units::Time;

/// A run that changed at a transition of the one before.
pub(super) struct Changed {
    pub run: Run,
    /// When it changed.
    pub at: Time,
    pub plan: Plan,
}

/// Runs `plan`, finds the row at which `find` points, and runs it again as `change` makes it at the time of that row. Both must be the same up to then.
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
