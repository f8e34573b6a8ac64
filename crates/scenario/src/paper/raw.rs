//! The tables of a figure file, before they are checked. Comments become descriptions in the JSON
//! Schema.

use super::places::{RawNames, RawPlaces, RawThan};
use crate::text::{At, Quantity};
use narrows_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// `paper.toml`: a document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPaper {
    pub title: String,
    pub authors: String,
    pub published: String,
    pub about: String,
}

/// A figure file without its scenario.
#[derive(Debug, Deserialize)]
pub(super) struct RawFile {
    pub figure: At<RawFigure>,
    pub quick: Option<At<RawQuick>>,
    pub live: Option<At<RawLive>>,
    #[serde(default)]
    pub plot: Vec<At<RawPlot>>,
    #[serde(default)]
    pub claim: Vec<At<RawClaim>>,
}

/// Description of the figure of a paper, for `narrows reproduce`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Figure")]
pub(crate) struct RawFigure {
    /// Title of the figure, in a few words.
    pub title: String,
    /// Place of the figure in the document.
    pub source: String,
    /// Set-up as the document describes it, and the parts that are our own choice.
    pub about: String,
    /// Position among the figures of the paper. Default: 0. Figures at the same position are
    /// ordered by file name.
    #[serde(default)]
    pub order: i64,
}

/// Changes for `narrows reproduce --live`, which runs the figure on the kernel: values of the
/// scenario by their paths, and axes of `[sweep]` under `sweep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Live")]
pub(crate) struct RawLive {
    /// Differences on the kernel, and why the claims can be seen in spite of them.
    pub why: Option<At<String>>,
    /// Further changes with `--quick`.
    pub quick: Option<At<RawQuick>>,
    /// Axes that replace the axes of the same name. `seeds` is the number of seeds.
    #[serde(rename = "sweep")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    _sweep: Option<IgnoredAny>,
}

/// Changes for `narrows reproduce --quick`: values of the scenario by their paths, and axes of
/// `[sweep]` under `sweep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Quick")]
pub(crate) struct RawQuick {
    /// Scaled values, and why the claims can be seen in spite of the scaling.
    pub why: Option<At<String>>,
    /// Axes that replace the axes of the same name. `seeds` is the number of seeds.
    #[serde(rename = "sweep")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    _sweep: Option<IgnoredAny>,
}

/// A plot: `x` and `y` over the cells of a sweep, `trace` over the time of one run, or the `cdf` of
/// a metric over cells.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plot")]
pub(crate) struct RawPlot {
    /// Title of the plot.
    pub title: String,
    /// Axis of the sweep along the x axis.
    pub x: Option<At<String>>,
    /// Metric along the y axis.
    pub y: Option<At<String>>,
    /// Metric whose distribution over cells is drawn.
    pub cdf: Option<At<String>>,
    /// Quantity that is drawn over time.
    pub trace: Option<At<String>>,
    /// Axis, or axes, of the sweep with a line for each value.
    pub lines: Option<RawNames>,
    /// Cells that are drawn, written as in a claim.
    pub at: Option<At<RawPlaces>>,
    /// Part of the run over which the metric is computed: its beginning and its end.
    pub window: Option<At<Vec<Quantity<Span>>>>,
    /// Flows from which the metric is computed; of a trace, the flows that are drawn.
    pub flows: Option<RawNames>,
    /// Link of a trace of queue, utilisation, loss, rate or shaper. Default: the bottleneck.
    pub link: Option<At<String>>,
    /// Logarithmic axes: "x", "y" or "xy".
    pub log: Option<At<String>>,
    /// Title of the x axis. Default: the axis of the sweep in words, with its unit:
    /// "Loss of bottleneck, %".
    pub x_title: Option<String>,
    /// Title of the y axis. Default: the metric with its unit.
    pub y_title: Option<String>,
    /// Changes with `--quick`.
    pub quick: Option<At<RawPlotQuick>>,
}

/// Changes of a plot with `--quick`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlotQuick")]
pub(crate) struct RawPlotQuick {
    /// Cells that are drawn.
    pub at: Option<At<RawPlaces>>,
    /// Part of the run over which the metric is computed: its beginning and its end.
    pub window: Option<At<Vec<Quantity<Span>>>>,
}

