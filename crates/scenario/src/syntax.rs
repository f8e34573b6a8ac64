//! Parses the text into raw structures, and translates errors of `toml` and `serde` into helpful
//! ones.

use crate::error::{Checked, Problem};
use narrows_params::suggest;
use serde::de::DeserializeOwned;
use std::ops::Range;

/// Parses a text.
///
/// # Errors
///
/// The text is not TOML, or its keys or types are not those of `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Checked<T> {
    let tree = toml::de::Deserializer::parse(text).map_err(|error| syntax(text, &error))?;
    T::deserialize(tree).map_err(|error| form::<T>(text, &error))
}

/// Keys at the top of a scenario. If one appears in a table, its author probably wrote it too far
/// down.
const TOP: [&str; 5] = ["duration", "warmup", "sample", "seed", "send_overhead"];
const ABOVE: &str = "write it above the first [table] of the file: keys below one belong to it";

/// True if `span` is below a heading.
fn is_below_heading(text: &str, span: &Range<usize>) -> bool {
    let before = text.get(..span.start).unwrap_or_default();
    before.lines().any(|line| line.trim_start().starts_with('['))
}

/// Returns the key of the value at `span`.
fn key_before<'a>(text: &'a str, span: &Range<usize>) -> &'a str {
    let line = text.get(..span.start).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.trim_end_matches([' ', '\t', '=']).trim_start()
}

/// Explains text that is not TOML.
fn syntax(text: &str, error: &toml::de::Error) -> Box<Problem> {
    let span = error.span().unwrap_or(0..0);
    let found = text.get(span.clone()).unwrap_or_default();
    if error.message() == "duplicate key" {
        return Problem::at(&span, format!("\"{found}\" is given twice"), "keep one of the two");
    }
    let help = if error.message().starts_with("string values must be quoted") {
        format!(
            "write a text, or a number with its unit, in quotes: \"{}\"",
            found.split('#').next().unwrap_or_default().trim()
        )
    } else {
        "the file must be TOML: key = value lines under [table] or [[list of tables]] headings"
            .to_owned()
    };
    let message = error.message().trim_end_matches(", expected literal string");
    Problem::at(&span, format!("this is not TOML: {message}"), help)
}

/// Explains TOML that does not have the keys and types of a scenario.
fn form<T: DeserializeOwned>(text: &str, error: &toml::de::Error) -> Box<Problem> {
    let message = error.message();
    let span = error.span().unwrap_or(0..0);
    let found = text.get(span.clone()).unwrap_or_default();
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown field") {
        let (word, known) = names.split_first().unwrap_or((&"", &[]));
        if word.starts_with("$__toml") {
            return Problem::at(
                &span,
                "a date has no place here",
                "write a text in quotes, or a number",
            );
        }
        let help = if TOP.contains(word) && !known.contains(word) && is_below_heading(text, &span) {
            ABOVE.to_owned()
        } else if *word == "seeds" && known.contains(&"seed") {
            "a run has one, seed = 1; for several give --seeds 3, or write seeds = 3 under [sweep]"
                .to_owned()
        } else {
            suggest(word, "keys", known.iter().copied())
        };
        return Problem::at(&span, format!("there is no key \"{word}\" here"), help)
            .saying("unknown key");
    }
    if message.starts_with("unknown variant") {
        let (word, known) = names.split_first().unwrap_or((&"", &[]));
        return Problem::at(
            &span,
            format!("\"{word}\" is not a known value"),
            suggest(word, "choices", known.iter().copied()),
        );
    }
    if message == "wanted string or table" || message.starts_with("wanted exactly 1 element") {
        return not_a_choice::<T>(text, &span);
    }
    if message.starts_with("missing field") {
        let key = names.first().copied().unwrap_or_default();
        let (place, label) = if span.len() == text.len() || found.is_empty() {
            (0..0, "at the top of the file")
        } else {
            (span, "in this table")
        };
        return Problem::at(
            &place,
            format!("the key \"{key}\" is missing"),
            format!("add {}", example(key)),
        )
        .saying(label);
    }
    if let Some((given, expected)) = message.split_once(", expected ") {
        if expected == "a sequence" && found.starts_with('[') {
            let name = found.trim_matches(['[', ']']);
            return Problem::at(
                &span,
                format!("there can be several of \"{name}\""),
                format!("write [[{name}]], with two brackets"),
            );
        }
        let number =
            matches!(expected, "f64" | "u64" | "u32" | "i64").then(|| number_of(found)).flatten();
        let (expected, example) = wanted(expected);
        let help = match number.or(example) {
            _ if expected.starts_with("a table") && TOP.contains(&key_before(text, &span)) => {
                ABOVE.to_owned()
            }
            Some(example) => format!("write for example {example}"),
            None => "correct this value".to_owned(),
        };
        return Problem::at(
            &span,
            format!("{expected} is expected here, not {}", plain(given, found)),
            help,
        );
    }
    match message.rsplit_once("; ") {
        Some((message, help)) => Problem::at(&span, message, help),
        None => Problem::at(&span, message, "correct this value"),
    }
}

