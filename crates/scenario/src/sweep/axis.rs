//! Axes of a sweep, from the table `[sweep]`.

use super::path::Path;
use super::range;
use crate::error::{Checked, Problem};
use narrows_units::{Bytes, Depth, Rate, Span};
use std::collections::BTreeSet;
use std::ops::Range;
use toml_edit::{Array, Document, Item, TableLike, Value};

/// An axis: values of the scenario that change together, and the values that they take in turn.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Path of the value, or the comma-separated paths of values that change together.
    pub name: String,
    /// Values, in order.
    pub values: Vec<AxisValue>,
    pub(crate) paths: Vec<Path>,
    pub(crate) span: Range<usize>,
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub struct AxisValue {
    /// Label in tables and plots: the value as it is written, or a label from the file.
    pub label: String,
    /// One TOML value for each path.
    pub(super) toml: Vec<Value>,
    pub(super) span: Range<usize>,
}

impl AxisValue {
    /// Formats the value as TOML.
    pub(super) fn written(&self) -> String {
        match &self.toml[..] {
            [Value::Array(_) | Value::InlineTable(_)] | [_, _, ..] => format!("\"{}\"", self.label),
            all => all.iter().map(|value| value.to_string().trim().to_owned()).collect(),
        }
    }
}

impl Axis {
    /// Makes an axis of words that changes no value of the scenario.
    pub(crate) fn of_words(name: &str, words: &[&str]) -> Axis {
        let value = |word: &&str| AxisValue {
            label: (*word).to_owned(),
            toml: vec![Value::from(*word)],
            span: 0..0,
        };
        let values = words.iter().map(value).collect();
        Axis {
            name: name.to_owned(),
            values,
            paths: vec![Path::parse(name).expect("a path")],
            span: 0..0,
        }
    }

    /// Returns the labels of the values, in order.
    pub fn labels(&self) -> Vec<String> {
        self.values.iter().map(|value| value.label.clone()).collect()
    }

    /// True for the axis of seeds.
    pub fn is_seed(&self) -> bool {
        matches!(&self.paths[..], [path] if path.is_seed())
    }

