//! Numbers of a run that rules ask for.

use crate::measures::MEASURES;
use narrows_measure::Record;
use narrows_measure::metrics::{METRICS, Metric, starved_flows};
use narrows_params::suggest;
use narrows_units::Time;

/// A number of a run: a metric of all or some flows, over the run after warm-up or over a part of
/// it.
#[derive(Clone, Debug)]
pub struct Number {
    /// The metric, one of [`METRICS`] or of [`MEASURES`].
    pub metric: &'static Metric,
    /// Prefix of the names of the flows that it is computed from; all flows if empty.
    pub of: String,
    /// Start and end of the part; `None` for the time from the end of warm-up to the end.
    pub window: Option<(Time, Time)>,
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.metric.name == other.metric.name && self.of == other.of && self.window == other.window
    }
}

/// Returns the metric of a name.
///
/// # Errors
///
/// There is no such metric. The text suggests a similar name.
pub(crate) fn metric(name: &str) -> Result<&'static Metric, String> {
    let mut all = METRICS.iter().chain(MEASURES);
    let help =
        || suggest(name, "metrics", METRICS.iter().chain(MEASURES).map(|metric| metric.name));
    all.find(|metric| metric.name == name)
        .ok_or_else(|| format!("there is no metric \"{name}\"; {}", help()))
}

impl Number {
    /// Computes the number; `None` if it is undefined, for example for flows that the run does not
    /// have.
    pub fn value(&self, record: &Record) -> Option<f64> {
        let part = self.window.map(|(from, to)| record.between(from, to));
        let record = part.as_ref().unwrap_or(record);
        let chosen = |name: &str| name.starts_with(&self.of);
        let value = if self.of.is_empty() {
            (self.metric.compute)(record)
        } else if self.metric.name == "starved" {
            // Shares of capacity are shares among all flows.
            let own = record
                .flows
                .iter()
                .zip(starved_flows(record)?)
                .filter(|(flow, _)| chosen(&flow.name));
            own.filter_map(|(_, time)| time).reduce(f64::max)
        } else {
            let names: Vec<&str> = record
                .flows
                .iter()
                .map(|flow| flow.name.as_str())
                .filter(|name| chosen(name))
                .collect();
            if names.is_empty() { None } else { (self.metric.compute)(&record.only(&names)) }
        };
        value.filter(|value| value.is_finite())
    }

    /// Returns the amount that is added to both sides of a comparison of lost or late shares, so
    /// that 0.001 % compared with zero does not count as harm. The value is our choice.
    pub fn floor(&self) -> f64 {
        match self.metric.name {
            "loss" | "retransmitted" | "late_frames" => 0.01,
            _ => 0.0,
        }
    }

    /// Describes the number: "goodput of short, 10 s to 20 s".
    pub fn text(&self) -> String {
        let of = if self.of.is_empty() { String::new() } else { format!(" of {}", self.of) };
        let span = |time: Time| time.since(Time::ZERO);
        let window = self
            .window
            .map_or_else(String::new, |(from, to)| format!(", {} to {}", span(from), span(to)));
        format!("{}{of}{window}", self.metric.name)
    }
}
