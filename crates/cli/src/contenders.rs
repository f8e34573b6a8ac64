//! Who is compared.

use crate::cli::{CompareArgs, Compared};
use crate::error::Failure;
use narrows_control::{Choice, DEFAULTS};

/// The names, none of which comes twice.
pub fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<String>, Failure> {
    let names: Vec<String> = names.map(str::to_owned).collect();
    match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        Some((_, twice)) => Err(Failure::Other(format!("{twice} is named twice; name each once"))),
        None => Ok(names),
    }
}

/// Controllers that the arguments name.
pub fn controllers(args: &CompareArgs) -> Result<Vec<Choice>, Failure> {
    if args.compared.is_empty() {
        return Ok(DEFAULTS
            .iter()
            .map(|name| name.parse().expect("a controller of the registry"))
            .collect());
    }
    let controller = |compared: &Compared| match compared {
        Compared::Controller(choice) => Ok(choice.clone()),
        Compared::Icn(way) => Err(Failure::Other(format!(
            "{} controls rates in an information-centric network; add --icn",
            way.text()
        ))),
    };
    args.compared.iter().map(controller).collect()
}

/// "a, b and c".
pub fn join(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