    /// Returns the values as numbers with their unit, if all are quantities of one kind: `"10
    /// Mbit/s"` is 10 in `"Mbit/s"`, `"1 s"` is 1000 in `"ms"`. Units are the units of metrics, and
    /// `"B"`, `"bdp"` and `"packets"`; a bare number has the unit `""`.
    pub fn numbers(&self) -> Option<(&'static str, Vec<f64>)> {
        let numbers: Option<Vec<(&'static str, f64)>> = self
            .values
            .iter()
            .map(|value| if let [one] = &value.toml[..] { number(one) } else { None })
            .collect();
        let numbers = numbers?;
        let unit = numbers.first()?.0;
        numbers
            .iter()
            .all(|(own, _)| *own == unit)
            .then(|| (unit, numbers.into_iter().map(|(_, number)| number).collect()))
    }
}

fn number(value: &Value) -> Option<(&'static str, f64)> {
    let text = match value {
        Value::Integer(number) => return Some(("", *number.value() as f64)),
        Value::Float(number) => return Some(("", *number.value())),
        Value::String(text) => text.value().as_str(),
        _ => return None,
    };
    if let Ok(span) = text.parse::<Span>() {
        return Some(("ms", span.as_millis_f64()));
    }
    if let Ok(rate) = text.parse::<Rate>() {
        return Some(("Mbit/s", rate.as_mbps()));
    }
    if let Ok(bytes) = text.parse::<Bytes>() {
        return Some(("B", bytes.get() as f64));
    }
    match text.parse::<Depth>() {
        Ok(Depth::MilliBdp(milli)) => Some(("bdp", milli as f64 / 1e3)),
        Ok(Depth::Packets(packets)) => Some(("packets", packets.into())),
        _ => text
            .trim()
            .strip_suffix('%')
            .and_then(|number| Some(("%", number.trim().parse().ok()?))),
    }
}

/// Reads all axes of a document; the axis `seed` comes last.
pub(crate) fn read(document: &Document<String>, first_seed: i64) -> Checked<Vec<Axis>> {
    const EXAMPLE: &str = "\"link.bottleneck.rate\" = [\"10 Mbit/s\", \"100 Mbit/s\"]";
    let Some((key, item)) = document.get_key_value("sweep") else {
        return Err(Problem::at(
            &(0..0),
            "there is no [sweep] in this file",
            format!("add [sweep] with an axis, for example {EXAMPLE}"),
        ));
    };
    let span = item.span().or(key.span()).unwrap_or(0..0);
    let Some(table) = item.as_table_like() else {
        return Err(Problem::at(
            &span,
            "a table is expected here",
            format!("write [sweep], and below it {EXAMPLE}"),
        ));
    };
    let axes = all(table, first_seed)?;
    if axes.is_empty() {
        return Err(Problem::at(
            &span,
            "[sweep] has no axis",
            format!("add for example {EXAMPLE}"),
        ));
    }
    Ok(axes)
}

/// Reads all axes of a table; the axis `seed` comes last.
pub(super) fn all(table: &dyn TableLike, first_seed: i64) -> Checked<Vec<Axis>> {
    let mut axes = Vec::new();
    collect(table, "", first_seed, &mut axes)?;
    for (index, axis) in axes.iter().enumerate() {
        if let Some(twice) = axis.paths.iter().enumerate().find(|(place, path)| {
            axis.paths[..*place].contains(path)
                || axes[..index].iter().any(|other| other.paths.contains(path))
        }) {
            let name = axis.name.split(',').nth(twice.0).unwrap_or(&axis.name).trim();
            return Err(Problem::at(
                &axis.span,
                format!("{name} is an axis already"),
                "keep one of the two",
            ));
        }
    }
    axes.sort_by_key(Axis::is_seed);
    Ok(axes)
}

fn collect(
    table: &dyn TableLike,
    above: &str,
    first_seed: i64,
    axes: &mut Vec<Axis>,
) -> Checked<()> {
    for (text, item) in table.iter() {
        let span =
            table.key(text).and_then(|key| key.span()).or_else(|| item.span()).unwrap_or(0..0);
        let name = if above.is_empty() { text.to_owned() } else { format!("{above}.{text}") };
        match item {
            Item::Table(inner) => collect(inner, &name, first_seed, axes)?,
            Item::Value(Value::InlineTable(inner)) if inner.is_dotted() => {
                collect(inner, &name, first_seed, axes)?
            }
            Item::Value(value) => axes.push(axis(name, value, span, first_seed)?),
            _ => {
                return Err(Problem::at(
                    &span,
                    format!("{name} has no values"),
                    "write a list of values: [...]",
                ));
            }
        }
    }
    Ok(())
}

fn axis(name: String, value: &Value, span: Range<usize>, first_seed: i64) -> Checked<Axis> {
    if name == "seeds" {
        // `--set` wraps its values in a list.
        let written = value
            .as_array()
            .filter(|list| list.len() == 1)
            .and_then(|list| list.get(0))
            .unwrap_or(value);
        let Some(count @ 1..=100_000) = written.as_integer() else {
            return Err(Problem::at(
                &value.span().unwrap_or(span),
                "seeds must be the number of seeds",
                "write a whole number from 1 to 100000, for example seeds = 10",
            ));
        };
        let seed = |offset: i64| one(&[Value::from(first_seed.wrapping_add(offset))], &span);
        return Ok(Axis {
            values: (0..count).map(seed).collect(),
            paths: vec![seed_path()],
            name: "seed".to_owned(),
            span,
        });
    }
    let refuse = |(message, help): (String, String)| Problem::at(&span, message, help);
    let paths = name.split(',').map(Path::parse).collect::<Result<Vec<_>, _>>().map_err(refuse)?;
    let values = match value {
        Value::Array(list) => listed(list, &paths, &span)?,
        Value::InlineTable(table) => {
            if let Some((key, _)) =
                table.iter().find(|(key, _)| !["from", "to", "step", "count", "log"].contains(key))
            {
                return Err(refuse((
                    format!("there is no key \"{key}\" in a range"),
                    "a range has from, to and either step or count, and log = true for equal ratios".to_owned(),
                )));
            }
            if paths.len() > 1 {
                return Err(refuse((
                    "values that change together cannot be a range".to_owned(),
                    "write a list of lists".to_owned(),
                )));
            }
            range::expand(|key| table.get(key).cloned())
                .map_err(refuse)?
                .into_iter()
                .map(|value| one(&[value], &span))
                .collect()
        }
        _ => {
            return Err(Problem::at(
                &value.span().unwrap_or(span.clone()),
                format!("{name} has one value, not several"),
                "write a list [...] or a range { from, to, step }; a single value belongs into the scenario itself",
            ));
        }
    };
    if values.is_empty() {
        return Err(Problem::at(
            &value.span().unwrap_or(span.clone()),
            format!("{name} has no values"),
            "write at least one value",
        ));
    }
    let mut labels = BTreeSet::new();
    if let Some(again) = values.iter().find(|value| !labels.insert(value.label.as_str())) {
        return Err(Problem::at(
            &again.span,
            format!("{name} has the value {} twice", again.label),
            "keep one of the two, or give them different labels",
        ));
    }
    Ok(Axis { name, values, paths, span })
}

fn seed_path() -> Path {
    Path::parse("seed").expect("a path")
}

/// Reads the values of a list: plain ones, or `{ label = "...", value = ... }`. With several paths,
/// each value is a list with one entry for each path.
fn listed(list: &Array, paths: &[Path], span: &Range<usize>) -> Checked<Vec<AxisValue>> {
    list.iter()
        .map(|item| {
            let span = item.span().unwrap_or(span.clone());
            let labelled =
                item.as_inline_table().filter(|table| table.len() == 2 && table.contains_key("label") && table.contains_key("value"));
            let (label, item) = match labelled {
                Some(table) => (table.get("label").and_then(Value::as_str).map(str::to_owned), table.get("value").unwrap_or(item)),
                None => (None, item),
            };
            let mut value = if let [_] = paths {
                one(std::slice::from_ref(item), &span)
            } else {
                match item.as_array().filter(|list| list.len() == paths.len()) {
                    Some(list) => one(&list.iter().cloned().collect::<Vec<_>>(), &span),
                    None => {
                        return Err(Problem::at(
                            &span,
                            format!("{} values change together here", paths.len()),
                            "write each place of the axis as a list with a value for each path, in their order",
                        ));
                    }
                }
            };
            if let Some(label) = label {
                value.label = label;
            }
            Ok(value)
        })
        .collect()
}

fn one(values: &[Value], span: &Range<usize>) -> AxisValue {
    let text = |value: &Value| {
        value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned)
    };
    AxisValue {
        label: values.iter().map(text).collect::<Vec<_>>().join(", "),
        toml: values.to_vec(),
        span: span.clone(),
    }
}
