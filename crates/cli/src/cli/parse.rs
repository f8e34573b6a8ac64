//! How values of arguments are read.

use narrows_control::Choice;
use narrows_params::suggest;
use narrows_path::DisciplineChoice;
use narrows_scenario::{NamedTraffic, PATHS, PathProfile};

pub fn parse_choice(text: &str) -> Result<Choice, String> {
    let text = narrows_scenario::load_controller(text, std::path::Path::new(""))?;
    text.parse().map_err(|error: narrows_params::ParamError| error.to_string())
}

/// A controller as it was written, for another process of this program.
pub fn parse_checked(text: &str) -> Result<String, String> {
    parse_choice(text).map(|_| text.to_owned())
}

pub fn parse_path(text: &str) -> Result<String, String> {
    match PathProfile::named(text) {
        Some(path) => Ok(path.name.to_owned()),
        None => Err(format!("there is no path \"{text}\"; {}", suggest(text, "paths", PATHS.iter().map(|path| path.name)))),
    }
}

pub fn parse_queue(text: &str) -> Result<String, String> {
    text.parse::<DisciplineChoice>().map(|choice| choice.text().to_owned()).map_err(|error| error.to_string())
}

pub fn parse_traffic(text: &str) -> Result<&'static NamedTraffic, String> {
    NamedTraffic::named(text)
}

pub fn parse_axis(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, values)) if !path.trim().is_empty() && !values.trim().is_empty() => {
            Ok((path.trim().to_owned(), values.trim().to_owned()))
        }
        _ => Err("write PATH=VALUES, for example \"link.bottleneck.rate=10 Mbit/s,100 Mbit/s\"".to_owned()),
    }
}