/// A statement of the document, with the bounds within which it holds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Claim")]
pub(crate) struct RawClaim {
    /// The statement, in our words.
    pub says: String,
    /// Name of the statement in `statements.toml` that the claim judges. Default: none, for a claim
    /// of our own.
    pub statement: Option<At<String>>,
    /// Number or words in the document.
    pub published: String,
    /// Place in the document.
    pub source: String,
    /// Metric by which the claim is judged.
    pub metric: At<String>,
    /// Cells that are judged: for each axis of the sweep a label or a list of labels. An axis that
    /// is left out means all its values.
    pub at: Option<At<RawPlaces>>,
    /// Part of the run over which the metric is computed: its beginning and its end. Default: from
    /// the end of the warm-up.
    pub window: Option<At<Vec<Quantity<Span>>>>,
    /// Flows from which the metric is computed. Default: all.
    pub flows: Option<RawNames>,
    /// Link that the metric takes as the bottleneck. Default: the metric chooses it.
    pub link: Option<At<String>>,
    /// Comparison with another cell, which differs from the judged cell in the axes given here.
    /// `flows`, `link`, `window` and `metric` of the other cell can be given as well.
    pub than: Option<At<RawThan>>,
    /// Kind of comparison. Default: "ratio".
    pub by: Option<RawBy>,
    /// Rule that combines several cells. Default: "worst".
    pub over: Option<RawOver>,
    /// Rule that combines the values of a cell's seeds. Default: "mean".
    pub seeds: Option<RawSeeds>,
    /// Least value with which the claim holds.
    pub min: Option<At<f64>>,
    /// Greatest value with which the claim holds.
    pub max: Option<At<f64>>,
    /// Reason for these bounds.
    pub tolerance: String,
    /// Evidence in the document: a number, or only an ordering. Default: "number".
    pub judged: Option<RawJudged>,
    /// Short reason why the claim is known not to hold.
    pub known: Option<String>,
    /// Reason why the kernel's value differs by more than 15 % from the simulator's value.
    pub apart: Option<String>,
    /// Changes with `--quick`.
    pub quick: Option<At<RawClaimChange>>,
    /// Judges the claim on the kernel too, with these changes. A claim whose cells name a world is
    /// judged on the kernel only.
    pub live: Option<At<RawClaimChange>>,
}

/// Changes of a claim with `--quick` or `--live`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClaimChange")]
pub(crate) struct RawClaimChange {
    /// Cells that are judged.
    pub at: Option<At<RawPlaces>>,
    /// Part of the run over which the metric is computed: its beginning and its end.
    pub window: Option<At<Vec<Quantity<Span>>>>,
    /// Flows from which the metric is computed.
    pub flows: Option<RawNames>,
    /// Comparison with another cell.
    pub than: Option<At<RawThan>>,
    /// Least value with which the claim holds.
    pub min: Option<At<f64>>,
    /// Greatest value with which the claim holds.
    pub max: Option<At<f64>>,
    /// Reason for these bounds.
    pub tolerance: Option<String>,
    /// Reason why the claim is known not to hold; "" if it holds with these changes.
    pub known: Option<String>,
}

/// Comparison of two values.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "By")]
pub(crate) enum RawBy {
    /// The claim's value divided by the other value.
    Ratio,
    /// The claim's value minus the other value.
    Difference,
}

/// Rule that combines several cells.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Over")]
pub(crate) enum RawOver {
    /// The cell that is farthest outside the bounds.
    Worst,
    /// The mean of the cells.
    Mean,
    /// The median of the cells.
    Median,
}

/// Rule that combines the values of a cell's seeds.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Seeds")]
pub(crate) enum RawSeeds {
    /// The mean of the seeds.
    Mean,
    /// The median of the seeds.
    Median,
    /// The lower quartile of the seeds: a quarter of the values is below it.
    LowerQuartile,
    /// The upper quartile of the seeds: a quarter of the values is above it.
    UpperQuartile,
}

/// Evidence in the document.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Judged")]
pub(crate) enum RawJudged {
    /// A number.
    Number,
    /// An ordering of the compared values.
    Ordering,
}

/// A table that the scenario reader ignores. The JSON Schema describes it as `T`.
#[derive(Debug)]
pub(crate) struct Unread<T>(PhantomData<T>);

impl<'de, T> Deserialize<'de> for Unread<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unread<T>, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Unread(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Unread<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
