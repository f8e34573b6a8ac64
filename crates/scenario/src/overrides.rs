//! Replacements for a scenario's network and workload, from the command line.

use crate::error::{Checked, Problem, ScenarioError};
use crate::network_tables::{ENDS, ends};
use crate::sweep::{Path, axis};
use crate::whole::{not_toml, read_appended};
use crate::{NamedTraffic, TRAFFIC};
use narrows_params::suggest;
use std::str::FromStr;
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// Replacements for parts of a scenario. A sweep makes an axis of a list with several values; a
/// single run takes at most one value of each list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Named paths that replace the scenario's links.
    pub path: Vec<String>,
    /// Files of recorded capacity that replace the bottleneck's rate.
    pub trace: Vec<String>,
    /// Queue disciplines of the bottleneck.
    pub queue: Vec<String>,
    /// Workloads of all flows.
    pub workload: Vec<NamedWorkload>,
    /// Single keys: the path, as an axis writes it, and the value. A value is a number or a word of
    /// TOML, otherwise text: `link.far.rate` and `20 Mbit/s`.
    pub set: Vec<(String, String)>,
}

/// A workload for the flows of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedWorkload {
    /// Name of the traffic, or the workload as it is written.
    pub name: String,
    /// The `workload` of a flow, in TOML.
    pub toml: String,
}

impl FromStr for NamedWorkload {
    type Err = String;

    /// Reads the name of a traffic, or a workload in TOML.
    fn from_str(text: &str) -> Result<NamedWorkload, String> {
        let text = text.trim();
        if text.starts_with(['{', '"']) {
            return match text.parse::<Value>() {
                Ok(_) => Ok(NamedWorkload { name: text.to_owned(), toml: text.to_owned() }),
                Err(error) => Err(format!(
                    "\"{text}\" is no workload: {}; write for example {{ size = \"1 MB\" }}",
                    error.message()
                )),
            };
        }
        let named = TRAFFIC.iter().find(|traffic| traffic.name == text);
        named.map(|traffic| NamedWorkload { name: traffic.name.to_owned(), toml: traffic.workload.to_owned() }).ok_or_else(|| {
            let names = TRAFFIC.iter().map(|traffic: &NamedTraffic| traffic.name);
            format!(
                "there is no workload \"{text}\"; {}, or write one as a scenario does: {{ size = \"1 MB\" }}",
                suggest(text, "workloads", names)
            )
        })
    }
}

impl NamedWorkload {
    fn value(&self) -> Value {
        self.toml.parse().expect("it was read before")
    }
}

/// Path of the keys that a workload replaces.
const WORKLOAD: &str = "flow.*.workload";

impl Overrides {
    /// True if the scenario stays unchanged.
    pub fn is_empty(&self) -> bool {
        *self == Overrides::default()
    }

    /// Returns the text of a scenario with all replacements. Unaffected text stays unchanged, byte
    /// for byte.
    ///
    /// # Errors
    /// The scenario's flows cannot run on another path, because they have different ends or routes.
    /// Or a replacement does not fit the scenario: an axis sets the replaced keys, or workloads are
    /// for an information-centric network.
    pub fn applied(&self, text: &str, file: &str) -> Result<String, ScenarioError> {
        let applied = self.put(text);
        applied.map_err(|problem| ScenarioError::new(*problem, file, text))
    }

