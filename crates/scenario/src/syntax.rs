//! From text to raw structures, and from what `toml` and `serde` say to what helps.

use crate::error::{Checked, Problem};
use narrows_params::suggest;
use serde::de::DeserializeOwned;

/// Reads the text. Everything refused here is refused for its form alone.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Checked<T> {
    let tree = toml::de::Deserializer::parse(text).map_err(|error| syntax(text, &error))?;
    T::deserialize(tree).map_err(|error| form(text, &error))
}

/// Text that is not TOML.
fn syntax(text: &str, error: &toml::de::Error) -> Box<Problem> {
    let span = error.span().unwrap_or(0..0);
    let found = text.get(span.clone()).unwrap_or_default();
    if error.message() == "duplicate key" {
        return Problem::at(&span, format!("\"{found}\" is given twice"), "keep one of the two");
    }
    let help = if error.message().starts_with("string values must be quoted") {
        format!("write a text, or a number with its unit, in quotes: \"{}\"", found.split('#').next().unwrap_or_default().trim())
    } else {
        "the file must be TOML: key = value lines under [table] or [[list of tables]] headings".to_owned()
    };
    let message = error.message().trim_end_matches(", expected literal string");
    Problem::at(&span, format!("this is not TOML: {message}"), help)
}

/// TOML that does not have the keys and types of a scenario.
fn form(text: &str, error: &toml::de::Error) -> Box<Problem> {
    let message = error.message();
    let span = error.span().unwrap_or(0..0);
    let found = text.get(span.clone()).unwrap_or_default();
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown field") {
        let (word, known) = names.split_first().unwrap_or((&"", &[]));
        return Problem::at(&span, format!("there is no key \"{word}\" here"), suggest(word, "keys", known.iter().copied()))
            .saying("unknown key");
    }
    if message.starts_with("unknown variant") {
        let (word, known) = names.split_first().unwrap_or((&"", &[]));
        return Problem::at(&span, format!("\"{word}\" is not a known value"), suggest(word, "choices", known.iter().copied()));
    }
    if message.starts_with("missing field") {
        let key = names.first().copied().unwrap_or_default();
        let (place, label) =
            if span.len() == text.len() || found.is_empty() { (0..0, "at the top of the file") } else { (span, "in this table") };
        return Problem::at(&place, format!("the key \"{key}\" is missing"), format!("add {}", example(key))).saying(label);
    }
    if let Some((given, expected)) = message.split_once(", expected ") {
        if expected == "a sequence" && found.starts_with('[') {
            let name = found.trim_matches(['[', ']']);
            return Problem::at(&span, format!("there can be several of \"{name}\""), format!("write [[{name}]], with two brackets"));
        }
        let number = matches!(expected, "f64" | "u64" | "u32").then(|| number_of(found)).flatten();
        let (expected, example) = wanted(expected);
        let example = number.unwrap_or(example);
        return Problem::at(&span, format!("{expected} is expected here, not {}", plain(given)), format!("write for example {example}"));
    }
    match message.rsplit_once("; ") {
        Some((message, help)) => Problem::at(&span, message, help),
        None => Problem::at(&span, message, "correct this value"),
    }
}

fn example(key: &str) -> String {
    let value = match key {
        "duration" => "60 s",
        "at" => "20 s",
        "from" => "left",
        "to" => "right",
        "name" => "bottleneck",
        _ => "...",
    };
    format!("{key} = \"{value}\"")
}

/// The number that a text in quotes begins with: 90 of `"90 %"`.
fn number_of(found: &str) -> Option<&str> {
    let text = found.strip_prefix('"')?;
    let number = &text[..text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len())];
    number.parse::<f64>().ok().map(|_| number)
}

/// What was found, in the words of someone who writes a scenario.
fn plain(given: &str) -> String {
    let given = given.split_once(": ").map_or(given, |(_, given)| given).replace('`', "");
    for (theirs, ours) in
        [("integer", "the number"), ("floating point", "the number"), ("string", "the text"), ("map", "a table"), ("sequence", "a list")]
    {
        if let Some(rest) = given.strip_prefix(theirs) {
            return format!("{ours}{rest}");
        }
    }
    given.strip_prefix("boolean ").map_or(given.clone(), str::to_owned)
}

/// What is expected, in the same words, and an example. Our own visitors say both.
fn wanted(expected: &str) -> (&str, &str) {
    match expected {
        "a string" => ("a text in quotes", "\"left\""),
        "a boolean" => ("true or false", "true"),
        "u64" | "u32" => ("a whole number from 0", "10"),
        "f64" => ("a number", "0.9"),
        "a sequence" => ("a list", "[\"bottleneck\"]"),
        "struct RawBand" => ("a table", "{ min = 90 }"),
        "struct RawBack" => ("a table", "{ delay = \"15 ms\" }"),
        "struct RawTransport" => ("a table", "{ min_rto = \"1 s\" }"),
        _ => expected.split_once("; ").unwrap_or((expected, "\"30 ms\"")),
    }
}
