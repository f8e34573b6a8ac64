//! `narrows deploy report`: the page and the tables of an experiment.

use super::status::shown;
use crate::cli::DeployReportArgs;
use crate::terminal;
use narrows_workbench::experiments::{place, plan, remove_old, write_result};
use narrows_workbench::{Failure, Outcome};

/// Writes the results of experiments.
pub fn report(args: &DeployReportArgs) -> Result<Outcome, Failure> {
    if args.out.is_some() && args.experiments.len() > 1 {
        return Err(Failure::Other(
            "--out takes the result of one experiment; name one, or leave --out away".to_owned(),
        ));
    }
    let plan = args.plan.as_deref().map(plan).transpose()?;
    for name in &args.experiments {
        let folder = place(name, &args.state);
        let out = args.out.clone().unwrap_or_else(|| folder.join("result"));
        if args.out.is_none() {
            remove_old(&out)?;
        }
        let (summary, state) = write_result(&folder, &out, plan.as_ref())?;
        let text = if args.json { summary.json() } else { shown(&state, false) };
        terminal::print(&text)?;
        if !args.json {
            terminal::print(&format!("\nReport: {}\n", out.join("report.html").display()))?;
        }
    }
    Ok(Outcome::Ok)
}
