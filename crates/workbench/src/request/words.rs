//! Requests as words of a command line and as named values. The flags that clap knows are the
//! names and the order of both.

use crate::quote::quote;
use clap::error::ContextKind;
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use narrows_params::suggest;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::path::Path;

/// Serialises a value by its text.
pub fn text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serialises the values of an option or of a list by their texts.
pub fn texts<'a, T, S>(values: &'a T, serializer: S) -> Result<S::Ok, S::Error>
where
    &'a T: IntoIterator<Item: Display>,
    S: Serializer,
{
    serializer.collect_seq(values.into_iter().map(|value| value.to_string()))
}

/// Serialises a path by its text.
pub fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Serialises paths by their texts.
pub fn paths<'a, T, S>(paths: &'a T, serializer: S) -> Result<S::Ok, S::Error>
where
    &'a T: IntoIterator<Item: AsRef<Path>>,
    S: Serializer,
{
    serializer.collect_seq(paths.into_iter().map(|path| path.as_ref().display().to_string()))
}

/// Serialises keys with values as KEY=VALUE.
pub fn pairs<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|(key, value)| format!("{key}={value}")))
}

/// Serialises a share of 0 to 1. A bare 1 is refused when it is read, because it could mean 1 %.
pub fn share<S: Serializer>(share: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = |share: f64| if share == 1.0 { "100 %".to_owned() } else { share.to_string() };
    serializer.collect_seq(share.map(text))
}

/// Names that do not change a result.
const WITHOUT_EFFECT: [&str; 8] =
    ["out", "jobs", "json", "open", "quiet", "watch", "bpf_log", "metric"];

/// Returns the command that repeats a request in its result directory. `changed` has the values
/// that are different there, such as names of files; an empty list leaves the name out. Names that
/// do not change the result are left out, too.
///
/// # Panics
///
/// In debug builds, if the request has no such name.
pub fn remake<T: Args + Serialize>(
    command: &str,
    request: &T,
    changed: &[(&str, Vec<String>)],
) -> String {
    let without = WITHOUT_EFFECT.iter().map(|name| (*name, Vec::new()));
    let changed: Vec<(&str, Vec<String>)> = without.chain(changed.iter().cloned()).collect();
    let words = worded(command, request, &changed);
    std::iter::once("narrows".to_owned())
        .chain(words.iter().map(|word| quote(word)))
        .collect::<Vec<String>>()
        .join(" ")
}

fn worded<T: Args + Serialize>(
    command: &str,
    request: &T,
    changed: &[(&str, Vec<String>)],
) -> Vec<String> {
    let values = match serde_json::to_value(request) {
        Ok(Value::Object(values)) => values,
        other => unreachable!("a request is a map of names: {other:?}"),
    };
    let shape = shape::<T>();
    debug_assert!(
        changed[WITHOUT_EFFECT.len().min(changed.len())..]
            .iter()
            .all(|(name, _)| shape.get_arguments().any(|arg| arg.get_id() == *name)),
        "{command} has all of {changed:?}"
    );
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let of = |arg: &Arg| {
        let name = arg.get_id().as_str();
        match changed.iter().rev().find(|(own, _)| *own == name) {
            Some((_, texts)) => texts.clone(),
            None => given(arg, values.get(name)),
        }
    };
    let (positional, flags): (Vec<&Arg>, Vec<&Arg>) =
        shape.get_arguments().partition(|arg| arg.is_positional());
    let (last, first): (Vec<&Arg>, Vec<&Arg>) =
        positional.into_iter().partition(|arg| arg.is_last_set());
    let first: Vec<String> = first.into_iter().flat_map(of).collect();
    let looks_like_flag = last.is_empty() && first.iter().any(|word| word.starts_with('-'));
    words.extend(if looks_like_flag { Vec::new() } else { first.clone() });
    for arg in flags {
        let flag = format!("--{}", arg.get_long().unwrap_or_default());
        let texts = of(arg);
        match arg.get_action() {
            ArgAction::SetTrue => words.extend((!texts.is_empty()).then_some(flag)),
            _ if arg.get_value_delimiter().is_some() && !texts.is_empty() => {
                words.extend([flag, texts.join(",")]);
            }
            _ => texts.into_iter().for_each(|text| words.extend(flag_with(arg, &flag, text))),
        }
    }
    let last: Vec<String> =
        if looks_like_flag { first } else { last.into_iter().flat_map(of).collect() };
    if !last.is_empty() {
        words.push("--".to_owned());
        words.extend(last);
    }
    words
}

/// Returns the words of a flag with a value. A value that looks like a flag is written behind "=".
fn flag_with(arg: &Arg, flag: &str, text: String) -> Vec<String> {
    match text.starts_with('-') || arg.is_require_equals_set() {
        true => vec![format!("{flag}={text}")],
        false => vec![flag.to_owned(), text],
    }
}

