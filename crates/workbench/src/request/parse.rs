//! Parsers for the values of arguments.

use narrows_control::Choice;
use narrows_params::suggest;
use narrows_path::DisciplineChoice;
use narrows_scenario::{NamedTraffic, PATHS, PathProfile};
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// Reads a controller, or the file of one.
pub fn parse_choice(text: &str) -> Result<Choice, String> {
    let loaded = narrows_scenario::load_controller(text, std::path::Path::new(""))?;
    loaded.parse().map_err(|error: narrows_params::ParamError| match text.split('?').next() {
        Some(file) if std::path::Path::new(file).is_file() => {
            format!("{error}; a file has this name: write ./{text}")
        }
        _ => error.to_string(),
    })
}

/// Returns the text of a valid controller, for another process of this program.
pub fn parse_checked(text: &str) -> Result<String, String> {
    parse_choice(text).map(|_| text.to_owned())
}

/// Returns a parser of whole numbers within a range; errors say the range in words.
pub fn whole<T: TryFrom<u64>>(
    range: impl RangeBounds<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    let low = match range.start_bound() {
        Bound::Included(low) => *low,
        Bound::Excluded(below) => *below + 1,
        Bound::Unbounded => 0,
    };
    let high = match range.end_bound() {
        Bound::Included(high) => Some(*high),
        Bound::Excluded(above) => Some(*above - 1),
        Bound::Unbounded => None,
    };
    move |text| {
        let number = text.parse::<u64>().ok();
        let within = number.filter(|own| (low..=high.unwrap_or(u64::MAX)).contains(own));
        within.and_then(|own| T::try_from(own).ok()).ok_or_else(|| match high {
            Some(high) => format!("give a whole number from {low} to {high}"),
            None => format!("give a whole number from {low} on"),
        })
    }
}

/// Reads the name of a path.
pub fn parse_path(text: &str) -> Result<String, String> {
    match PathProfile::named(text) {
        Some(path) => Ok(path.name.to_owned()),
        None => Err(format!(
            "there is no path \"{text}\"; {}",
            suggest(text, "paths", PATHS.iter().map(|path| path.name))
        )),
    }
}

pub fn parse_queue(text: &str) -> Result<String, String> {
    text.parse::<DisciplineChoice>()
        .map(|choice| choice.text().to_owned())
        .map_err(|error| error.to_string())
}

pub fn parse_traffic(text: &str) -> Result<&'static NamedTraffic, String> {
    NamedTraffic::named(text)
}

/// A key of a flow's transport, as written and as a line of TOML.
#[derive(Clone, Debug)]
pub struct TransportKey {
    pub text: String,
    pub line: String,
}

impl fmt::Display for TransportKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Parses a key of a flow's transport, such as `min_rto=1 s`. The value is a number, a word of
/// TOML, or else a text.
pub fn parse_transport(text: &str) -> Result<TransportKey, String> {
    let pair = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    let Some((key, value)) = pair.filter(|(key, value)| !key.is_empty() && !value.is_empty())
    else {
        return Err("write KEY=VALUE, for example \"min_rto=1 s\"".to_owned());
    };
    let as_it_stands = value.parse::<u64>().is_ok() || matches!(value, "true" | "false");
    let line =
        format!("{key} = {}\n", if as_it_stands { value.to_owned() } else { format!("{value:?}") });
    let ends = "between = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n";
    let scenario = format!(
        "duration = \"1 s\"\n[transport]\n{line}[[link]]\nname = \"l\"\n{ends}controller = \"newreno\"\n"
    );
    match narrows_scenario::parse(&scenario, "", &|_| Err(std::io::ErrorKind::NotFound.into())) {
        Ok(_) => Ok(TransportKey { text: format!("{key}={value}"), line }),
        Err(error) => Err(format!("{}; {}", error.message(), error.remedy())),
    }
}

/// A key of a scenario and its value.
pub fn parse_key(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() && !value.trim().is_empty() => {
            Ok((path.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write PATH=VALUE, for example \"link.bottleneck.rate=10 Mbit/s\"".to_owned()),
    }
}

pub fn parse_axis(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, values)) if !path.trim().is_empty() && !values.trim().is_empty() => {
            Ok((path.trim().to_owned(), values.trim().to_owned()))
        }
        _ => Err("write PATH=VALUES, for example \"link.bottleneck.rate=10 Mbit/s,100 Mbit/s\""
            .to_owned()),
    }
}
