//! The page of keys lists the schema of scenario files for readers.

use crate::blocks::{is_stale, root};
use crate::scratch::Scratch;
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// Kinds whose plural is formed with an s.
const PLAIN: [&str; 5] = ["string", "integer", "number", "table", "value"];
const DEFINITIONS: &str = "#/$defs/";

/// A schema, and the definitions whose sections remain to be written.
struct Keys<'a> {
    schema: &'a Value,
    /// Places of tables and their definitions, in the order of the schema.
    next: VecDeque<(String, &'a str)>,
    met: BTreeSet<&'a str>,
    /// Definitions of plain values. A list at the end of the page explains them.
    values: BTreeSet<&'a str>,
}

impl<'a> Keys<'a> {
    fn definition(&self, name: &str) -> &'a Value {
        &self.schema["$defs"][name]
    }

    /// Returns the kind of a value in a reader's words, and notes the tables and values that it
    /// names. `place` is the path of the key.
    fn kind(&mut self, place: &str, value: &'a Value) -> String {
        if let Some(name) = value["$ref"].as_str().and_then(|name| name.strip_prefix(DEFINITIONS)) {
            let definition = self.definition(name);
            return match is_plain(definition) {
                true => {
                    self.values.insert(name);
                    format!("[{}](#{})", words(name), anchor(name))
                }
                false => self.kind_of(place, name, definition),
            };
        }
        if let Some(all) = value["anyOf"].as_array() {
            let kinds: Vec<String> = all.iter().map(|one| self.kind(place, one)).collect();
            return kinds.join(" or ");
        }
        if let Some(words) = choices(value) {
            return words;
        }
        match value["type"].as_str() {
            Some("array") => match self.kind(place, &value["items"]) {
                kind if kind.ends_with(" table") || PLAIN.contains(&kind.as_str()) => {
                    format!("list of {kind}s")
                }
                kind => format!("list of {kind}"),
            },
            Some("object") if !value["additionalProperties"]["$ref"].is_null() => {
                format!(
                    "table of {}s",
                    self.kind(&format!("{place}.NAME"), &value["additionalProperties"])
                )
            }
            Some("object") => "table".to_owned(),
            Some(kind) => kind.to_owned(),
            None => "value".to_owned(),
        }
    }

    fn kind_of(&mut self, place: &str, name: &'a str, definition: &'a Value) -> String {
        match definition["properties"].is_object() {
            true => {
                if self.met.insert(name) {
                    self.next.push_back((place.to_owned(), name));
                }
                format!("[{}](#{}) table", words(name), anchor(name))
            }
            false => self.kind(place, definition),
        }
    }

    /// Writes the keys of a table.
    fn table(&mut self, place: &str, table: &'a Value) -> String {
        let required: BTreeSet<&str> =
            table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut text = String::new();
        for (key, value) in table["properties"].as_object().expect("keys") {
            let below = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            let kind = self.kind(&below, value);
            let must = if required.contains(key.as_str()) { ", required" } else { "" };
            let about = description(value);
            text += format!("- `{key}` ({kind}{must}): {about}").trim_end_matches([':', ' ']);
            text.push('\n');
        }
        text
    }

    /// Describes a plain value.
    fn value(&self, name: &str) -> String {
        let value = self.definition(name);
        let mut text = format!("- <a id=\"{}\"></a>**{}**: ", anchor(name), words(name));
        text += &description(value);
        let forms = value["anyOf"].as_array().into_iter().flatten().map(form);
        let forms: Vec<String> = forms.collect();
        if !forms.is_empty() {
            text += &format!(" {}.", forms.join("; or "));
        }
        if let Some(words) = choices(value) {
            text += &format!(" {words}.");
        }
        let examples = value["examples"].as_array().into_iter().flatten();
        let examples: Vec<String> = examples.map(|example| format!("`{example}`")).collect();
        if !examples.is_empty() {
            text += &format!(" For example {}.", examples.join(", "));
        }
        let more = value["oneOf"].as_array().into_iter().flatten();
        for choice in more.filter(|choice| choice["description"].is_string()) {
            text += &format!("\n  - `{}`: {}", choice["const"], description(choice));
        }
        format!("{}\n", text.replace(":  ", ": "))
    }
}

/// True if a definition is a plain value: text, a number, or one of some words. False for a table.
fn is_plain(definition: &Value) -> bool {
    let parts = definition["anyOf"].as_array();
    definition["properties"].is_null()
        && parts.is_none_or(|parts| parts.iter().all(|part| part["$ref"].is_null()))
        && definition["type"] != "object"
}

/// Describes one form of a value: by its description, else its examples, else its kind.
fn form(value: &Value) -> String {
    let examples = value["examples"].as_array().into_iter().flatten();
    let examples: Vec<String> = examples.map(|example| format!("`{example}`")).collect();
    match (value["description"].as_str(), value["const"].as_str(), examples.is_empty()) {
        (Some(about), ..) => about.trim_end_matches('.').to_owned(),
        (None, Some(word), _) => format!("`\"{word}\"`"),
        (None, None, false) => format!("for example {}", examples.join(", ")),
        (None, None, true) => format!("a {}", value["type"].as_str().unwrap_or("value")),
    }
}

/// Returns the words that a value can be, if it is a choice of words.
fn choices(value: &Value) -> Option<String> {
    let words: Vec<&Value> = match value["enum"].as_array() {
        Some(words) => words.iter().collect(),
        None => value["oneOf"].as_array()?.iter().map(|one| &one["const"]).collect(),
    };
    Some(words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
}

fn description(value: &Value) -> String {
    value["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// Returns the name of a definition in words: `BytesOrUnlimited` becomes "bytes or unlimited".
fn words(name: &str) -> String {
    name.chars().fold(String::new(), |mut text, c| {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.push(c.to_ascii_lowercase());
        text
    })
}

fn anchor(name: &str) -> String {
    words(name).replace(' ', "-")
}

#[test]
fn the_page_of_keys_is_the_schema() {
    let schema = super::json(&Scratch::new("docs-keys"), &["schema"]);
    let mut keys = Keys {
        schema: &schema,
        next: VecDeque::new(),
        met: BTreeSet::new(),
        values: BTreeSet::new(),
    };
    let mut text = String::from(
        "# Keys of scenario files\n\n\
         Every key of a [scenario](scenario.md), with the kind of its value. `narrows schema` prints the same as JSON Schema for editors;\n\
         `make docs` rewrites this page.\n\n## The file\n\n",
    );
    text += &keys.table("", &schema);
    while let Some((place, name)) = keys.next.pop_front() {
        let table = keys.definition(name);
        text += &format!("\n## {}\n\n", super::capitalised(&words(name)));
        text += &format!("At `{place}`. {}\n\n", description(table));
        text += &keys.table(&place, table);
    }
    text += "\n## Values\n\n";
    for name in keys.values.clone() {
        text += &keys.value(name);
    }
    let path = root().join("docs/reference/keys.md");
    assert!(
        !is_stale(&path, &text),
        "{} differs from the schema; `make docs` writes it",
        path.display()
    );
}
