//! A figure's sweep, and what `[quick]` makes of it.

use super::axis::{self, Axis};
use super::path::Path;
use super::{Fixed, Sweep, set};
use crate::error::{Checked, Problem};
use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

impl Sweep {
    /// The sweep of a figure file, which has a single cell without `[sweep]`: as it is, or with what `[quick]` changes.
    pub(crate) fn figure(text: &str, file: &str, quick: bool) -> Checked<Sweep> {
        let document = Document::parse(text.to_owned()).map_err(|error| set::not_toml(text, &error))?;
        let first_seed = document.get("seed").and_then(Item::as_integer).unwrap_or(1);
        let mut axes = if document.contains_key("sweep") { axis::read(&document, first_seed)? } else { Vec::new() };
        let mut base = document.clone().into_mut();
        base.remove("sweep");
        let mut fixed = Vec::new();
        if quick && let Some(table) = document.get("quick").and_then(Item::as_table_like) {
            overlay(table, "", &mut base, &mut fixed)?;
            if let Some(sweep) = table.get("sweep").and_then(Item::as_table_like) {
                let first_seed = base.get("seed").and_then(Item::as_integer).unwrap_or(1);
                replace(&mut axes, axis::all(sweep, first_seed)?)?;
            }
        }
        Sweep::of(text, file, base, axes, fixed)
    }
}

/// Puts each value of `[quick]` where its path leads.
fn overlay(table: &dyn TableLike, above: &str, base: &mut DocumentMut, fixed: &mut Vec<Fixed>) -> Checked<()> {
    for (key, item) in table.iter() {
        if above.is_empty() && (key == "why" || key == "sweep") {
            continue;
        }
        let span = table.key(key).and_then(|key| key.span()).or_else(|| item.span()).unwrap_or(0..0);
        let name = if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") };
        let value = match item {
            Item::Table(inner) => {
                overlay(inner, &name, base, fixed)?;
                continue;
            }
            Item::Value(Value::InlineTable(inner)) if inner.is_dotted() => {
                overlay(inner, &name, base, fixed)?;
                continue;
            }
            Item::Value(value) => value.clone(),
            Item::ArrayOfTables(list) => Value::Array(list.clone().into_array()),
            Item::None => continue,
        };
        let refuse = |(message, help): (String, String)| Problem::at(&span, message, help);
        let path = Path::parse(&name).map_err(refuse)?;
        path.put(base, &value).map_err(refuse)?;
        fixed.push(Fixed { path, span });
    }
    Ok(())
}

/// Each axis in the place of that with the same paths.
fn replace(axes: &mut Vec<Axis>, quick: Vec<Axis>) -> Checked<()> {
    for axis in quick {
        match axes.iter_mut().find(|own| own.paths == axis.paths) {
            Some(own) => *own = axis,
            None if axis.is_seed() => axes.push(axis),
            None => {
                let known: Vec<&str> = axes.iter().filter(|own| !own.is_seed()).map(|own| own.name.as_str()).collect();
                let help = match known.is_empty() {
                    true => "the figure has no [sweep]: give a single value of the scenario, outside of [quick.sweep]".to_owned(),
                    false => format!("name an axis of [sweep]: {}", known.join("; ")),
                };
                return Err(Problem::at(&axis.span, format!("{} is no axis of this figure", axis.name), help));
            }
        }
    }
    Ok(())
}
