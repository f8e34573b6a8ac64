//! Tips for invalid command lines.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use narrows_params::nearest;
use std::ffi::OsString;

/// Flags of other commands with an equivalent key in scenario files.
const KEYS: &[(&str, &str)] = &[
    ("--duration", "duration=\"10 s\""),
    ("--warmup", "warmup=\"2 s\""),
    ("--rate", "link.NAME.rate=\"20 Mbit/s\""),
    ("--flows", "flow.NAME.count=4"),
];

/// Commands that have moved: the old words and the new ones.
const MOVED: &[(&str, &str)] = &[
    ("forward", "ndn forward"),
    ("serve", "ndn serve"),
    ("get", "ndn get"),
    ("ping", "ndn ping"),
    ("key", "ndn key"),
    ("bench", "lab bench"),
    ("fidelity", "lab fidelity"),
    ("check --self", "lab self-check"),
];

/// Replaces the tips of clap. Adds a tip that helps, and removes tips that do not: the most similar
/// flag if it is not similar, and how to pass a value that begins with a dash.
pub fn with_tip(mut error: Error, words: &[OsString]) -> Error {
    if let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) {
        if let Some(tip) = moved(unknown) {
            error.remove(ContextKind::SuggestedSubcommand);
            suggest(&mut error, tip);
        }
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg).cloned() else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let command = words.get(1).map_or_else(String::new, |word| word.to_string_lossy().into_owned());
    let tip =
        before(words, &unknown).and_then(optional).or_else(|| of_scenario(&command, &unknown));
    let tip = tip.or_else(|| moved(&format!("{command} {unknown}")));
    if let Some(tip) = tip {
        // The usage belongs to the flag that clap suggests.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        suggest(&mut error, tip);
        return error;
    }
    if !is_near(&error, &unknown) {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
    }
    // This tip is for values that look like flags.
    error.remove(ContextKind::Suggested);
    error
}

fn suggest(error: &mut Error, tip: String) {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

/// Returns a tip for a command that has moved.
fn moved(words: &str) -> Option<String> {
    let (_, new) = MOVED.iter().find(|(old, _)| *old == words)?;
    Some(format!("it is now 'narrows {new}'"))
}

/// Returns the preceding word and the unknown word, joined with `=`.
fn before(words: &[OsString], unknown: &str) -> Option<String> {
    let place = words.iter().rposition(|word| *word == *unknown)?;
    Some(format!("{}={unknown}", words.get(place.checked_sub(1)?)?.to_str()?))
}

/// Returns a tip for a flag with an optional value that was written as a separate word.
fn optional(joined: String) -> Option<String> {
    joined.starts_with("--watch=").then(|| format!("write '{joined}'"))
}

/// Returns a tip for a flag that is a key of scenario files.
fn of_scenario(command: &str, unknown: &str) -> Option<String> {
    let (_, key) = KEYS.iter().find(|(flag, _)| *flag == unknown)?;
    matches!(command, "run" | "live" | "sweep")
        .then(|| format!("this is a key of the scenario; change it with --set '{key}'"))
}

/// True if the flag that clap suggests is similar to the unknown one.
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
