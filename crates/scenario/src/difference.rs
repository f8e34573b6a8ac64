//! The values in which two scenarios differ.

use crate::ScenarioError;
use crate::error::Problem;
use std::collections::BTreeMap;
use toml_edit::{DocumentMut, Item, TableLike, Value};

/// A value that differs between two scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Path of the value, as an axis of a sweep writes it: `link.bottleneck.rate`.
    pub path: String,
    /// The value in the first scenario, as TOML; `None` if it is missing.
    pub before: Option<String>,
    /// The value in the second scenario, as TOML; `None` if it is missing.
    pub after: Option<String>,
}

/// Returns the values in which two TOML documents differ, sorted by path.
///
/// # Errors
/// One of them is not TOML.
pub fn differences(before: &str, after: &str) -> Result<Vec<Difference>, ScenarioError> {
    let (mut before, mut after) =
        (values(before, "the first scenario")?, values(after, "the second scenario")?);
    let mut paths: Vec<String> = before.keys().chain(after.keys()).cloned().collect();
    paths.sort();
    paths.dedup();
    let both = paths.into_iter().map(|path| Difference {
        before: before.remove(&path),
        after: after.remove(&path),
        path,
    });
    Ok(both.filter(|difference| difference.before != difference.after).collect())
}

fn values(text: &str, what: &str) -> Result<BTreeMap<String, String>, ScenarioError> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let problem = Problem::at(
            &error.span().unwrap_or(0..0),
            format!("this is not TOML: {}", error.message()),
            "give a result directory as it was written",
        );
        ScenarioError::new(*problem, what, text)
    })?;
    let mut values = BTreeMap::new();
    gather(document.as_table(), "", &mut values);
    Ok(values)
}

fn gather(table: &dyn TableLike, above: &str, values: &mut BTreeMap<String, String>) {
    for (key, item) in table.iter() {
        let path = if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") };
        let list: Option<Vec<&dyn TableLike>> = match item {
            Item::ArrayOfTables(list) => {
                Some(list.iter().map(|table| table as &dyn TableLike).collect())
            }
            Item::Value(Value::Array(list)) => list
                .iter()
                .map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
                .collect(),
            _ => None,
        };
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            for (index, inner) in list.into_iter().enumerate() {
                let name = inner
                    .get("name")
                    .and_then(Item::as_str)
                    .map_or_else(|| (index + 1).to_string(), str::to_owned);
                gather(inner, &format!("{path}.{name}"), values);
            }
        } else if let Some(inner) = item.as_table_like() {
            gather(inner, &path, values);
        } else if let Some(value) = item.as_value() {
            values.insert(path, value.clone().decorated("", "").to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_name_not_by_place() {
        let before = "duration = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[[link]]\nname = \"b\"\nloss = { every = 3 }\n";
        let after = "duration = \"1 s\" # as before\n[[link]]\nname = \"b\"\nloss = { every = 4 }\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nbuffer = \"1 bdp\"\n";
        let found = differences(before, after).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.path.as_str(), one.before.as_deref(), one.after.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("link.a.buffer", None, Some("\"1 bdp\"")),
                ("link.b.loss.every", Some("3"), Some("4"))
            ]
        );
        assert_eq!(differences(before, before).unwrap(), []);
    }
}
