//! `narrows kernel unload`.

use super::found::{connections, find};
use crate::cli::UnloadArgs;
use crate::deploy;
use crate::terminal;
use narrows_kernel::{Damaged, Elsewhere, Pinned};
use narrows_workbench::Failure;
use narrows_workbench::Outcome;

/// Unloads controllers that narrows loaded.
pub fn unload(args: UnloadArgs) -> Result<Outcome, Failure> {
    let all = match &args.name {
        Some(name) => vec![find(name)?],
        None => Pinned::all()?,
    };
    if all.is_empty() {
        terminal::print("narrows has loaded no controller.\n")?;
        return Ok(Outcome::Ok);
    }
    let used = all.iter().find_map(|one| Some((one, deploy::using(name(one)).pop()?)));
    if let Some((one, experiment)) = used.filter(|_| !args.force) {
        return Err(Failure::Other(format!(
            "{} is of the experiment \"{experiment}\": `narrows deploy stop {experiment}` ends it; --force unloads it anyway",
            name(one)
        )));
    }
    let (there, untold): (Vec<Elsewhere>, Vec<Elsewhere>) =
        narrows_kernel::elsewhere().into_iter().partition(|one| one.default.is_ok());
    let defaults: Vec<Vec<Default>> = all.iter().map(|one| defaults(name(one), &there)).collect();
    if let Some((one, default)) = all
        .iter()
        .zip(&defaults)
        .find_map(|(one, defaults)| Some((one, defaults.first()?)))
        .filter(|_| !args.force)
    {
        let Default { whose, remedy } = default;
        return Err(Failure::Other(format!(
            "{} is the default of {whose}, and new connections would keep using it: {remedy}, then unload it; --force unloads it anyway",
            name(one)
        )));
    }
    // Tries to unload each controller, even if another one fails.
    let outcomes: Vec<Result<(), Failure>> =
        all.into_iter().zip(defaults).map(|(one, defaults)| take_away(one, &defaults)).collect();
    if let Some(first) = untold.first() {
        let reason = first.default.as_ref().expect_err("partitioned");
        let more = if untold.len() > 1 {
            format!(", nor can {} more", untold.len() - 1)
        } else {
            String::new()
        };
        terminal::tell(&format!(
            "the network namespace of {} cannot be examined ({reason}){more}: if its default is what was unloaded, its new connections go on getting it",
            first.whose
        ));
    }
    let mut failures: Vec<Failure> = outcomes.into_iter().filter_map(Result::err).collect();
    let last = failures.pop();
    failures.iter().for_each(Failure::print);
    last.map_or(Ok(Outcome::Ok), Err)
}

/// A network namespace with the controller as the default of new connections.
struct Default {
    whose: String,
    /// Command that selects another default.
    remedy: String,
}

/// Returns the network namespaces that have this controller as their default, beginning with the
/// current one.
fn defaults(name: &str, elsewhere: &[Elsewhere]) -> Vec<Default> {
    let allowed = narrows_kernel::allowed();
    let another = another(name, &allowed);
    let choose = format!("sysctl -w net.ipv4.tcp_congestion_control={another}");
    let own = (narrows_kernel::default() == name).then(|| Default {
        whose: "this host".to_owned(),
        remedy: format!("`{choose}` chooses another"),
    });
    let others =
        elsewhere.iter().filter(|one| one.default.as_ref().is_ok_and(|default| default == name));
    let others = others.map(|one| Default {
        whose: format!("the network namespace of {}", one.whose),
        remedy: format!("`nsenter --net={} {choose}` chooses another there", one.path.display()),
    });
    own.into_iter().chain(others).collect()
}

/// Returns a controller to choose instead of `name`. It is one of the allowed controllers: network
/// namespaces other than the first accept only these as their default.
fn another<'a>(name: &str, allowed: &'a [String]) -> &'a str {
    let usual =
        ["cubic", "reno"].into_iter().find_map(|usual| allowed.iter().find(|one| *one == usual));
    // Reno is always available and allowed.
    usual.or_else(|| allowed.iter().find(|one| *one != name)).map_or("reno", String::as_str)
}

fn name(one: &Result<Pinned, Damaged>) -> &str {
    one.as_ref().map_or_else(|one| one.name(), |one| one.name())
}

fn take_away(one: Result<Pinned, Damaged>, defaults: &[Default]) -> Result<(), Failure> {
    let name = name(&one).to_owned();
    let mut text = format!("{name} is unloaded.\n");
    match one {
        Ok(pinned) => {
            let open = pinned.unload()?;
            if open > 0 {
                let have = if open == 1 { "has" } else { "have" };
                text += &format!(
                    "{} still {have} it, until the end; no new one can choose it.\n",
                    connections(open)
                );
            }
        }
        Err(damaged) => {
            text += &format!(
                "Its pins were damaged: {}. What was left of them is removed.\n",
                damaged.problem()
            );
            damaged.unload()?;
        }
    }
    for Default { whose, remedy } in defaults {
        text +=
            &format!("It still is the default of {whose}, which new connections get: {remedy}.\n");
    }
    terminal::print(&text)
}

#[cfg(test)]
mod tests {
    use super::another;

    #[test]
    fn what_is_chosen_instead_is_allowed_everywhere() {
        let of = |name: &str, allowed: &[&str]| {
            let allowed: Vec<String> = allowed.iter().map(|one| (*one).to_owned()).collect();
            another(name, &allowed).to_owned()
        };
        assert_eq!(of("mine", &["reno"]), "reno", "a kernel may have cubic and not allow it");
        assert_eq!(of("mine", &["reno", "cubic"]), "cubic");
        assert_eq!(of("mine", &["mine", "bbr"]), "bbr");
        assert_eq!(of("mine", &[]), "reno");
    }
}
