//! Paths of values in a TOML document: `link.bottleneck.rate`, `flow.*.controller`.

use super::parameter::with_parameter;
use narrows_params::suggest;
use std::ops::Range;
use toml_edit::{Array, ArrayOfTables, Document, DocumentMut, InlineTable, Item, TableLike, Value};

/// A problem and its remedy.
type Refusal = (String, String);

/// Keys of a scenario with lists of tables.
const LISTS: [&str; 7] = ["node", "link", "flow", "prefix", "consumer", "request", "change"];

/// Keys from the top of the document. In a list of tables a word selects the table with this name,
/// a number the table at this place (from 1), and `*` all tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    keys: Vec<String>,
    /// Parameter of a choice: `rise` of `flow.1.controller?rise`.
    parameter: Option<String>,
}

impl Path {
    /// Parses "link.bottleneck.rate"; a key that contains a dot is in quotes.
    pub fn parse(text: &str) -> Result<Path, Refusal> {
        let fail = || {
            (
                format!("\"{text}\" names no value of a scenario"),
                "write for example \"link.bottleneck.rate\"".to_owned(),
            )
        };
        let mut words = vec![String::new()];
        let mut quote = None;
        for c in text.trim().chars() {
            match (c, quote) {
                ('.', None) => words.push(String::new()),
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                (c, _) => words.last_mut().ok_or_else(fail)?.push(c),
            }
        }
        let words: Vec<String> = words.into_iter().map(|word| word.trim().to_owned()).collect();
        let mut keys = words;
        let parameter = keys.last_mut().and_then(|last| {
            let (key, parameter) = last.split_once('?')?;
            let parameter = parameter.trim().to_owned();
            *last = key.trim().to_owned();
            Some(parameter)
        });
        let named = keys.iter().chain(&parameter).all(|word| !word.is_empty());
        if quote.is_none() && named { Ok(Path { keys, parameter }) } else { Err(fail()) }
    }

    /// True for the seed of the scenario.
    pub fn is_seed(&self) -> bool {
        self.keys == ["seed"]
    }

    /// True if the first key is `key`.
    pub fn is_of(&self, key: &str) -> bool {
        self.keys.first().is_some_and(|first| first == key)
    }

    /// True if the last key is `key`.
    pub fn ends_with(&self, key: &str) -> bool {
        self.keys.last().is_some_and(|last| last == key)
    }

    /// True if the path names a parameter of a choice. The choice has to be set before.
    pub fn is_parameter(&self) -> bool {
        self.parameter.is_some()
    }

    /// Describes the value: "loss of bottleneck", "number of flows", "rise of controller of a".
    pub fn words(&self) -> String {
        match &self.parameter {
            Some(parameter) => format!("{parameter} of {}", self.words_of_keys()),
            None => self.words_of_keys(),
        }
    }

    fn words_of_keys(&self) -> String {
        let joined = |keys: &[String]| keys.join(" ").replace('_', " ");
        match &self.keys[..] {
            [list, chosen, keys @ ..] if LISTS.contains(&list.as_str()) && !keys.is_empty() => {
                let (all, place) = (chosen == "*", chosen.parse::<usize>().is_ok());
                match (&joined(keys)[..], all || place) {
                    ("count", true) => format!("number of {list}s"),
                    ("count", false) => format!("number of {chosen} {list}s"),
                    (value, true) if all => format!("{value} of all {list}s"),
                    (value, true) => format!("{value} of {list} {chosen}"),
                    (value, false) => format!("{value} of {chosen}"),
                }
            }
            keys => joined(keys),
        }
    }

    /// Puts `value` at the path, and replaces the value there.
    pub fn put(&self, document: &mut DocumentMut, value: &Value) -> Result<(), Refusal> {
        put(document.as_table_mut(), &self.keys, self.parameter.as_deref(), value)
    }
}

fn put(
    table: &mut dyn TableLike,
    path: &[String],
    parameter: Option<&str>,
    value: &Value,
) -> Result<(), Refusal> {
    let [key, rest @ ..] = path else { return Ok(()) };
    if rest.is_empty() {
        let old = table.get_mut(key).and_then(Item::as_value_mut);
        let value = match parameter {
            Some(parameter) => &set_parameter(key, old.as_deref(), parameter, value)?,
            None => value,
        };
        match old {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value.clone();
                *old.decor_mut() = decor;
            }
            None => {
                table.remove(key);
                table.insert(key, Item::Value(value.clone().decorated(" ", "")));
            }
        }
        return Ok(());
    }
    if !table.contains_key(key) && LISTS.contains(&key.as_str()) {
        chosen(key, &rest[0], &[])?;
    }
    if !table.contains_key(key) {
        table.insert(key, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    match table.get_mut(key) {
        Some(Item::Table(inner)) => put(inner, rest, parameter, value),
        Some(Item::ArrayOfTables(list)) => {
            for index in
                chosen(key, &rest[0], &names(list.iter().map(|table| table as &dyn TableLike)))?
            {
                let inner = list.get_mut(index).ok_or_else(|| whole(key))?;
                within(key, &rest[1..]).and_then(|rest| put(inner, rest, parameter, value))?;
            }
            Ok(())
        }
        Some(Item::Value(Value::InlineTable(inner))) => put(inner, rest, parameter, value),
        Some(Item::Value(Value::Array(list))) if list.iter().all(Value::is_inline_table) => {
            for index in chosen(
                key,
                &rest[0],
                &names(
                    list.iter()
                        .filter_map(|v| v.as_inline_table())
                        .map(|table| table as &dyn TableLike),
                ),
            )? {
                let inner = list
                    .get_mut(index)
                    .and_then(Value::as_inline_table_mut)
                    .ok_or_else(|| whole(key))?;
                within(key, &rest[1..]).and_then(|rest| put(inner, rest, parameter, value))?;
            }
            Ok(())
        }
        Some(other) => Err((
            format!("{key} is {}, which has no \"{}\"", other.to_string().trim(), rest[0]),
            format!("end the path at {key}, and give whole values for it"),
        )),
        None => Err(whole(key)),
    }
}

/// Sets the parameter in the choice `old`, which is the value of `key`.
fn set_parameter(
    key: &str,
    old: Option<&Value>,
    parameter: &str,
    value: &Value,
) -> Result<Value, Refusal> {
    let Some(choice) = old.and_then(Value::as_str) else {
        return Err((
            format!("there is no {key} here that could have the parameter \"{parameter}\""),
            format!("give the {key} in the scenario, for example {key} = \"cubic\""),
        ));
    };
    let text = value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned);
    Ok(Value::from(with_parameter(choice, parameter, &text)))
}

