//! Invariants of every run: nothing is faster than its links, packets neither appear nor vanish,
//! and numbers are in range.

mod packets;
mod speed;
mod volume;

use narrows_measure::Record;
use narrows_measure::metrics::{METRICS, Metric};
use narrows_scenario::{Icn, Scenario};
use narrows_units::Time;
use serde_json::Value;

/// Relative tolerance for rounding of floats.
const EPSILON: f64 = 1e-9;
/// Metrics with an upper bound.
const BOUNDED: [(&str, f64); 6] = [
    ("utilisation", 100.0),
    ("utilisation_min", 100.0),
    ("jain", 1.0),
    ("buffer_max", 100.0),
    ("late_frames", 100.0),
    ("ecn_marked", 100.0),
];
/// Metrics that may be negative: a delay is measured against a delay that may have changed.
const SIGNED: [&str; 1] = ["self_inflicted"];

/// Checks the metrics in a `summary.json` against their ranges. An error names the metric.
pub fn of_summary(text: &str) -> Result<(), String> {
    let summary: Value =
        serde_json::from_str(text).map_err(|error| format!("summary.json is no JSON: {error}"))?;
    for case in summary["cases"].as_array().ok_or("summary.json has no cases")? {
        for metric in METRICS {
            let values = case["metrics"][metric.name]["values"].as_array().into_iter().flatten();
            values.filter_map(Value::as_f64).try_for_each(|value| possible(metric, value))?;
        }
    }
    Ok(())
}

fn possible(metric: &Metric, value: f64) -> Result<(), String> {
    let (name, unit) = (metric.name, metric.unit);
    let most =
        BOUNDED.iter().find(|(bounded, _)| *bounded == name).map_or(f64::MAX, |(_, most)| *most);
    let least = if SIGNED.contains(&name) { f64::MIN } else { 0.0 };
    if (least..=most * (1.0 + EPSILON)).contains(&value) {
        Ok(())
    } else {
        Err(format!("{name} is {value} {unit}"))
    }
}

/// Returns the violated invariants of a run, in words.
pub fn broken(scenario: &Scenario, record: &Record) -> Vec<String> {
    let mut checks = Checks { scenario, record, broken: Vec::new() };
    checks.metrics();
    checks.links();
    checks.flows();
    checks.in_the_network();
    checks.capacity();
    match &scenario.icn {
        Some(icn) => checks.data(icn),
        None => {
            checks.carried();
            checks.goodput();
        }
    }
    checks.delays();
    checks.slowdowns();
    checks.times();
    checks.broken
}

struct Checks<'a> {
    scenario: &'a Scenario,
    record: &'a Record,
    broken: Vec<String>,
}

impl Checks<'_> {
    fn hold(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(otherwise());
        }
    }

    fn metrics(&mut self) {
        let values =
            METRICS.iter().filter_map(|metric| Some((metric, (metric.compute)(self.record)?)));
        self.broken.extend(values.filter_map(|(metric, value)| possible(metric, value).err()));
    }

    fn times(&mut self) {
        let end = Time::ZERO + self.record.duration;
        let samples =
            self.record.flows.iter().flat_map(|flow| flow.samples.iter().map(|sample| sample.at));
        let samples = samples.chain(
            self.record.links.iter().flat_map(|link| link.samples.iter().map(|sample| sample.at)),
        );
        let events = self.record.changes.iter().map(|change| change.at).chain(
            self.record.flows.iter().flat_map(|flow| [Some(flow.start), flow.end]).flatten(),
        );
        let transfers = self
            .record
            .flows
            .iter()
            .filter_map(|flow| flow.transfers.as_ref())
            .flat_map(|transfers| &transfers.list);
        let late = samples
            .chain(events)
            .chain(transfers.map(|transfer| transfer.start + transfer.took))
            .find(|at| *at > end);
        self.hold(late.is_none(), || format!("something is at {late:?}, after the end of the run"));
    }
}

/// True if Data may come from a cache, or if an Interest may be answered by Data for another
/// consumer.
fn answers_on_the_way(icn: &Icn) -> bool {
    icn.cache > 0
        || icn.consumers.iter().any(|consumer| consumer.content.is_some())
        || icn.requests.iter().any(|request| request.catalogue.is_some())
}
