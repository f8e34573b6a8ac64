//! Networks that tests share.
#![allow(dead_code)]

use narrows_control::{ENTRIES, Entry};
use narrows_measure::{LinkRecord, Record};
use narrows_path::DISCIPLINES;
use narrows_scenario::Scenario;

/// A scenario from its text.
pub fn scenario(text: &str) -> Scenario {
    narrows_scenario::parse(text, "test.toml", &|path| std::fs::read_to_string(path))
        .unwrap_or_else(|error| panic!("{}\n{text}", error.short()))
}

/// Runs the text of a scenario.
pub fn run(text: &str) -> Record {
    narrows_sim::run(&scenario(text)).expect("the simulator runs it")
}

/// Controllers that need nothing of routers.
pub fn ends_alone() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().copied().filter(|entry| queue_for(entry).is_empty())
}

/// The further line for a link that gives a controller what it needs of routers, in the code points
/// that it knows.
pub fn queue_for(entry: &Entry) -> String {
    let gives = |queue: &&&narrows_path::DisciplineEntry| {
        queue.offers.iter().any(|offer| entry.needs.contains(offer))
    };
    let codes = entry
        .params
        .iter()
        .find(|param| param.name == "codes")
        .map_or(String::new(), |param| format!("?codes={}", param.default_text()));
    DISCIPLINES
        .iter()
        .find(gives)
        .map_or(String::new(), |queue| format!("\nqueue = \"{}{codes}\"", queue.name))
}

/// One bottleneck and flows of one controller. `link` and `flow` are further lines for either
/// table.
pub fn one_link(controller: &str, seconds: u32, warmup: u32, link: &str, flow: &str) -> String {
    format!(
        r#"
duration = "{seconds} s"
warmup = "{warmup} s"
sample = "10 ms"
[[link]]
name = "bottleneck"
between = ["left", "right"]
{link}
[[flow]]
name = "flow"
from = "left"
to = "right"
controller = "{controller}"
{flow}
"#
    )
}

/// The data direction's bottleneck.
pub fn bottleneck(record: &Record) -> &LinkRecord {
    record.links.iter().find(|link| link.name == "bottleneck").expect("a bottleneck")
}

/// Departed over possible bytes since the warm-up.
pub fn utilisation(record: &Record) -> f64 {
    let link = bottleneck(record);
    link.steady.departed_bytes.get() as f64 / link.capacity.expect("a finite rate").get() as f64
}

/// The window of the first flow, averaged over time since the warm-up.
pub fn mean_window(record: &Record) -> f64 {
    let samples = record.flows[0]
        .samples
        .iter()
        .filter(|sample| sample.at.since(narrows_units::Time::ZERO) > record.warmup);
    let (sum, count) =
        samples.fold((0.0, 0), |(sum, count), sample| (sum + sample.cwnd, count + 1));
    sum / count as f64
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
