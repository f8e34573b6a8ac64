//! Puts changes from outside the file into it.

use super::changes::Changes;
use crate::error::Checked;
use crate::whole::not_toml;
use std::collections::BTreeMap;
use toml_edit::visit_mut::VisitMut;
use toml_edit::{Array, DocumentMut, Formatted, Item, Table, Value};

/// The text with the changes made to its `[sweep]`. Unchanged text stays as it is, byte for byte.
pub(super) fn changed(text: &str, changes: &Changes) -> Checked<String> {
    if changes.set.is_empty() && changes.seeds.is_none() {
        return changes.overrides.put(text);
    }
    let mut document: DocumentMut = text.parse().map_err(|error| not_toml(text, &error))?;
    if document.get("sweep").is_none() {
        document.insert("sweep", Item::Table(Table::new()));
    }
    let Some(sweep) = document.get_mut("sweep").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    for (path, values) in &changes.set {
        let value: Value =
            values.parse().ok().filter(|value: &Value| value.is_array() || value.is_inline_table()).unwrap_or_else(|| listed(values));
        if path == "seed" {
            sweep.remove("seeds");
        }
        sweep.insert(path, Item::Value(value.decorated(" ", "")));
    }
    if let Some(seeds) = changes.seeds {
        sweep.remove("seed");
        sweep.insert("seeds", Item::Value(Value::from(i64::from(seeds)).decorated(" ", "")));
    }
    changes.overrides.put(&document.to_string())
}

/// `1,2,3` as a list: numbers and words of TOML as such, everything else as texts.
fn listed(values: &str) -> Value {
    let one = |word: &str| -> Value { word.trim().parse().unwrap_or_else(|_| Value::from(word.trim())) };
    let list: Array = format!("[{values}]")
        .parse::<Value>()
        .ok()
        .and_then(|value| value.as_array().cloned())
        .unwrap_or_else(|| values.split(',').map(one).collect());
    Value::Array(list)
}

/// The text of a scenario with texts that name files replaced.
pub fn moved(text: &str, files: &BTreeMap<String, String>) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    Renaming(files).visit_document_mut(&mut document);
    document.to_string()
}

/// The text with a name.
pub(super) fn named(text: String, name: &str) -> String {
    let has = text.parse::<DocumentMut>().is_ok_and(|document| document.contains_key("name"));
    if has { text } else { format!("name = {}\n{text}", Value::from(name)) }
}

struct Renaming<'a>(&'a BTreeMap<String, String>);

impl VisitMut for Renaming<'_> {
    fn visit_string_mut(&mut self, text: &mut Formatted<String>) {
        if let Some(new) = self.0.get(text.value()) {
            *text = Formatted::new(new.clone());
        }
    }
}
