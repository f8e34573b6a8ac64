//! What to write instead of words that are no command line.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use narrows_params::nearest;
use std::ffi::OsString;

/// Flags of other commands that say what a scenario file says, and the key there.
const KEYS: &[(&str, &str)] = &[
    ("--duration", "duration=\"10 s\""),
    ("--warmup", "warmup=\"2 s\""),
    ("--rate", "link.NAME.rate=\"20 Mbit/s\""),
    ("--flows", "flow.NAME.count=4"),
];

/// The same error with a tip that helps, or without one that does not: clap's are the flag that looks most alike, and how to pass words as values.
pub fn with_tip(mut error: Error, words: &[OsString]) -> Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg).cloned() else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let command = words.get(1).map_or_else(String::new, |word| word.to_string_lossy().into_owned());
    let tip =
        before(words, &unknown).and_then(optional).or_else(|| of_scenario(&command, &unknown));
    if let Some(tip) = tip {
        // With the usage of the flag that clap suggests.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
        return error;
    }
    if !is_near(&error, &unknown) {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
    }
    // It is meant for words that look like flags and are none.
    error.remove(ContextKind::Suggested);
    error
}

/// The word before an unknown one.
fn before(words: &[OsString], unknown: &str) -> Option<String> {
    let place = words.iter().rposition(|word| *word == *unknown)?;
    Some(format!("{}={unknown}", words.get(place.checked_sub(1)?)?.to_str()?))
}

/// A tip if a flag whose value can be left out has a value behind it.
fn optional(joined: String) -> Option<String> {
    joined.starts_with("--watch=").then(|| format!("write '{joined}'"))
}

/// A tip if a scenario has a key for the flag.
fn of_scenario(command: &str, unknown: &str) -> Option<String> {
    let (_, key) = KEYS.iter().find(|(flag, _)| *flag == unknown)?;
    matches!(command, "run" | "live" | "sweep")
        .then(|| format!("the scenario says it; '--set {key}' changes it"))
}

/// Whether the flag that clap suggests is near to the unknown one.
fn is_near(error: &Error, unknown: &str) -> bool {
    let name = |flag: &str| {
        flag.trim_start_matches('-').split(['=', ' ']).next().unwrap_or_default().to_owned()
    };
    let suggested = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(one)) => one,
        Some(ContextValue::Strings(all)) if !all.is_empty() => &all[0],
        _ => return true,
    };
    nearest(&name(unknown), std::iter::once(name(suggested).as_str())).is_some()
}
