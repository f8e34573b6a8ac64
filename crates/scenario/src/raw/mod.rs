//! The tables of a scenario file, before they are checked. Comments become descriptions in the JSON
//! Schema.

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

/// A network and its traffic. Quantities are strings with a unit: "100 Mbit/s", "30 ms", "750 kB".
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Scenario")]
pub(crate) struct RawScenario {
    /// Name of the scenario in reports. Default: the name of the file.
    pub name: Option<At<String>>,
    /// Named path between the nodes "sender" and "receiver" (`narrows list paths`). Its links are
    /// added to the links of this file.
    pub path: Option<At<String>>,
    /// Random information-centric network that is added to the network of this file.
    pub graph: Option<At<RawGraph>>,
    /// Seed, which fixes every random draw. Default: 1.
    pub seed: Option<u64>,
    /// Duration of the run.
    pub duration: At<Quantity<Span>>,
    /// Warm-up: statistics leave out everything before this time. Default: "0 s".
    pub warmup: Option<At<Quantity<Span>>>,
    /// Time between samples of the time series. Default: about a 600th of the duration, at least 1
    /// ms, and longer if flows and links together would have more than a million samples.
    pub sample: Option<At<Quantity<Span>>>,
    /// True if hosts delay each transmission by a random time of up to one packet time of the
    /// slowest link of the route. Without the delay, exactly periodic senders lock their phases at
    /// drop-tail queues. Default: true.
    pub send_overhead: Option<bool>,
    /// Hosts and routers. Default: the ends of the links.
    #[serde(default)]
    pub node: Vec<RawNode>,
    /// Links.
    #[serde(default)]
    pub link: Vec<At<RawLink>>,
    /// Transport settings for all flows. A flow can override each of them.
    pub transport: Option<At<RawTransport>>,
    /// Flows: the traffic of the network.
    #[serde(default)]
    pub flow: Vec<At<RawFlow>>,
    /// Makes the network information-centric: it has prefixes, consumers and requests instead of
    /// flows.
    pub icn: Option<At<RawIcn>>,
    /// Name prefixes with their producers.
    #[serde(default)]
    pub prefix: Vec<At<RawPrefix>>,
    /// Consumers, each of one content.
    #[serde(default)]
    pub consumer: Vec<At<RawConsumer>>,
    /// Processes that request contents at random.
    #[serde(default)]
    pub request: Vec<At<RawRequest>>,
    /// Changes during the run.
    #[serde(default)]
    pub change: Vec<At<RawChange>>,
    /// Queue discipline of the bottleneck, in both directions. It overrides the link's own
    /// discipline. The bottleneck is the only link with a rate or a trace.
    pub queue: Option<At<String>>,
    /// File of recorded capacity for the bottleneck, instead of its rate. The reverse direction
    /// keeps its rate. The bottleneck is the only link with a rate or a trace.
    pub trace: Option<At<String>>,
    /// Axes for `narrows sweep`: the path of a value, such as "link.bottleneck.rate", with a list
    /// of values, or with a range { from, to, step } or { from, to, count, log }. `seeds` is the
    /// number of seeds.
    pub sweep: Option<At<RawSweep>>,
    /// Bands in which metrics of the run should lie, by the name of the metric and in its unit.
    #[serde(default)]
    pub expect: BTreeMap<At<String>, At<RawBand>>,
    /// Figure of a paper that this scenario reproduces, for `narrows reproduce`. No other command
    /// reads this table or `quick`, `live`, `plot` and `claim`.
    #[serde(rename = "figure")]
    _figure: Option<Unread<RawFigure>>,
    /// Changes for `narrows reproduce --quick`: values of the scenario by their paths, and axes of
    /// the sweep.
    #[serde(rename = "quick")]
    _quick: Option<Unread<RawQuick>>,
    /// Changes for `narrows reproduce --live`: values of the scenario by their paths, and axes of
    /// the sweep.
    #[serde(rename = "live")]
    _live: Option<Unread<RawLive>>,
    /// Plots of the figure.
    #[serde(rename = "plot")]
    _plot: Option<Unread<Vec<RawPlot>>>,
    /// Statements of the paper about the figure, with the bounds within which they hold.
    #[serde(rename = "claim")]
    _claim: Option<Unread<Vec<RawClaim>>>,
}

/// Axes of a sweep. They are read from the document itself, because any value can be an axis.
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
    /// Name of the node.
    pub name: At<String>,
}

/// A band with a lower bound, an upper bound or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Band")]
pub(crate) struct RawBand {
    /// Least expected value.
    pub min: Option<At<f64>>,
    /// Greatest expected value.
    pub max: Option<At<f64>>,
}
