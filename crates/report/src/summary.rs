//! `summary.json`: every metric of every case.

use crate::emulation::EmulationOut;
use crate::{Comparison, Group};
use narrows_measure::Record;
use narrows_measure::metrics::{METRICS, Metric, Summary};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// Version of the layout. It changes when a reader of the old layout would misread the new layout.
pub(crate) const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Whole<'a> {
    format: u32,
    narrows: &'a str,
    title: &'a str,
    remake: &'a str,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overlays: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[Group]>::is_empty")]
    groups: &'a [Group],
    cases: Vec<CaseOut<'a>>,
}

#[derive(Serialize)]
struct CaseOut<'a> {
    label: &'a str,
    scenario: String,
    runs: Vec<RunOut>,
    metrics: Metrics<'a>,
}

/// The data of a run in `summary.json`, without its metrics.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RunOut {
    pub seed: u64,
    pub duration_s: f64,
    pub warmup_s: f64,
    pub interval_s: f64,
    pub events: u64,
    pub hops: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulation: Option<EmulationOut>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icn: Option<IcnOut>,
}

/// The data of an information-centric network in `summary.json`, without its metrics.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IcnOut {
    pub law: Option<String>,
    pub pending: u64,
    pub expired: u64,
    pub cached: u64,
}

#[derive(Serialize)]
struct MetricOut {
    unit: &'static str,
    median: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    values: Vec<Option<f64>>,
}

/// Serialises the metrics as an object, in the order of [`METRICS`].
struct Metrics<'a>(&'a [Record]);

impl Serialize for Metrics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(METRICS.len()))?;
        for metric in METRICS {
            map.serialize_entry(metric.name, &MetricOut::of(metric, self.0))?;
        }
        map.end()
    }
}

impl MetricOut {
    fn of(metric: &Metric, runs: &[Record]) -> MetricOut {
        match Summary::of(metric, runs) {
            Some(Summary { median, interval, values }) => MetricOut {
                unit: metric.unit,
                median: Some(median),
                low: interval.map(|own| own.low),
                high: interval.map(|own| own.high),
                values,
            },
            None => MetricOut {
                unit: metric.unit,
                median: None,
                low: None,
                high: None,
                values: vec![None; runs.len()],
            },
        }
    }
}

impl RunOut {
    fn of(run: &Record) -> RunOut {
        RunOut {
            seed: run.seed,
            duration_s: run.duration.as_secs_f64(),
            warmup_s: run.warmup.as_secs_f64(),
            interval_s: run.interval.as_secs_f64(),
            events: run.events,
            hops: run.hops,
            emulation: run.emulation.as_ref().map(EmulationOut::of),
            icn: run.icn.as_ref().map(|icn| IcnOut {
                law: icn.law.clone(),
                pending: icn.pending,
                expired: icn.expired,
                cached: icn.cached,
            }),
        }
    }
}

/// Returns the text of `summary.json`: all metrics of each case, per seed and summarised, with
/// their units.
pub fn summary_json(comparison: &Comparison) -> String {
    let cases = comparison.cases.iter().enumerate().map(|(index, case)| CaseOut {
        label: &case.label,
        scenario: comparison.scenario_file(index),
        runs: case.runs.iter().map(RunOut::of).collect(),
        metrics: Metrics(&case.runs),
    });
    let whole = Whole {
        format: FORMAT,
        narrows: &comparison.version,
        title: &comparison.title,
        remake: &comparison.remake,
        notes: &comparison.notes,
        baseline: comparison.baseline.as_deref(),
        overlays: comparison.overlays.iter().map(|overlay| overlay.name.as_str()).collect(),
        groups: &comparison.groups,
        cases: cases.collect(),
    };
    let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    text.push('\n');
    text
}
