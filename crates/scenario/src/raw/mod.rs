//! A scenario file, unchecked. Comments become descriptions in the JSON Schema.

pub(crate) mod change;
pub(crate) mod flow;
pub(crate) mod link;
pub(crate) mod transport;

use crate::graph::RawGraph;
use crate::icn::{RawConsumer, RawIcn, RawPrefix, RawRequest};
use crate::paper::raw::{RawClaim, RawFigure, RawLive, RawPlot, RawQuick, Unread};
use crate::text::{At, Quantity};
use change::RawChange;
use flow::RawFlow;
use link::RawLink;
use narrows_units::Span;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use transport::RawTransport;

/// A network and its traffic. Quantities are strings with their unit: "100 Mbit/s", "30 ms", "750 kB".
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Scenario")]
pub(crate) struct RawScenario {
    /// What reports call it. Default: the name of the file.
    pub name: Option<At<String>>,
    /// A named path between the nodes "sender" and "receiver", whose links are added to those of this file (`narrows list paths`).
    pub path: Option<At<String>>,
    /// A random information-centric network that is added to this file's.
    pub graph: Option<At<RawGraph>>,
    /// Fixes every random draw. Default: 1.
    pub seed: Option<u64>,
    /// How long it runs.
    pub duration: At<Quantity<Span>>,
    /// Statistics leave out what happens before this. Default: "0 s".
    pub warmup: Option<At<Quantity<Span>>>,
    /// Time between samples of the series. Default: about a 600th of the duration, at least 1 ms; more where flows and links together would
    /// have more than a million samples.
    pub sample: Option<At<Quantity<Span>>>,
    /// Hosts delay each sending by a random time, up to one packet time of the slowest link of the route, because exactly periodic senders
    /// lock their phases at drop-tail queues. Default: true.
    pub send_overhead: Option<bool>,
    /// Hosts and routers. May be left out altogether: then the ends of the links are the nodes.
    #[serde(default)]
    pub node: Vec<RawNode>,
    /// Links.
    #[serde(default)]
    pub link: Vec<At<RawLink>>,
    /// Settings of every flow's transport that the flow does not set itself.
    pub transport: Option<At<RawTransport>>,
    /// Traffic.
    #[serde(default)]
    pub flow: Vec<At<RawFlow>>,
    /// Makes the network information-centric: instead of flows there are prefixes, consumers and requests.
    pub icn: Option<At<RawIcn>>,
    /// What can be asked for, and who answers.
    #[serde(default)]
    pub prefix: Vec<At<RawPrefix>>,
    /// Who asks for one content.
    #[serde(default)]
    pub consumer: Vec<At<RawConsumer>>,
    /// Contents asked for at random.
    #[serde(default)]
    pub request: Vec<At<RawRequest>>,
    /// What changes during the run.
    #[serde(default)]
    pub change: Vec<At<RawChange>>,
    /// The queue discipline of the bottleneck, in both directions: of the only link that has a rate or a trace, whichever it has of its own.
    pub queue: Option<At<String>>,
    /// A file of recorded capacity for the bottleneck, instead of its rate: of the only link that has one. Its way back keeps its rate.
    pub trace: Option<At<String>>,
    /// Values that vary, for `narrows sweep`: the path of a value, such as "link.bottleneck.rate", and a list of values, or a range
    /// { from, to, step } or { from, to, count, log }; `seeds` for so many seeds.
    pub sweep: Option<At<RawSweep>>,
    /// Bands in which metrics of the run should lie, by the metric's name and in its unit.
    #[serde(default)]
    pub expect: BTreeMap<At<String>, At<RawBand>>,
    /// The figure of a paper that this is, for `narrows reproduce`; no other command reads it, nor what follows.
    #[serde(rename = "figure")]
    _figure: Option<Unread<RawFigure>>,
    /// What `narrows reproduce --quick` changes: values of the scenario by their paths, and axes of the sweep.
    #[serde(rename = "quick")]
    _quick: Option<Unread<RawQuick>>,
    /// What `narrows reproduce --live` changes: values of the scenario by their paths, and axes of the sweep.
    #[serde(rename = "live")]
    _live: Option<Unread<RawLive>>,
    /// Plots of the figure.
    #[serde(rename = "plot")]
    _plot: Option<Unread<Vec<RawPlot>>>,
    /// What the paper states about the figure, and what would show that it holds.
    #[serde(rename = "claim")]
    _claim: Option<Unread<Vec<RawClaim>>>,
}

/// Axes. They are read from the document itself, because any value can be one.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "Sweep", with = "BTreeMap<String, serde_json::Value>")]
pub(crate) struct RawSweep;

impl<'de> Deserialize<'de> for RawSweep {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RawSweep, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| RawSweep)
    }
}

/// A host or router.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Node")]
pub(crate) struct RawNode {
    /// Its name.
    pub name: At<String>,
}

/// A band with a lower end, an upper end or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Band")]
pub(crate) struct RawBand {
    /// The least value that is as expected.
    pub min: Option<At<f64>>,
    /// The greatest value that is as expected.
    pub max: Option<At<f64>>,
}
