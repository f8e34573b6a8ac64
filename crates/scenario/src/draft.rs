//! Scenarios under construction: tables whose keys keep the order in which they are added.

use std::fmt::{self, Display};
use std::str::FromStr;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

/// The keys of a table, in order.
#[derive(Clone, Debug, Default)]
pub struct Keys(Table);

/// The text of a scenario file, made of tables.
#[derive(Clone, Debug, Default)]
pub struct Draft(DocumentMut);

impl Keys {
    /// Creates a table without keys.
    pub fn new() -> Keys {
        Keys::default()
    }

    /// Adds a key with a text: a name, or a quantity with its unit.
    pub fn text(self, key: &str, text: impl Display) -> Keys {
        self.value(key, Value::from(text.to_string()))
    }

    /// Adds a key with an integer. TOML integers have 64 bits with a sign; a larger number becomes
    /// a text, which the parser refuses at its place.
    pub fn whole(self, key: &str, number: u64) -> Keys {
        match i64::try_from(number) {
            Ok(number) => self.value(key, Value::from(number)),
            Err(_) => self.text(key, number),
        }
    }

    /// Adds a key that is true or false.
    pub fn flag(self, key: &str, flag: bool) -> Keys {
        self.value(key, Value::from(flag))
    }

    /// Adds a key with a list of texts.
    pub fn texts<T: Display>(self, key: &str, texts: impl IntoIterator<Item = T>) -> Keys {
        self.value(key, Value::Array(all(texts)))
    }

    /// Adds a key with a list of pairs of texts.
    pub fn pairs<T: Display>(self, key: &str, pairs: impl IntoIterator<Item = [T; 2]>) -> Keys {
        let pairs: Array = pairs.into_iter().map(|pair| Value::Array(all(pair))).collect();
        self.value(key, Value::Array(pairs))
    }

    /// Adds a key with a table on the same line.
    pub fn table(self, key: &str, keys: Keys) -> Keys {
        self.value(key, Value::InlineTable(keys.inline()))
    }

    /// Adds a key with a list of tables on the same line.
    pub fn tables(self, key: &str, tables: impl IntoIterator<Item = Keys>) -> Keys {
        let list: Array = tables.into_iter().map(|own| Value::InlineTable(own.inline())).collect();
        self.value(key, Value::Array(list))
    }

    /// Adds a key with a list of tables, one on each line.
    pub fn lines(self, key: &str, tables: impl IntoIterator<Item = Keys>) -> Keys {
        let line = |own: Keys| {
            let mut value = Value::InlineTable(own.inline());
            value.decor_mut().set_prefix("\n    ");
            value
        };
        let mut list = Array::new();
        tables.into_iter().for_each(|own| list.push_formatted(line(own)));
        list.set_trailing("\n");
        list.set_trailing_comma(true);
        self.value(key, Value::Array(list))
    }

    /// Adds a key with a value that is written in TOML. A text that is no value of TOML becomes a
    /// string.
    pub fn written(self, key: &str, toml: &str) -> Keys {
        self.value(key, toml.parse().unwrap_or_else(|_| Value::from(toml)))
    }

    /// Adds a section below this table, which has a heading: `[link.back]`.
    pub fn section(mut self, key: &str, keys: Keys) -> Keys {
        self.0.insert(key, Item::Table(keys.0));
        self
    }

    /// Adds the keys of another table.
    pub fn and(mut self, more: Keys) -> Keys {
        self.0.extend(more.0);
        self
    }

    /// Adds more keys if a condition holds.
    pub fn when(self, condition: bool, more: impl FnOnce(Keys) -> Keys) -> Keys {
        if condition { more(self) } else { self }
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn value(mut self, key: &str, value: Value) -> Keys {
        self.0.insert(key, Item::Value(value));
        self
    }

    fn inline(self) -> InlineTable {
        self.0.into_inline_table()
    }
}

fn all<T: Display>(texts: impl IntoIterator<Item = T>) -> Array {
    texts.into_iter().map(|text| Value::from(text.to_string())).collect()
}

/// Reads keys from lines of TOML.
impl FromStr for Keys {
    type Err = String;

    fn from_str(lines: &str) -> Result<Keys, String> {
        let document: DocumentMut =
            lines.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
        Ok(Keys(document.as_table().clone()))
    }
}

impl Draft {
    /// Begins a scenario with keys of the top level.
    pub fn new(keys: Keys) -> Draft {
        Draft(keys.0.into())
    }

    /// Adds the table `[name]`; nothing without keys.
    pub fn table(mut self, name: &str, keys: Keys) -> Draft {
        if !keys.is_empty() {
            self.0.insert(name, Item::Table(keys.0));
        }
        self
    }

    /// Adds an element to the list of tables `[[name]]`.
    pub fn add(&mut self, name: &str, keys: Keys) {
        let list = self.0.entry(name).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        if let Some(list) = list.as_array_of_tables_mut() {
            list.push(keys.0);
        }
    }

    /// Adds several elements to the list of tables `[[name]]`.
    pub fn with(mut self, name: &str, all: impl IntoIterator<Item = Keys>) -> Draft {
        all.into_iter().for_each(|keys| self.add(name, keys));
        self
    }

    /// Adds the lists of tables of another draft.
    pub fn and(mut self, more: Draft) -> Draft {
        for (name, item) in more.0.iter() {
            let tables = item.as_array_of_tables().into_iter().flat_map(ArrayOfTables::iter);
            tables.for_each(|table| self.add(name, Keys(table.clone())));
        }
        self
    }
}

/// The text of the file.
impl Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_order_and_texts_are_quoted() {
        let link = Keys::new()
            .text("name", "the \"first\"")
            .texts("between", ["a", "b"])
            .section("back", Keys::new().text("delay", "1 ms"));
        let sweep = Keys::new()
            .lines("link.l.rate", [Keys::new().text("label", "slow").written("value", "{ a = 1 }")])
            .whole("seeds", 3);
        let flow = Keys::new().flag("b", true).pairs("a", [["0 s", "1 s"]]);
        let mut draft = Draft::new(Keys::new().text("z", "last").whole("a", 1))
            .table("icn", Keys::new())
            .table("sweep", sweep)
            .and(Draft::default().with("link", [link.clone(), link]));
        draft.add("flow", flow);
        let text = draft.to_string();
        let back = "between = [\"a\", \"b\"]\n\n[link.back]\ndelay = \"1 ms\"\n";
        let named = "\n[[link]]\nname = 'the \"first\"'\n";
        assert_eq!(
            text,
            format!(
                "z = \"last\"\na = 1\n\n[sweep]\n\"link.l.rate\" = [\n    {{ label = \"slow\", value = {{ a = 1 }} }},\n]\nseeds = 3\n\
                 {named}{back}{named}{back}\n[[flow]]\nb = true\na = [[\"0 s\", \"1 s\"]]\n"
            )
        );
        assert!(Keys::new().whole("seed", u64::MAX).to_owned().0["seed"].is_str());
    }
}
