//! The network of a scenario without its traffic, as values for an axis of a sweep.

use crate::bottleneck;
use crate::check;
use crate::error::{Checked, Problem, ScenarioError};
use crate::files::{read_named, scenario_text};
use crate::raw::RawScenario;
use crate::raw::flow::RawFlow;
use crate::text::At;
use crate::whole::read_appended;
use narrows_units::Span;
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Key, TableLike, Value};

/// Names of the nodes at the ends of the traffic in [`NetworkTables`].
pub const ENDS: [&str; 2] = ["sender", "receiver"];

/// The network of a scenario, without its flows. The nodes at the ends of the flows are renamed to
/// `sender` and `receiver`.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkTables {
    /// `[[link]]`, `[[change]]` and `[transport]` as TOML on one line. Names of traces are relative
    /// to the working directory.
    link: String,
    change: Vec<(Span, String)>,
    transport: String,
    /// True if hosts delay each sending by a random time.
    send_overhead: bool,
    /// Length of the run.
    pub duration: Span,
    /// Length of the warm-up.
    pub warmup: Span,
}

impl NetworkTables {
    /// Keys of the scenario that [`values`](NetworkTables::values) sets, as the path of an axis.
    pub const KEYS: &str = "link, change, transport, send_overhead, duration, warmup";

