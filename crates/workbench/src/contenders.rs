//! The compared controllers.

use crate::error::Failure;
use crate::request;
use narrows_control::{Choice, DEFAULTS};

/// Collects the names. Refuses a name that occurs twice.
pub fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<String>, Failure> {
    let names: Vec<String> = names.map(str::to_owned).collect();
    match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        Some((_, twice)) => Err(Failure::Other(format!("{twice} is named twice; name each once"))),
        None => Ok(names),
    }
}

/// Returns the controllers that the arguments name, or the default ones.
pub fn controllers(args: &request::Compare) -> Result<Vec<Choice>, Failure> {
    if args.controllers.is_empty() {
        return Ok(DEFAULTS
            .iter()
            .map(|name| name.parse().expect("a controller of the registry"))
            .collect());
    }
    let controller = |compared: &request::Compared| match compared {
        request::Compared::Controller(choice) => Ok(choice.clone()),
        request::Compared::Icn(way) => Err(Failure::Other(format!(
            "{} controls rates in an information-centric network; add --icn",
            way.text()
        ))),
    };
    args.controllers.iter().map(controller).collect()
}

/// Returns the baseline: the controller that `--baseline` names, or CUBIC. `None` if CUBIC is not
/// compared or is alone.
///
/// # Errors
///
/// If `--baseline` names a controller that is not compared or is alone.
pub fn baseline(args: &request::Compare, names: &[String]) -> Result<Option<String>, Failure> {
    let named = |name: &str| names.iter().find(|own| *own == name).filter(|_| names.len() > 1);
    match &args.baseline {
        None => Ok(named(DEFAULT_BASELINE).cloned()),
        Some(choice) => match named(choice.text()) {
            Some(name) => Ok(Some(name.clone())),
            None => Err(Failure::Other(format!(
                "--baseline {} is not compared with another controller; give one of {}",
                choice.text(),
                join(names)
            ))),
        },
    }
}

/// Default baseline.
const DEFAULT_BASELINE: &str = "cubic";

/// Joins names as "a, b and c".
pub fn join(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
