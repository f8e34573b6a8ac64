//! Places of a TOML document by name: `link.bottleneck.rate`, `flow.*.controller`.

use narrows_params::suggest;
use std::ops::Range;
use toml_edit::{Array, ArrayOfTables, Document, DocumentMut, InlineTable, Item, TableLike, Value};

/// What is wrong, and what would be right.
type Refusal = (String, String);

/// What a scenario has lists of tables of.
const LISTS: [&str; 7] = ["node", "link", "flow", "prefix", "consumer", "request", "change"];

/// Keys from the top of the document. In a list of tables a word chooses the one of that name, a number the one at that place (from 1), and `*` all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// Reads "link.bottleneck.rate"; a key with a dot in it stands in quotes.
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
        if quote.is_some() || words.iter().any(String::is_empty) {
            Err(fail())
        } else {
            Ok(Path(words))
        }
    }

    /// True for the scenario's seed.
    pub fn is_seed(&self) -> bool {
        self.0 == ["seed"]
    }

    /// True for values below this key.
    pub fn is_of(&self, key: &str) -> bool {
        self.0.first().is_some_and(|first| first == key)
    }

    /// True for values called by this key.
    pub fn ends_with(&self, key: &str) -> bool {
        self.0.last().is_some_and(|last| last == key)
    }

    /// What it names, in words: "loss of bottleneck", "number of flows".
    pub fn words(&self) -> String {
        let joined = |keys: &[String]| keys.join(" ").replace('_', " ");
        match &self.0[..] {
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

    /// Puts `value` at the place, whatever is there now.
    pub fn put(&self, document: &mut DocumentMut, value: &Value) -> Result<(), Refusal> {
        put(document.as_table_mut(), &self.0, value)
    }
}

fn put(table: &mut dyn TableLike, path: &[String], value: &Value) -> Result<(), Refusal> {
    let [key, rest @ ..] = path else { return Ok(()) };
    if rest.is_empty() {
        match table.get_mut(key).and_then(Item::as_value_mut) {
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
        Some(Item::Table(inner)) => put(inner, rest, value),
        Some(Item::ArrayOfTables(list)) => {
            for index in
                chosen(key, &rest[0], &names(list.iter().map(|table| table as &dyn TableLike)))?
            {
                let inner = list.get_mut(index).ok_or_else(|| whole(key))?;
                within(key, &rest[1..]).and_then(|rest| put(inner, rest, value))?;
            }
            Ok(())
        }
        Some(Item::Value(Value::InlineTable(inner))) => put(inner, rest, value),
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
                within(key, &rest[1..]).and_then(|rest| put(inner, rest, value))?;
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

/// The tables that a word of a path chooses.
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

/// The bytes of `text` that hold the values at the paths, their keys included.
pub(super) fn spans(text: &str, paths: &[Path]) -> Vec<Range<usize>> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let mut spans = Vec::new();
    paths.iter().for_each(|path| find(document.as_table(), &path.0, &mut spans));
    spans
}

/// The bytes of `text` that say what holds at a place, the most particular first. For one of several copies of a flow, or one direction of
/// a link, those of the table that stands for all.
pub(crate) fn places(text: &str, place: &[String]) -> Vec<Range<usize>> {
    let mut ways = vec![Path(place.to_vec())];
    if let [list, name, key @ ..] = place {
        let mut way = |start: &[&str], keys: &[String]| {
            ways.push(Path(
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
