//! The tables of a figure file, unchecked. Comments become descriptions in the JSON Schema.

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

/// What the figure of a paper is, for `narrows reproduce`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Figure")]
pub(crate) struct RawFigure {
    /// What it shows, in a few words.
    pub title: String,
    /// Where it stands in the document.
    pub source: String,
    /// What the document says of the set-up, and what is ours.
    pub about: String,
    /// Its place among the figures of its paper. Default: 0, and then by the name of the file.
    #[serde(default)]
    pub order: i64,
}

/// What `narrows reproduce --live` changes, which runs the figure on the kernel: values of the scenario by their paths, axes of `[sweep]`
/// under `sweep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Live")]
pub(crate) struct RawLive {
    /// What is different on the kernel, and why the claims can be seen all the same.
    pub why: Option<At<String>>,
    /// What `--quick` changes beyond that.
    pub quick: Option<At<RawQuick>>,
    /// Axes in place of those of the same name; `seeds` for so many seeds.
    #[serde(rename = "sweep")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    _sweep: Option<IgnoredAny>,
}

/// What `narrows reproduce --quick` changes: values of the scenario by their paths, axes of `[sweep]` under `sweep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Quick")]
pub(crate) struct RawQuick {
    /// What is scaled, and why the claims can be seen all the same.
    pub why: Option<At<String>>,
    /// Axes in place of those of the same name; `seeds` for so many seeds.
    #[serde(rename = "sweep")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    _sweep: Option<IgnoredAny>,
}

/// A plot: `x` and `y` over the cells of a sweep, `trace` over the time of one run, or `cdf` of a metric over cells.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plot")]
pub(crate) struct RawPlot {
    /// What it shows.
    pub title: String,
    /// The axis of the sweep that runs along the plot.
    pub x: Option<At<String>>,
    /// The metric drawn over it.
    pub y: Option<At<String>>,
    /// The metric whose distribution over cells is drawn.
    pub cdf: Option<At<String>>,
    /// What is drawn over time.
    pub trace: Option<At<String>>,
    /// The axis, or axes, with a line for each value.
    pub lines: Option<RawNames>,
    /// The cells that are drawn, as in a claim.
    pub at: Option<At<RawPlaces>>,
    /// The metric is computed over this part of the run, from and to.
    pub window: Option<At<Vec<Quantity<Span>>>>,
    /// The metric is computed from these flows; of a trace, only these are drawn.
    pub flows: Option<RawNames>,
    /// The link of a trace of queue, utilisation, loss, rate or shaper. Default: the bottleneck.
    pub link: Option<At<String>>,
    /// Axes drawn logarithmically: "x", "y" or "xy".
    pub log: Option<At<String>>,
    /// What stands along the x axis. Default: the axis of the sweep in words, with its unit: "Loss of bottleneck, %".
    pub x_title: Option<String>,
    /// What stands along the y axis. Default: the metric with its unit.
    pub y_title: Option<String>,
    /// What is different with `--quick`.
    pub quick: Option<At<RawPlotQuick>>,
}

/// What is different about a plot with `--quick`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlotQuick")]
pub(crate) struct RawPlotQuick {
    /// The cells that are drawn.
    pub at: Option<At<RawPlaces>>,
    /// The part of the run.
    pub window: Option<At<Vec<Quantity<Span>>>>,
}

/// A statement of the document, and what would show that it holds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Claim")]
pub(crate) struct RawClaim {
    /// The statement, in our words.
    pub says: String,
    /// The statement of `statements.toml` that it judges, by its name. Default: none, it is one of ours.
    pub statement: Option<At<String>>,
    /// The number, or the words, that the document gives.
    pub published: String,
    /// Where.
    pub source: String,
    /// The metric by which it is judged.
    pub metric: At<String>,
    /// The cells that are judged: for axes of the sweep a label, or a list of labels. An axis that is left out means all its values.
    pub at: Option<At<RawPlaces>>,
    /// The metric is computed over this part of the run, from and to. Default: from the end of the warm-up.
    pub window: Option<At<Vec<Quantity<Span>>>>,
    /// The metric is computed from these flows. Default: all.
    pub flows: Option<RawNames>,
    /// The metric takes this link for the bottleneck. Default: as the metric says.
    pub link: Option<At<String>>,
    /// Compared with: the same cell but for the axes named here, and with `flows`, `link`, `window` and `metric` of its own if these are
    /// named.
    pub than: Option<At<RawThan>>,
    /// How it is compared. Default: "ratio".
    pub by: Option<RawBy>,
    /// How several cells are judged. Default: "worst".
    pub over: Option<RawOver>,
    /// A cell's value of those of its seeds. Default: "mean".
    pub seeds: Option<RawSeeds>,
    /// The least value with which the claim holds.
    pub min: Option<At<f64>>,
    /// The greatest value with which the claim holds.
    pub max: Option<At<f64>>,
    /// Why these bounds.
    pub tolerance: String,
    /// What the document gives to judge by: its number, or an ordering only. Default: "number".
    pub judged: Option<RawJudged>,
    /// Why it is known not to hold, in short.
    pub known: Option<String>,
    /// Why the kernel's value is more than 15 % away from the simulator's.
    pub apart: Option<String>,
    /// What is different with `--quick`.
    pub quick: Option<At<RawClaimChange>>,
    /// The claim is judged on the kernel too, with what is different there. One whose cells name a world is judged on the kernel only.
    pub live: Option<At<RawClaimChange>>,
}

/// What is different about a claim with `--quick` or `--live`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClaimChange")]
pub(crate) struct RawClaimChange {
    /// The cells that are judged.
    pub at: Option<At<RawPlaces>>,
    /// The part of the run.
    pub window: Option<At<Vec<Quantity<Span>>>>,
    /// The flows.
    pub flows: Option<RawNames>,
    /// Compared with.
    pub than: Option<At<RawThan>>,
    /// The least value with which the claim holds.
    pub min: Option<At<f64>>,
    /// The greatest value with which the claim holds.
    pub max: Option<At<f64>>,
    /// Why these bounds.
    pub tolerance: Option<String>,
    /// Why it is known not to hold; "" if it holds so.
    pub known: Option<String>,
}

/// How a value is compared with another.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "By")]
pub(crate) enum RawBy {
    /// Divided by it.
    Ratio,
    /// Less it.
    Difference,
}

/// How several cells are judged.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Over")]
pub(crate) enum RawOver {
    /// By the one that is farthest out.
    Worst,
    /// By their mean.
    Mean,
    /// By their median.
    Median,
}

/// How the values of a cell's seeds are made one.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Seeds")]
pub(crate) enum RawSeeds {
    /// Their mean.
    Mean,
    /// Their median.
    Median,
    /// The value that a quarter of them is below.
    LowerQuartile,
    /// The value that a quarter of them is above.
    UpperQuartile,
}

/// What the document gives to judge by.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Judged")]
pub(crate) enum RawJudged {
    /// A number.
    Number,
    /// An order of what is compared.
    Ordering,
}

/// A table that the scenario reader ignores, described as `T`.
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
