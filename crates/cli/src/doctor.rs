//! `narrows doctor`.

use crate::cli::DoctorArgs;
use crate::terminal;
use narrows_live::{Capability, State};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde_json::json;

/// Reports which requirements of a live run this host meets. The exit status says if scenarios can
/// run live.
pub fn doctor(args: DoctorArgs) -> Result<Outcome, Failure> {
    // Both calls may move this process into a user namespace, which requires a process with a
    // single thread.
    let ready = narrows_live::ready();
    let capabilities = narrows_live::probe();
    let why = ready.as_ref().err().map(ToString::to_string);
    let text = if args.json {
        as_json(&capabilities, why.as_deref())
    } else {
        as_text(&capabilities, why.as_deref())
    };
    terminal::print(&text)?;
    Ok(if ready.is_ok() { Outcome::Ok } else { Outcome::Missed })
}

fn as_text(capabilities: &[Capability], why: Option<&str>) -> String {
    let names = capabilities.iter().map(|one| one.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Capability { name, state, found, remedy } in capabilities {
        text += &format!("{:<8} {name:<names$}  {found}\n", state.name());
        if *state != State::There && !remedy.is_empty() {
            text += &format!("{:<8} {:<names$}  -> {remedy}\n", "", "");
        }
    }
    match why {
        None => text + "\nScenarios can run live here: narrows live FILE\n",
        Some(why) => text + &format!("\nScenarios cannot run live here: {why}\n"),
    }
}

fn as_json(capabilities: &[Capability], why: Option<&str>) -> String {
    let one = |Capability { name, state, found, remedy }: &Capability| json!({ "name": name, "state": state.name(), "found": found, "remedy": remedy });
    let capabilities: Vec<_> = capabilities.iter().map(one).collect();
    format!(
        "{:#}\n",
        json!({ "live": why.is_none(), "why_not": why, "capabilities": capabilities })
    )
}