/// Explains a value of the wrong type where one of several words belongs. It lists the words by
/// parsing the text again with an empty word.
fn not_a_choice<T: DeserializeOwned>(text: &str, span: &Range<usize>) -> Box<Problem> {
    let found = text.get(span.clone()).unwrap_or_default();
    let mut asked = text.to_owned();
    asked.replace_range(span.clone(), "\"\"");
    let told = toml::from_str::<T>(&asked).err();
    let choices = told.as_ref().map_or("", |error| error.message()).split('`').skip(3).step_by(2);
    let help = suggest("", "choices", choices);
    Problem::at(span, format!("a text in quotes is expected here, not {}", kind_of(found)), help)
}

/// Describes a value of the file.
fn kind_of(found: &str) -> &str {
    match found.chars().next() {
        Some('{') => "a table",
        Some('[') => "a list",
        _ if is_date(found) => "a date",
        _ => found,
    }
}

/// True for dates and times of TOML: `2024-01-01`, `07:30:00`.
fn is_date(found: &str) -> bool {
    found.starts_with(|letter: char| letter.is_ascii_digit())
        && found.contains([':', '-'])
        && !found.contains(['e', 'E'])
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

/// Returns the number at the beginning of a quoted text: 90 of `"90 %"`.
fn number_of(found: &str) -> Option<&str> {
    let text = found.strip_prefix('"')?;
    let number = &text[..text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len())];
    number.parse::<f64>().ok().map(|_| number)
}

/// Describes the value `found`, which serde calls `given`, in terms of a scenario file.
fn plain(given: &str, found: &str) -> String {
    if is_date(found) {
        return "a date".to_owned();
    }
    let given = given.split_once(": ").map_or(given, |(_, given)| given).replace('`', "");
    if given.starts_with("invalid length") {
        return kind_of(found).to_owned();
    }
    if given.starts_with("integer") || given.starts_with("floating point") {
        return format!("the number {found}");
    }
    for (theirs, ours) in [("string", "the text"), ("map", "a table"), ("sequence", "a list")] {
        if let Some(rest) = given.strip_prefix(theirs) {
            return format!("{ours}{rest}");
        }
    }
    given.strip_prefix("boolean ").map_or(given.clone(), str::to_owned)
}

/// Describes the expected type, with an example. The visitors of this crate give both themselves.
fn wanted(expected: &str) -> (&str, Option<&str>) {
    let structure = expected.split(" with ").next().unwrap_or(expected);
    let (name, example) = match structure {
        "a string" => ("a text in quotes", "\"left\""),
        "a boolean" => ("true or false", "true"),
        "u64" | "u32" => ("a whole number from 0", "10"),
        "i64" => ("a whole number", "10"),
        "f64" => ("a number", "0.9"),
        "a sequence" => ("a list", "[\"bottleneck\"]"),
        "a tuple of size 2" => ("a list of two", "[\"10 kB\", 0.5]"),
        "struct RawBand" => ("a table", "{ min = 90 }"),
        "struct RawBack" => ("a table", "{ delay = \"15 ms\" }"),
        "struct RawTransport" => ("a table", "{ min_rto = \"1 s\" }"),
        "a map" => return ("a table", None),
        structure if structure.starts_with("struct ") => return ("a table", None),
        _ => {
            return expected
                .split_once("; ")
                .map_or((expected, None), |(expected, example)| (expected, Some(example)));
        }
    };
    (name, Some(example))
}