/// Returns the texts of a value. Empty if the value is the default.
fn given(arg: &Arg, value: Option<&Value>) -> Vec<String> {
    let texts = value.map_or_else(Vec::new, texts_of);
    let default = arg.get_default_values();
    let is_default = texts.len() == default.len()
        && texts.iter().zip(default).all(|(text, own)| own.to_str() == Some(text));
    if is_default { Vec::new() } else { texts }
}

fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec!["true".to_owned()],
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts_of).collect(),
        other => vec![other.to_string()],
    }
}

/// Returns the words of a command line that has named values, beginning with the program's name.
///
/// # Errors
///
/// If there is no such name, or a flag without a value has one.
pub fn named<T: Args>(
    command: &str,
    values: &Map<String, Value>,
) -> Result<Vec<String>, clap::Error> {
    let shape = shape::<T>();
    let mut words = vec!["narrows".to_owned()];
    words.extend(command.split(' ').map(str::to_owned));
    let (mut positional, mut last) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let Some(arg) = shape.get_arguments().find(|arg| arg.get_id().as_str() == name) else {
            let names: Vec<&str> = shape.get_arguments().map(|arg| arg.get_id().as_str()).collect();
            let known = suggest(name, "options", names.into_iter());
            return Err(refused(format!("there is no option \"{name}\"; {known}")));
        };
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        match value {
            Value::Null | Value::Bool(false) => continue,
            Value::Bool(true) if is_switch => {}
            _ if is_switch => {
                return Err(refused(format!("\"{name}\" is {value}; give true or false")));
            }
            Value::Bool(true) => {
                return Err(refused(format!("\"{name}\" is true; give it a value")));
            }
            _ => {}
        }
        let flag = format!("--{}", arg.get_long().unwrap_or_default());
        if is_switch {
            words.push(flag);
        } else if arg.is_last_set() {
            last.extend(texts_of(value));
        } else if arg.is_positional() {
            positional.extend(texts_of(value));
        } else {
            words.extend(texts_of(value).into_iter().map(|text| format!("{flag}={text}")));
        }
    }
    // Behind "--", some requests have the words of a program.
    let has_last = shape.get_arguments().any(Arg::is_last_set);
    words.extend((!has_last && !positional.is_empty()).then(|| "--".to_owned()));
    words.extend(positional);
    words.extend((!last.is_empty()).then(|| "--".to_owned()));
    words.extend(last);
    Ok(words)
}

/// Makes the error of a name or a value.
fn refused(text: String) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::ValueValidation, text)
}

/// Reads a request from named values: texts as on the command line, numbers, true and false, and
/// lists of them. Null and false equal a missing name. Values are checked as on the command line.
///
/// # Errors
///
/// If there is no such name, or a value or the combination of values is refused.
pub fn read<T: Args + FromArgMatches>(
    command: &str,
    values: &Map<String, Value>,
) -> Result<T, clap::Error> {
    let words = named::<T>(command, values)?;
    // The command's words are one program name here.
    let rest = words.into_iter().skip(1 + command.split(' ').count());
    let words = std::iter::once(command.to_owned()).chain(rest);
    let matches = shape::<T>().try_get_matches_from(words);
    let matches = matches.map_err(|mut error| {
        error.remove(ContextKind::Usage);
        error
    })?;
    T::from_arg_matches(&matches)
}

fn shape<T: Args>() -> Command {
    let mut shape = T::augment_args(Command::new("narrows"));
    shape.build();
    shape
}

#[cfg(test)]
mod tests {
    use super::super::{Check, Compare, Live, Matrix, Request, Run, Sweep};
    use super::*;
    use clap::Subcommand;
    use serde_json::json;

    /// Reads the words of a command line as the program does.
    fn parsed(words: &[&str]) -> Request {
        let shape = Request::augment_subcommands(Command::new("narrows"));
        let words = std::iter::once("narrows").chain(words.iter().copied());
        let matches = shape.try_get_matches_from(words).unwrap_or_else(|error| panic!("{error}"));
        Request::from_arg_matches(&matches).unwrap_or_else(|error| panic!("{error}"))
    }

    fn of(command: &str, values: Value) -> Result<Request, clap::Error> {
        let Value::Object(values) = values else { panic!("an object") };
        Request::read(command, &values)
    }

    /// Command lines in the order and the form in which a request writes them.
    const WRITTEN: [&[&str]; 9] = [
        &["compare", "cubic?profile=rfc9438", "bbr", "--path", "lte,leo", "--loss", "100 %"],
        &["compare", "mircc", "--icn", "--seeds", "5", "--out", "r", "--quiet"],
        &["compare", "--set", "duration=10 s", "--set", "seed=3", "--rtt", "40 ms", "--seed", "2"],
        &["run", "s.toml", "--pcap", "all", "--at", "receiver", "--snaplen", "200", "--watch=8080"],
        &["live", "s.toml", "--on", "left", "--serve", "iperf3 -s", "--", "iperf3", "-c", "right"],
        &["sweep", "s.toml", "--set", "x=1,2", "--seeds", "4", "--shard", "2/3"],
        &[
            "matrix",
            "newreno",
            "bbr",
            "--rate",
            "10 Mbit/s,20 Mbit/s",
            "--metric",
            "goodput of bbr",
        ],
        &["check", "fast", "--suite", "bbr-draft", "--quick", "--only", "T01,T02", "--seed", "7"],
        &[
            "attack",
            "bbr",
            "--goal",
            "harm",
            "--genome",
            "cross,pair",
            "--transport",
            "min_rto=1 s",
        ],
    ];