fn within<'a>(key: &str, rest: &'a [String]) -> Result<&'a [String], Refusal> {
    if rest.is_empty() { Err(whole(key)) } else { Ok(rest) }
}

fn whole(key: &str) -> Refusal {
    (
        format!("this names a whole {key}, not a value of it"),
        format!("name one of its values, for example \"{key}.1.name\""),
    )
}

fn names<'a>(tables: impl Iterator<Item = &'a dyn TableLike>) -> Vec<Option<String>> {
    tables.map(|table| table.get("name").and_then(Item::as_str).map(str::to_owned)).collect()
}

/// Returns the indices of the tables that a word of a path selects.
fn chosen(key: &str, word: &str, names: &[Option<String>]) -> Result<Vec<usize>, Refusal> {
    let named: Vec<usize> = (0..names.len())
        .filter(|index| word == "*" || names[*index].as_deref() == Some(word))
        .collect();
    if !named.is_empty() {
        return Ok(named);
    }
    if let Some(place) =
        word.parse::<usize>().ok().filter(|place| (1..=names.len()).contains(place))
    {
        return Ok(vec![place - 1]);
    }
    let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    let help = match known.is_empty() {
        true if names.is_empty() => format!("add a [[{key}]]"),
        true => format!(
            "none has a name: give it one, or write its place: \"{key}.1\", or \"{key}.*\" for all"
        ),
        false => suggest(word, &format!("{key}s"), known.into_iter()),
    };
    Err((format!("there is no {key} called \"{word}\""), help))
}

/// Returns the byte ranges of the values at the paths, with their keys.
pub(super) fn spans(text: &str, paths: &[Path]) -> Vec<Range<usize>> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let mut spans = Vec::new();
    paths.iter().for_each(|path| find(document.as_table(), &path.keys, &mut spans));
    spans
}

/// Returns the byte ranges of `text` that determine the value at a place, the most specific first.
/// A copy of a flow, or a direction of a link, has the ranges of the table that describes them all.
pub(crate) fn places(text: &str, place: &[String]) -> Vec<Range<usize>> {
    let of_keys = |keys: Vec<String>| Path { keys, parameter: None };
    let mut ways = vec![of_keys(place.to_vec())];
    if let [list, name, key @ ..] = place {
        let mut way = |start: &[&str], keys: &[String]| {
            ways.push(of_keys(
                start.iter().map(|key| (*key).to_owned()).chain(keys.iter().cloned()).collect(),
            ))
        };
        let of_transport = key.first().is_some_and(|first| first == "transport");
        let whole = name.rsplit_once('.').map_or(name.as_str(), |(whole, _)| whole);
        way(&[list, whole], key);
        if of_transport {
            way(&[list, name, "transport", "preset"], &[]);
            way(&[list, whole, "transport", "preset"], &[]);
            way(&[], key);
            way(&["transport", "preset"], &[]);
        }
        way(&[list, name, "name"], &[]);
        way(&[list, whole, "name"], &[]);
    }
    spans(text, &ways)
}

fn find(table: &dyn TableLike, path: &[String], spans: &mut Vec<Range<usize>>) {
    let [key, rest @ ..] = path else { return };
    let Some((found, item)) = table.get_key_value(key) else { return };
    if rest.is_empty() {
        if let (Some(key), Some(value)) = (found.span(), item.span()) {
            spans.push(key.start.min(value.start)..key.end.max(value.end));
        }
        return;
    }
    let of_list = |list: &ArrayOfTables, spans: &mut Vec<Range<usize>>| {
        let indices =
            chosen(key, &rest[0], &names(list.iter().map(|table| table as &dyn TableLike)))
                .unwrap_or_default();
        indices
            .into_iter()
            .filter_map(|index| list.get(index))
            .for_each(|inner| find(inner, &rest[1..], spans));
    };
    let of_array = |list: &Array, spans: &mut Vec<Range<usize>>| {
        let tables: Vec<&InlineTable> = list.iter().filter_map(Value::as_inline_table).collect();
        let indices =
            chosen(key, &rest[0], &names(tables.iter().map(|table| *table as &dyn TableLike)))
                .unwrap_or_default();
        indices.into_iter().for_each(|index| find(tables[index], &rest[1..], spans));
    };
    match item {
        Item::Table(inner) => find(inner, rest, spans),
        Item::ArrayOfTables(list) => of_list(list, spans),
        Item::Value(Value::InlineTable(inner)) => find(inner, rest, spans),
        Item::Value(Value::Array(list)) => of_array(list, spans),
        _ => {}
    }
}
