//! `narrows kernel unload`.

use super::connections;
use crate::Outcome;
use crate::cli::UnloadArgs;
use crate::error::Failure;
use crate::output;
use narrows_kernel::Pinned;

/// Takes controllers away that narrows loaded.
pub fn unload(args: UnloadArgs) -> Result<Outcome, Failure> {
    let all = match &args.name {
        Some(name) => vec![Pinned::named(name)?],
        None => Pinned::all()?,
    };
    let default = narrows_kernel::default();
    let another = ["cubic", "reno"].into_iter().find(|name| narrows_kernel::available().iter().any(|one| one == name)).unwrap_or("reno");
    let remedy = format!("`sysctl -w net.ipv4.tcp_congestion_control={another}` chooses another");
    if !args.force && all.iter().any(|pinned| pinned.name() == default) {
        return Err(Failure::Other(format!(
            "{default} is what this host gives new connections by default, and they would go on getting it after it is unloaded: {remedy}, then unload it; \
             --force unloads it all the same"
        )));
    }
    if all.is_empty() {
        output::print("narrows has loaded no controller.\n")?;
    }
    for pinned in all {
        let name = pinned.name().to_owned();
        let open = pinned.unload()?;
        let mut text = format!("{name} is unloaded.\n");
        if open > 0 {
            text += &format!(
                "{} still {} it, until the end; no new one can choose it.\n",
                connections(open),
                if open == 1 { "has" } else { "have" }
            );
        }
        if name == default {
            text += &format!("It still is the default, which new connections get: {remedy}.\n");
        }
        output::print(&text)?;
    }
    Ok(Outcome::Ok)
}
