//! Scenarios as data: keys and values in the model of JSON, written as and read from TOML.

use crate::error::{Problem, ScenarioError};
use crate::sweep::Path;
use crate::whole::not_toml;
use serde_json::{Map, Value as Json};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// Keys that stand first, in this order; all others follow in alphabetical order.
const FIRST: [&str; 6] = ["name", "path", "seed", "duration", "warmup", "sample"];
/// Lists of tables that stand last, in this order.
const LISTS: [&str; 7] = ["node", "link", "prefix", "flow", "consumer", "request", "change"];

/// Writes keys and values as the text of a scenario file.
///
/// # Errors
///
/// A value that TOML does not have: null, or a number beyond 64 bits. The text names its key.
pub fn to_toml(data: &Map<String, Json>) -> Result<String, String> {
    let mut document = DocumentMut::new();
    let mut keys: Vec<&String> = data.keys().collect();
    let place = |key: &str| {
        let first = FIRST.iter().position(|own| *own == key);
        let list = LISTS.iter().position(|own| *own == key).map(|place| 1000 + place);
        first.or(list).unwrap_or(500)
    };
    keys.sort_by_key(|key| (place(key), key.as_str()));
    for key in keys {
        document.insert(key, item(key, &data[key])?);
    }
    Ok(document.to_string())
}

/// Reads keys and values of a scenario's text.
///
/// # Errors
///
/// The text is not TOML.
pub fn from_toml(text: &str, file: &str) -> Result<Map<String, Json>, ScenarioError> {
    let document: DocumentMut =
        text.parse().map_err(|error| ScenarioError::new(*not_toml(text, &error), file, text))?;
    Ok(map(document.as_table()))
}

/// Returns the text of a scenario with the value at a path changed; see the axes of sweeps for
/// paths.
///
/// # Errors
///
/// The text is not TOML, or the path names no place in it.
pub fn with_value(
    text: &str,
    file: &str,
    path: &str,
    value: &Json,
) -> Result<String, ScenarioError> {
    let refuse = |(message, help): (String, String)| {
        ScenarioError::new(*Problem::at(&(0..0), message, help), file, text).without_place()
    };
    let mut document: DocumentMut =
        text.parse().map_err(|error| ScenarioError::new(*not_toml(text, &error), file, text))?;
    let help = || "give a text, a number, true or false, or a list or table of these".to_owned();
    let value = inline(path, value).map_err(|message| refuse((message, help())))?;
    Path::parse(path).and_then(|path| path.put(&mut document, &value)).map_err(refuse)?;
    Ok(document.to_string())
}

/// Writes a value of the top level: tables in sections of their own, all others on one line.
fn item(key: &str, value: &Json) -> Result<Item, String> {
    match value {
        Json::Object(keys) => table(key, keys).map(Item::Table),
        Json::Array(all) if !all.is_empty() && all.iter().all(Json::is_object) => {
            let mut list = ArrayOfTables::new();
            for keys in all.iter().filter_map(Json::as_object) {
                list.push(table(key, keys)?);
            }
            Ok(Item::ArrayOfTables(list))
        }
        other => inline(key, other).map(Item::Value),
    }
}

fn table(key: &str, keys: &Map<String, Json>) -> Result<Table, String> {
    let mut table = Table::new();
    for (own, value) in named_first(keys) {
        table.insert(own, Item::Value(inline(&format!("{key}.{own}"), value)?));
    }
    Ok(table)
}

/// The keys of a table with its name before the others.
fn named_first(keys: &Map<String, Json>) -> impl Iterator<Item = (&String, &Json)> {
    let is_name = |(key, _): &(&String, &Json)| *key == "name";
    keys.iter().filter(is_name).chain(keys.iter().filter(move |pair| !is_name(pair)))
}

fn inline(key: &str, value: &Json) -> Result<Value, String> {
    Ok(match value {
        Json::Null => return Err(format!("{key} is null, which scenarios do not have")),
        Json::Bool(own) => Value::from(*own),
        Json::String(text) => Value::from(text.as_str()),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(real)) if number.is_f64() => Value::from(real),
            _ => return Err(format!("{key} is {number}, which does not fit in 64 bits")),
        },
        Json::Array(all) => {
            let values: Result<Array, String> = all.iter().map(|own| inline(key, own)).collect();
            Value::Array(values?)
        }
        Json::Object(keys) => {
            let mut table = InlineTable::new();
            for (own, value) in named_first(keys) {
                table.insert(own, inline(&format!("{key}.{own}"), value)?);
            }
            Value::InlineTable(table)
        }
    })
}

fn map(table: &dyn TableLike) -> Map<String, Json> {
    table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect()
}

fn json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Table(table) => Json::Object(map(table)),
        Item::ArrayOfTables(list) => list.iter().map(|table| Json::Object(map(table))).collect(),
        Item::Value(value) => json_value(value),
    }
}

fn json_value(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(own) => Json::from(*own.value()),
        Value::Datetime(time) => Json::from(time.value().to_string()),
        Value::Array(all) => all.iter().map(json_value).collect(),
        Value::InlineTable(table) => Json::Object(map(table)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Json) -> Map<String, Json> {
        match value {
            Json::Object(keys) => keys,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn data_become_a_scenario_and_come_back() {
        let data = object(json!({
            "flow": [{"from": "a", "to": "b", "controller": "cubic", "workload": {"size": "1 MB"}}],
            "duration": "10 s",
            "link": [{"rate": "10 Mbit/s", "name": "l", "between": ["a", "b"], "delay": "5 ms"}],
            "transport": {"ecn": true},
            "seed": 7,
        }));
        let text = to_toml(&data).expect("TOML");
        assert_eq!(
            text,
            "seed = 7\nduration = \"10 s\"\n\n[transport]\necn = true\n\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\ndelay = \"5 ms\"\nrate = \"10 Mbit/s\"\n\n\
             [[flow]]\ncontroller = \"cubic\"\nfrom = \"a\"\nto = \"b\"\nworkload = { size = \"1 MB\" }\n"
        );
        assert_eq!(from_toml(&text, "t.toml").expect("it is TOML"), data);
    }

    #[test]
    fn a_value_is_changed_at_its_path() {
        let text = "[[flow]]\nname = \"x\"\ncontroller = \"cubic\" # Linux's\n";
        let changed = with_value(text, "t.toml", "flow.x.controller?hz", &json!(1000));
        assert_eq!(
            changed.expect("a path"),
            "[[flow]]\nname = \"x\"\ncontroller = \"cubic?hz=1000\" # Linux's\n"
        );
        let refused = with_value(text, "t.toml", "flow.y.count", &json!(2)).expect_err("no y");
        assert!(refused.short().contains("there is no flow called \"y\""), "{}", refused.short());
        let null = with_value(text, "t.toml", "flow.x.count", &Json::Null).expect_err("null");
        assert!(null.short().contains("null"), "{}", null.short());
    }
}