    /// Reads the network of a scenario file.
    ///
    /// # Errors
    /// The file is not a scenario, or its network cannot carry other traffic: a flow has no
    /// controller or has a route, flows have different ends, a change is of a flow, or the network
    /// is information-centric.
    pub fn load(path: &Path) -> Result<NetworkTables, ScenarioError> {
        let file = path.display().to_string();
        let text = scenario_text(path).map_err(|error| ScenarioError::unreadable(&file, &error))?;
        NetworkTables::parse(&text, &file, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads the network from the text of a scenario. Traces are relative to `folder`; errors call
    /// the text `file`.
    ///
    /// # Errors
    /// The errors of [`load`](NetworkTables::load).
    pub fn parse(text: &str, file: &str, folder: &Path) -> Result<NetworkTables, ScenarioError> {
        let mut whole = text.to_owned();
        let checked = read_appended(&mut whole).and_then(|mut raw| {
            let mut document: DocumentMut = whole.parse().expect("it was read before");
            bottleneck::write_out(&raw, &mut document)?;
            bottleneck::resolve(&mut raw)?;
            let scenario = check::check(&mut raw, file, &|name| read_named(&folder.join(name)))?;
            let ends = network_ends(&raw)?;
            let tables = tables(document, &ends, folder);
            Ok(NetworkTables {
                send_overhead: scenario.send_overhead,
                duration: scenario.duration,
                warmup: scenario.warmup,
                ..tables
            })
        });
        checked.map_err(|problem| ScenarioError::new(*problem, file, &whole))
    }

    /// Writes the values of [`KEYS`](NetworkTables::KEYS), as TOML on one line. Leaves out changes
    /// after the end of the run.
    pub fn values(&self) -> String {
        let changes: Vec<&str> = self
            .change
            .iter()
            .filter(|(at, _)| *at < self.duration)
            .map(|(_, change)| change.as_str())
            .collect();
        format!(
            "[{}, [{}], {}, {}, \"{}\", \"{}\"]",
            self.link,
            changes.join(", "),
            self.transport,
            self.send_overhead,
            self.duration,
            self.warmup
        )
    }

    /// Writes a scenario file with this network and a flow that `controller` drives.
    pub fn to_toml(&self, controller: &str) -> String {
        let changes: String =
            self.change.iter().map(|(_, change)| format!("  {change},\n")).collect();
        format!(
            "duration = \"{}\"\nwarmup = \"{}\"\nsend_overhead = {}\nlink = {}\nchange = [\n{changes}]\ntransport = {}\n\n\
             [[flow]]\nfrom = \"{}\"\nto = \"{}\"\ncontroller = {}\n",
            self.duration,
            self.warmup,
            self.send_overhead,
            self.link,
            self.transport,
            ENDS[0],
            ENDS[1],
            Value::from(controller),
        )
    }
}

/// Returns the nodes between which all flows run. Refuses a network that cannot carry other
/// traffic.
fn network_ends(raw: &RawScenario) -> Checked<[String; 2]> {
    const OTHER: &str = "give a copy of the file without it: a scorecard brings its own traffic";
    if let Some(flow) = raw.change.iter().find_map(|change| change.value.flow.as_ref()) {
        return Err(Problem::at(&flow.span, "this change is of a flow, not of the network", OTHER));
    }
    if let Some(flow) = raw.flow.iter().find(|flow| flow.value.controller.is_none()) {
        return Err(Problem::at(
            &flow.span,
            "this flow has no controller, so no contender drives it",
            OTHER,
        ));
    }
    let first = ends(raw)?;
    let taken =
        |end: &&At<String>| ENDS.contains(&end.value.as_str()) && !first.contains(&end.value);
    let mut named = raw.link.iter().flat_map(|link| {
        link.value
            .between
            .iter()
            .flat_map(|ends| &ends.value)
            .chain(&link.value.from)
            .chain(&link.value.to)
    });
    match named.find(taken) {
        Some(end) => Err(Problem::at(
            &end.span,
            format!("traffic does not begin or end at this node \"{}\"", end.value),
            "give it another name",
        )),
        None => Ok(first),
    }
}

/// Returns the nodes between which all flows run.
pub(crate) fn ends(raw: &RawScenario) -> Checked<[String; 2]> {
    if let Some(icn) = &raw.icn {
        return Err(Problem::at(
            &icn.span,
            "this network is information-centric: it has no flows",
            "compare on it with narrows compare --icn",
        ));
    }
    let pair = |flow: &At<RawFlow>| [flow.value.from.value.clone(), flow.value.to.value.clone()];
    let Some(first) = raw.flow.first().map(pair) else {
        return Err(Problem::at(
            &raw.duration.span,
            "this file has no flow, so it does not say between which nodes traffic runs",
            "add a [[flow]]",
        ));
    };
    for flow in &raw.flow {
        let own = &flow.value;
        if let Some(route) = own.route.as_ref().or(own.back.as_ref()) {
            let help = "give a copy of the file without routes: traffic takes the fewest hops";
            return Err(Problem::at(&route.span, "this flow has a route of its own", help));
        }
        if pair(flow) != first {
            let message = format!(
                "this flow runs from \"{}\" to \"{}\", another from \"{}\" to \"{}\"",
                pair(flow)[0],
                pair(flow)[1],
                first[0],
                first[1]
            );
            return Err(Problem::at(
                &flow.span,
                message,
                "give a copy of the file in which all flows have the same two ends",
            ));
        }
    }
    Ok(first)
}

fn tables(mut document: DocumentMut, ends: &[String; 2], folder: &Path) -> NetworkTables {
    for link in each(document.get_mut("link")) {
        for key in ["from", "to"] {
            link.get_mut(key)
                .and_then(Item::as_value_mut)
                .into_iter()
                .for_each(|end| rename(end, ends));
        }
        let between = link.get_mut("between").and_then(Item::as_array_mut);
        between.into_iter().flat_map(Array::iter_mut).for_each(|end| rename(end, ends));
        beside(link, folder);
        link.get_mut("back")
            .and_then(Item::as_table_like_mut)
            .into_iter()
            .for_each(|back| beside(back, folder));
    }
    let at = |change: &dyn TableLike| {
        change.get("at").and_then(Item::as_str).and_then(|at| at.parse().ok()).unwrap_or(Span::ZERO)
    };
    let written =
        |item: Option<&Item>, empty: &str| item.map_or_else(|| empty.to_owned(), self::written);
    let change = each(document.get_mut("change"))
        .into_iter()
        .map(|change| (at(change), table(change)))
        .collect();
    NetworkTables {
        link: written(document.get("link"), "[]"),
        change,
        transport: written(document.get("transport"), "{}"),
        send_overhead: true,
        duration: Span::ZERO,
        warmup: Span::ZERO,
    }
}

/// Returns the tables of a list of tables, in either notation of TOML.
fn each(list: Option<&mut Item>) -> Vec<&mut dyn TableLike> {
    match list {
        Some(Item::ArrayOfTables(list)) => {
            list.iter_mut().map(|table| table as &mut dyn TableLike).collect()
        }
        Some(Item::Value(Value::Array(list))) => list
            .iter_mut()
            .filter_map(Value::as_inline_table_mut)
            .map(|table| table as &mut dyn TableLike)
            .collect(),
        _ => Vec::new(),
    }
}

fn rename(end: &mut Value, ends: &[String; 2]) {
    if let Some(place) = ends.iter().position(|own| end.as_str() == Some(own)) {
        *end = Value::from(ENDS[place]);
    }
}

/// Makes the trace of a link relative to the working directory.
fn beside(link: &mut dyn TableLike, folder: &Path) {
    if let Some(trace) = link.get_mut("trace").and_then(Item::as_value_mut)
        && let Some(name) = trace.as_str()
    {
        *trace = Value::from(folder.join(name).display().to_string());
    }
}

fn written(item: &Item) -> String {
    match item {
        Item::None => String::new(),
        Item::Value(value) => written_value(value),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(list) => listed(list.iter().map(|inner| table(inner))),
    }
}

fn written_value(value: &Value) -> String {
    match value {
        Value::Array(list) => listed(list.iter().map(written_value)),
        Value::InlineTable(inner) => table(inner),
        other => other.clone().decorated("", "").to_string(),
    }
}

fn table(table: &dyn TableLike) -> String {
    let keys: Vec<String> =
        table.iter().map(|(key, item)| format!("{} = {}", Key::new(key), written(item))).collect();
    if keys.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", keys.join(", ")) }
}

fn listed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<NetworkTables, ScenarioError> {
        NetworkTables::parse(text, "network.toml", Path::new("folder"))
    }

    const NETWORK: &str = "duration = \"20 s\"\nwarmup = \"2 s\"\n\n# The link.\n[[link]]\nname = \"l\" # with a comment\nbetween = [\"left\", \"right\"]\n\
                           rate = \"10 Mbit/s\"\nback.rate = \"1 Mbit/s\"\n\n[[change]]\nlink = \"l\"\nat = \"8 s\"\nrate = \"5 Mbit/s\"\n\n\
                           [[flow]]\nfrom = \"left\"\nto = \"right\"\ncontroller = \"cubic\"\n";

    #[test]
    fn a_network_in_values() {
        let mut tables = of(NETWORK).expect("a network");
        let link = "[{ name = \"l\", between = [\"sender\", \"receiver\"], rate = \"10 Mbit/s\", back = { rate = \"1 Mbit/s\" } }]";
        let change = "{ link = \"l\", at = \"8 s\", rate = \"5 Mbit/s\" }";
        assert_eq!(tables.values(), format!("[{link}, [{change}], {{}}, true, \"20 s\", \"2 s\"]"));
        let again = of(&tables.to_toml("bbr")).expect("the same network");
        assert_eq!(again, tables);
        // A short run ends before the change.
        tables.duration = Span::from_secs(8);
        assert_eq!(tables.values(), format!("[{link}, [], {{}}, true, \"8 s\", \"2 s\"]"));
    }

    #[test]
    fn networks_that_cannot_carry_other_traffic() {
        let flow = "[[flow]]\nfrom = \"right\"\nto = \"left\"\n";
        for (text, says) in [
            (format!("{NETWORK}{flow}workload = {{ rate = \"1 Mbit/s\" }}\n"), "no controller"),
            (format!("{NETWORK}{flow}controller = \"cubic\"\n"), "from \"right\" to \"left\""),
            (format!("{NETWORK}route = [\"l\"]\n"), "a route of its own"),
            (
                format!("{NETWORK}[[link]]\nname = \"m\"\nbetween = [\"right\", \"sender\"]\n"),
                "does not begin or end at this node",
            ),
        ] {
            let error = of(&text).expect_err(says);
            assert!(error.message().contains(says), "{}", error.message());
            assert!(error.line().is_some() && !error.remedy().is_empty(), "{}", error.message());
        }
    }

    #[test]
    fn every_path_is_a_network() {
        for path in crate::PATHS {
            let tables =
                NetworkTables::parse(path.text, path.name, Path::new("")).expect("a network");
            let scenario = path.scenario();
            assert_eq!(
                (tables.duration, tables.warmup),
                (scenario.duration, scenario.warmup),
                "{}",
                path.name
            );
        }
    }
}
