//! Applies changes from the command line to the text of a scenario.

use super::changes::Changes;
use crate::controllers::load_controller;
use crate::error::Checked;
use crate::whole::not_toml;
use std::collections::BTreeMap;
use std::path::Path;
use toml_edit::visit_mut::{VisitMut, visit_table_like_kv_mut};
use toml_edit::{Array, DocumentMut, Formatted, Item, KeyMut, Table, Value};

/// Returns the text with all changes. Unaffected text stays unchanged, byte for byte.
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
        let value: Value = values
            .parse()
            .ok()
            .filter(|value: &Value| value.is_array() || value.is_inline_table())
            .unwrap_or_else(|| listed(values));
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

/// Reads `1,2,3` as a list: numbers and words of TOML as they are, everything else as texts.
fn listed(values: &str) -> Value {
    let one =
        |word: &str| -> Value { word.trim().parse().unwrap_or_else(|_| Value::from(word.trim())) };
    let list: Array = format!("[{values}]")
        .parse::<Value>()
        .ok()
        .and_then(|value| value.as_array().cloned())
        .unwrap_or_else(|| values.split(',').map(one).collect());
    Value::Array(list)
}

/// Replaces file names in the text of a scenario.
pub fn moved(text: &str, files: &BTreeMap<String, String>) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    Renaming(files).visit_document_mut(&mut document);
    document.to_string()
}

/// Replaces controllers from files in the text by their registered names. Relative file names begin
/// in `folder`.
pub(super) fn loaded(text: &str, folder: &Path) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    let mut loading = Loading { folder, chooses: false, renamed: false };
    loading.visit_document_mut(&mut document);
    if loading.renamed { document.to_string() } else { text.to_owned() }
}

/// Adds a name to the text, if it has none.
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

struct Loading<'a> {
    folder: &'a Path,
    /// True inside a value that selects controllers: the key `controller`, or an axis of `[sweep]`
    /// over it.
    chooses: bool,
    renamed: bool,
}

impl VisitMut for Loading<'_> {
    fn visit_table_like_kv_mut(&mut self, key: KeyMut<'_>, node: &mut Item) {
        let outside = self.chooses;
        self.chooses |= key.get().contains("controller");
        visit_table_like_kv_mut(self, key, node);
        self.chooses = outside;
    }

    fn visit_string_mut(&mut self, text: &mut Formatted<String>) {
        if !self.chooses {
            return;
        }
        // Skip texts that are not controllers. Errors of real ones have been reported before.
        let Ok(name) = load_controller(text.value(), self.folder) else { return };
        if name != *text.value() {
            *text = Formatted::new(name);
            self.renamed = true;
        }
    }
}