    #[test]
    fn words_are_read_back() {
        for words in WRITTEN {
            assert_eq!(written(&parsed(words)), *words);
        }
    }

    /// Writes a request as words.
    fn written(request: &Request) -> Vec<String> {
        match request {
            Request::Compare(args) => worded("compare", args, &[]),
            Request::Run(args) => worded("run", args, &[]),
            Request::Live(args) => worded("live", args, &[]),
            Request::Sweep(args) => worded("sweep", args, &[]),
            Request::Matrix(args) => worded("matrix", args, &[]),
            Request::Check(args) => worded("check", args, &[]),
            Request::Attack(args) => worded("attack", args, &[]),
            _ => panic!("not among the written"),
        }
    }

    #[test]
    fn named_values_are_the_words_of_a_command_line() {
        let values = json!({"controllers": ["cubic", "bbr"], "path": "lte,leo", "flows": 3,
            "loss": 0.01, "icn": false, "rtt": null, "workload": ["bulk", "{ size = '1 MB' }"]});
        let Value::Object(values) = values else { panic!("an object") };
        let words = named::<Compare>("compare", &values).expect("names");
        let shown = "narrows compare --flows=3 --loss=0.01 --path=lte,leo --workload=bulk \
                     --workload={ size = '1 MB' } -- cubic bbr";
        assert_eq!(words.join(" "), shown);
        let request = Request::read("compare", &values).expect("valid");
        let back = ["compare", "cubic", "bbr", "--path", "lte,leo", "--workload", "bulk"];
        assert_eq!(written(&request)[..7], back);
        let live = of("live", json!({"scenario": "s.toml", "words": ["sleep", "-n"]}));
        assert_eq!(written(&live.expect("valid")), ["live", "s.toml", "--", "sleep", "-n"]);
    }

    #[test]
    fn refusals_are_those_of_the_command_line() {
        let refused = |command: &str, values| {
            let error = of(command, values).err().expect("refused");
            error.to_string().split("\n\nFor more").next().unwrap_or_default().trim_end().to_owned()
        };
        assert_eq!(
            refused("compare", json!({"seed": 1, "flow": 2})),
            "error: there is no option \"flow\"; did you mean \"flows\"?"
        );
        assert_eq!(
            refused("compare", json!({"rate": "1 Mbit/s", "path": "lte"})),
            "error: the argument '--path <NAME>' cannot be used with '--rate <RATE>'"
        );
        let range = refused("run", json!({"scenario": "s.toml", "seeds": 0}));
        assert_eq!(
            range,
            "error: invalid value '0' for '--seeds <SEEDS>': give a whole number from 1 to 100000"
        );
        let switch = refused("compare", json!({"icn": "no"}));
        assert_eq!(switch, "error: \"icn\" is \"no\"; give true or false");
        let flag = refused("compare", json!({"out": true}));
        assert_eq!(flag, "error: \"out\" is true; give it a value");
        assert_eq!(refused("sweap", json!({})), "error: no request is called \"sweap\"");
    }

    #[test]
    fn commands_in_results_name_what_is_there_and_leave_out_what_changes_nothing() {
        let Request::Run(run) = parsed(&[
            "run",
            "../x.toml",
            "--seeds",
            "4",
            "--out",
            "r",
            "--jobs",
            "2",
            "--json",
            "--set",
            "a=b",
        ]) else {
            panic!("a run")
        };
        let changed = [("scenario", vec!["scenario.toml".to_owned()]), ("set", Vec::new())];
        assert_eq!(remake("run", &run, &changed), "narrows run scenario.toml --seeds 4");
    }

    /// Every name of a request, so that a new one is serialised.
    #[test]
    fn each_argument_has_a_value() {
        fn names<T: Args + Serialize>(request: &T) {
            let Value::Object(values) = serde_json::to_value(request).expect("a map") else {
                panic!("a map")
            };
            for arg in shape::<T>().get_arguments() {
                let id = arg.get_id().as_str();
                assert!(values.contains_key(id) || ["help", "version"].contains(&id), "{id}");
            }
        }
        let empty = Map::new();
        names::<Compare>(&read("compare", &empty).expect("valid"));
        names::<Matrix>(&read("matrix", &empty).expect("valid"));
        let file = Map::from_iter([("scenario".to_owned(), json!("s.toml"))]);
        names::<Run>(&read("run", &file).expect("valid"));
        names::<Live>(&read("live", &file).expect("valid"));
        names::<Sweep>(&read("sweep", &file).expect("valid"));
        names::<Check>(&Check::of("cubic".parse().expect("a controller")));
    }
}