    pub(crate) fn put(&self, text: &str) -> Checked<String> {
        if self.is_empty() {
            return Ok(text.to_owned());
        }
        let mut document: DocumentMut = text.parse().map_err(|error| not_toml(text, &error))?;
        if !self.workload.is_empty() && document.contains_key("icn") {
            let problem = "workloads are those of flows, and this network is information-centric";
            return Err(Problem::at(
                &(0..0),
                problem,
                "leave out --workload; [[consumer]] and [[request]] say what is asked for",
            ));
        }
        if !self.queue.is_empty() {
            refuse_axes(text, "queue", |own| own.is_of("link") && own.ends_with("queue"))?;
        }
        if !self.trace.is_empty() {
            refuse_axes(text, "trace", |own| {
                own.is_of("link") && (own.ends_with("trace") || own.ends_with("rate"))
            })?;
        }
        if !self.path.is_empty() {
            put_path(&mut document, text)?;
        }
        let texts = |all: &[String]| {
            all.iter()
                .map(|own| (own.clone(), Value::from(own.as_str())))
                .collect::<Vec<(String, Value)>>()
        };
        let workloads = self.workload.iter().map(|own| (own.name.clone(), own.value())).collect();
        let keys = [
            ("path", texts(&self.path)),
            ("trace", texts(&self.trace)),
            ("queue", texts(&self.queue)),
            (WORKLOAD, workloads),
        ];
        for (key, values) in keys {
            match &values[..] {
                [] => {}
                [(_, only)] => {
                    put_one(&mut document, key, only)?;
                    document
                        .get_mut("sweep")
                        .and_then(Item::as_table_like_mut)
                        .map(|sweep| sweep.remove(key));
                }
                [(_, first), ..] => {
                    put_one(&mut document, key, first)?;
                    put_axis(&mut document, key, &values);
                }
            }
        }
        let fail = |(message, help): (String, String)| Problem::at(&(0..0), message, help);
        let read =
            |(key, value): &(String, String)| Ok((Path::parse(key).map_err(fail)?, value.clone()));
        let mut set: Vec<(Path, String)> = self.set.iter().map(read).collect::<Checked<_>>()?;
        // Whole values first: a parameter is one of the choice that another key gives.
        set.sort_by_key(|(path, _)| path.is_parameter());
        for (path, value) in set {
            let value: Value = value.parse().unwrap_or_else(|_| Value::from(value.as_str()));
            path.put(&mut document, &value).map_err(fail)?;
        }
        Ok(document.to_string())
    }
}

fn put_one(document: &mut DocumentMut, key: &str, value: &Value) -> Checked<()> {
    let path = Path::parse(key).expect("a path");
    path.put(document, value).map_err(|(message, help)| Problem::at(&(0..0), message, help))
}

fn put_axis(document: &mut DocumentMut, key: &str, values: &[(String, Value)]) {
    if document.get("sweep").is_none() {
        document.insert("sweep", Item::Table(Table::new()));
    }
    let labelled = |(label, value): &(String, Value)| match value.as_str() {
        Some(text) if text == label => value.clone(),
        _ => {
            let mut table = InlineTable::new();
            table.insert("label", Value::from(label.as_str()));
            table.insert("value", value.clone());
            Value::InlineTable(table)
        }
    };
    let list: Array = values.iter().map(labelled).collect();
    if let Some(sweep) = document.get_mut("sweep").and_then(Item::as_table_like_mut) {
        sweep.insert(key, Item::Value(Value::Array(list)));
    }
}

/// Replaces the network of a scenario with a named path.
fn put_path(document: &mut DocumentMut, text: &str) -> Checked<()> {
    if document.contains_key("path") {
        return Ok(());
    }
    let mut whole = text.to_owned();
    ends(&read_appended(&mut whole)?)?;
    refuse_axes(text, "path", |own| own.is_of("link") || own.is_of("node") || own.is_of("graph"))?;
    ["link", "node", "graph"].iter().for_each(|key| drop(document.remove(key)));
    // Changes of the replaced links go as well.
    let of_flow = |change: &dyn TableLike| change.contains_key("flow");
    match document.get_mut("change") {
        Some(Item::ArrayOfTables(list)) => list.retain(|change| of_flow(change)),
        Some(Item::Value(Value::Array(list))) => {
            list.retain(|change| change.as_inline_table().is_some_and(|change| of_flow(change)))
        }
        _ => {}
    }
    for (place, key) in [(0, "from"), (1, "to")] {
        put_one(document, &format!("flow.*.{key}"), &Value::from(ENDS[place]))?;
    }
    Ok(())
}

