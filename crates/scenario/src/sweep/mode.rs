//! The sweep of a figure, with the changes of `[quick]` and `[live]`.

use super::axis::{self, Axis};
use super::path::Path;
use super::{Fixed, Sweep};
use crate::error::{Checked, Problem};
use crate::whole::not_toml;
use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

/// The mode in which a figure is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// True for `--quick`: the figure is scaled down.
    pub quick: bool,
    /// True for `--live`: the kernel runs the figure, and the simulator too.
    pub live: bool,
}

impl Mode {
    /// Returns the keys of the tables that change the figure.
    fn tables(self) -> &'static [&'static [&'static str]] {
        match self {
            Mode { live: false, quick: false } => &[],
            Mode { live: false, quick: true } => &[&["quick"]],
            Mode { live: true, quick: false } => &[&["live"]],
            Mode { live: true, quick: true } => &[&["live"], &["live", "quick"]],
        }
    }
}

impl Sweep {
    /// Reads the sweep of a figure file, with the changes of the mode. A file without `[sweep]` has
    /// one cell.
    pub(crate) fn figure(text: &str, file: &str, mode: Mode) -> Checked<Sweep> {
        let document = Document::parse(text.to_owned()).map_err(|error| not_toml(text, &error))?;
        let first_seed = document.get("seed").and_then(Item::as_integer).unwrap_or(1);
        let mut axes = if document.contains_key("sweep") {
            axis::read(&document, first_seed)?
        } else {
            Vec::new()
        };
        let mut base = document.clone().into_mut();
        base.remove("sweep");
        let mut fixed = Vec::new();
        for keys in mode.tables() {
            let found = keys.iter().try_fold(document.as_item(), |item, key| item.get(key));
            let Some(table) = found.and_then(Item::as_table_like) else { continue };
            overlay(table, "", &mut base, &mut fixed)?;
            if let Some(sweep) = table.get("sweep").and_then(Item::as_table_like) {
                let first_seed = base.get("seed").and_then(Item::as_integer).unwrap_or(1);
                replace(&mut axes, axis::all(sweep, first_seed)?)?;
            }
        }
        Sweep::of(text, file, base, axes, fixed)
    }
}

/// Puts each value of `[quick]` or `[live]` at its path.
fn overlay(
    table: &dyn TableLike,
    above: &str,
    base: &mut DocumentMut,
    fixed: &mut Vec<Fixed>,
) -> Checked<()> {
    for (key, item) in table.iter() {
        if above.is_empty() && ["why", "sweep", "quick"].contains(&key) {
            continue;
        }
        let span =
            table.key(key).and_then(|key| key.span()).or_else(|| item.span()).unwrap_or(0..0);
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

/// Replaces each axis by the other axis with the same paths.
fn replace(axes: &mut Vec<Axis>, others: Vec<Axis>) -> Checked<()> {
    for axis in others {
        match axes.iter_mut().find(|own| own.paths == axis.paths) {
            Some(own) => *own = axis,
            None if axis.is_seed() => axes.push(axis),
            None => {
                let known: Vec<&str> =
                    axes.iter().filter(|own| !own.is_seed()).map(|own| own.name.as_str()).collect();
                let help = match known.is_empty() {
                    true => "the figure has no [sweep]: give a single value of the scenario, outside of sweep".to_owned(),
                    false => format!("name an axis of [sweep]: {}", known.join("; ")),
                };
                return Err(Problem::at(
                    &axis.span,
                    format!("{} is no axis of this figure", axis.name),
                    help,
                ));
            }
        }
    }
    Ok(())
}
