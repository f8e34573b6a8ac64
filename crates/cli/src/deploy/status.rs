//! `narrows deploy status`.

use crate::cli::DeployStatusArgs;
use crate::terminal;
use narrows_deploy::result::status_text;
use narrows_deploy::state::State;
use narrows_workbench::experiments::{has_agent, names, read};
use narrows_workbench::{Failure, Outcome};

/// Shows the experiments of this host.
pub fn status(args: &DeployStatusArgs) -> Result<Outcome, Failure> {
    let wanted = match &args.name {
        Some(name) => vec![name.clone()],
        None => names(&args.state),
    };
    let states: Vec<State> =
        wanted.iter().map(|name| read(&args.state, name)).collect::<Result<_, _>>()?;
    if args.json {
        let text = serde_json::to_string_pretty(&states).expect("they are texts and numbers");
        terminal::print(&(text + "\n"))?;
    } else if states.is_empty() {
        terminal::print(&format!("There is no experiment in {}.\n", args.state.display()))?;
    } else {
        let text =
            |own: &State| shown(own, own.phase.goes_on() && !has_agent(&args.state, &own.name));
        terminal::print(&states.iter().map(text).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Outcome::Ok)
}

/// Formats the state of an experiment; `is_alone` if its agent is gone.
pub fn shown(own: &State, is_alone: bool) -> String {
    status_text(own, is_alone)
}