/// Refuses axes that would have no effect because the flag replaces their keys.
fn refuse_axes(text: &str, flag: &str, replaced: impl Fn(&Path) -> bool) -> Checked<()> {
    let Ok(document) = Document::parse(text.to_owned()) else { return Ok(()) };
    // The reader of axes reports wrong ones later.
    let axes = axis::read(&document, 1).unwrap_or_default();
    match axes.iter().find(|axis| axis.paths.iter().any(&replaced)) {
        None => Ok(()),
        Some(axis) => Err(Problem::at(
            &axis.span,
            format!("this axis is of what --{flag} replaces in every cell"),
            format!("leave --{flag} out, or give a copy of the file without this axis"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Changes, Sweep, parse_with};

    const FILE: &str = "duration = \"2 s\"\n\n# The link.\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\n\
                        [[change]]\nlink = \"l\"\nat = \"1 s\"\nrate = \"5 Mbit/s\"\n\
                        [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn workload(text: &str) -> NamedWorkload {
        text.parse().expect("a workload")
    }

    #[test]
    fn a_scenario_takes_one_of_each() {
        let read = |overrides: &Overrides| {
            parse_with(FILE, "t.toml", overrides, None, &|_| Ok("1\n2\n".to_owned()))
                .unwrap_or_else(|error| panic!("{}", error.short()))
        };
        let path = Overrides {
            path: texts(&["lte"]),
            queue: texts(&["fq-codel"]),
            workload: vec![workload("web")],
            ..Overrides::default()
        };
        let scenario = read(&path);
        assert!(scenario.links.iter().all(|link| {
            link.config.queue.as_ref().is_some_and(|queue| queue.text() == "fq-codel")
        }));
        assert_eq!(
            (
                scenario.links[0].config.rate.mean().map(|rate| rate.to_string()),
                scenario.changes.len()
            ),
            (Some("12 Mbit/s".to_owned()), 0)
        );
        let direct = FILE
            .replace("controller", "workload = { load = \"30 %\", sizes = \"web\" }\ncontroller");
        let direct =
            parse_with(&direct, "t.toml", &Overrides::default(), None, &|_| Ok(String::new()))
                .expect("a scenario");
        assert_eq!(
            read(&Overrides { workload: vec![workload("web")], ..Overrides::default() }),
            direct
        );
        assert_eq!(Overrides::default().applied(FILE, "t.toml").expect("unchanged"), FILE);
    }

    #[test]
    fn several_are_an_axis() {
        let overrides = Overrides {
            path: texts(&["lte", "wifi"]),
            queue: texts(&["fifo", "codel"]),
            workload: vec![workload("bulk"), workload("{ size = \"1 MB\" }")],
            ..Overrides::default()
        };
        let sweep = Sweep::parse(FILE, "t.toml", &Changes { overrides, ..Changes::default() })
            .expect("a sweep");
        let labels: Vec<Vec<String>> = sweep.axes().iter().map(|axis| axis.labels()).collect();
        assert_eq!(
            labels,
            [
                texts(&["lte", "wifi"]),
                texts(&["fifo", "codel"]),
                texts(&["bulk", "{ size = \"1 MB\" }"])
            ]
        );
        sweep.check(&|_| Ok(String::new())).unwrap_or_else(|error| panic!("{}", error.short()));
        let again =
            Sweep::parse(sweep.text(), "t.toml", &Changes::default()).expect("the same sweep");
        assert_eq!(again.axes().len(), 3);
    }

    #[test]
    fn one_takes_the_place_of_an_axis() {
        let swept = format!(
            "{FILE}[sweep]\nqueue = [\"fifo\", \"codel\"]\nduration = [\"1 s\", \"2 s\"]\n"
        );
        let overrides = Overrides { queue: texts(&["fq-codel"]), ..Overrides::default() };
        let sweep = Sweep::parse(&swept, "t.toml", &Changes { overrides, ..Changes::default() })
            .expect("a sweep");
        assert_eq!(
            sweep.axes().iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>(),
            ["duration"]
        );
    }

    #[test]
    fn what_would_have_no_effect_is_refused() {
        let refused = |text: &str, overrides: Overrides| {
            overrides.applied(text, "t.toml").expect_err("refused")
        };
        let path = || Overrides { path: texts(&["lte"]), ..Overrides::default() };
        let axis = format!("{FILE}[sweep]\nlink.l.buffer = [\"1 bdp\", \"2 bdp\"]\n");
        assert!(refused(&axis, path()).message().contains("--path replaces"));
        let queues = format!("{FILE}[sweep]\n\"link.l.queue\" = [\"fifo\", \"codel\"]\n");
        assert!(
            refused(&queues, Overrides { queue: texts(&["codel"]), ..Overrides::default() })
                .message()
                .contains("--queue replaces")
        );
        let other = format!("{FILE}[[flow]]\nfrom = \"b\"\nto = \"a\"\ncontroller = \"bbr\"\n");
        assert!(refused(&other, path()).message().contains("from \"b\" to \"a\""));
        assert!(
            "wbe"
                .parse::<NamedWorkload>()
                .is_err_and(|error| error.contains("did you mean \"web\""))
        );
    }
}
