//! Arguments of many runs.

use super::network::Network;
use super::output::Output;
use super::parse::{parse_axis, parse_choice, whole};
use super::words::{pairs, paths, texts};
use crate::shard::Shard;
use clap::Args;
use narrows_control::Choice;
use narrows_report::Column;
use narrows_units::{Depth, Rate, Span};
use serde::Serialize;
use std::path::PathBuf;

/// All combinations of the values in the sweep table of a scenario.
#[derive(Args, Clone, Serialize)]
pub struct Sweep {
    /// Scenario file with a sweep table (see docs/how-to/sweeps.md), or without one if --set gives
    /// the axes
    #[arg(required_unless_present = "resume")]
    #[serde(serialize_with = "paths")]
    pub scenario: Option<PathBuf>,
    /// Add or replace an axis: "link.bottleneck.rate=10 Mbit/s,100 Mbit/s", or a range: "duration={
    /// from = '10 s', ... }"
    #[arg(long, value_name = "PATH=VALUES", value_parser = parse_axis)]
    #[serde(serialize_with = "pairs")]
    pub set: Vec<(String, String)>,
    /// Another network or workload.
    #[command(flatten)]
    #[serde(flatten)]
    pub on: Network,
    /// Number of seeds for each cell [default: 1, or the file's]
    #[arg(long, value_parser = whole::<u32>(1..=100_000))]
    pub seeds: Option<u32>,
    /// Resume the interrupted sweep of this result directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scenario", "set", "seeds", "out", "path", "trace", "queue", "workload", "shard"])]
    #[serde(serialize_with = "paths")]
    pub resume: Option<PathBuf>,
    /// Run only this part: 2/3 is the second of three shards, 8..16 are the runs dealt at these
    /// places; `narrows merge` joins all parts
    #[arg(long, value_name = "I/N", conflicts_with_all = ["metric", "open", "json"])]
    #[serde(serialize_with = "texts")]
    pub shard: Option<Shard>,
    /// Selection of the printed numbers.
    #[command(flatten)]
    #[serde(flatten)]
    pub shown: Shown,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// Selection of the printed numbers.
#[derive(Args, Clone, Serialize)]
pub struct Shown {
    /// Print these metrics: goodput, or for a group of flows or a controller "goodput of cubic"
    /// (see `narrows list metrics`) [default: the main ones]; the report has all metrics
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    #[serde(serialize_with = "texts")]
    pub metric: Vec<Column>,
}

/// The result of a sweep from the shards that several machines have made.
#[derive(Args, Clone, Serialize)]
pub struct Merge {
    /// Directories that `narrows sweep --shard` has made, or their runs.parquet
    #[arg(required = true, value_name = "DIR")]
    #[serde(serialize_with = "paths")]
    pub shards: Vec<PathBuf>,
    /// Selection of the printed numbers.
    #[command(flatten)]
    #[serde(flatten)]
    pub shown: Shown,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// Every pair of controllers: share, harm and starvation.
#[derive(Args, Clone, Serialize)]
pub struct Matrix {
    /// Controllers, with parameters after "?" (see `narrows list controllers`)
    #[arg(value_name = "CONTROLLER", default_values = narrows_control::DEFAULTS, value_delimiter = ',', value_parser = parse_choice)]
    #[serde(serialize_with = "texts")]
    pub controllers: Vec<Choice>,
    /// Another network or workload.
    #[command(flatten)]
    #[serde(flatten)]
    pub on: Network,
    /// Comma-separated rates of the bottleneck [default: 50 Mbit/s]
    #[arg(long, value_delimiter = ',', conflicts_with_all = ["path", "trace"])]
    #[serde(serialize_with = "texts")]
    pub rate: Vec<Rate>,
    /// Comma-separated base round trips [default: 30 ms]
    #[arg(long, value_delimiter = ',', conflicts_with = "path")]
    #[serde(serialize_with = "texts")]
    pub rtt: Vec<Span>,
    /// Comma-separated buffers of the bottleneck [default: 0.5 bdp,1 bdp,4 bdp]
    #[arg(long, value_delimiter = ',', conflicts_with = "path")]
    #[serde(serialize_with = "texts")]
    pub buffer: Vec<Depth>,
    /// Duration of each run [default: 60 s; on a path at most as long as the path's]
    #[arg(long)]
    #[serde(serialize_with = "texts")]
    pub duration: Option<Span>,
    /// Warm-up, excluded from statistics [default: 1/6 of the duration]
    #[arg(long)]
    #[serde(serialize_with = "texts")]
    pub warmup: Option<Span>,
    /// Number of seeds for each pair
    #[arg(long, default_value_t = 3, value_parser = whole::<u32>(1..=100_000))]
    pub seeds: u32,
    /// First seed
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..=i64::MAX as u64))]
    pub seed: u64,
    /// Selection of the printed numbers.
    #[command(flatten)]
    #[serde(flatten)]
    pub shown: Shown,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// The figures of papers, with a verdict on each claim.
#[derive(Args, Clone, Serialize)]
pub struct Reproduce {
    /// Papers (see `narrows list papers`), or your own folders with a paper.toml [default: all]
    #[arg(value_name = "NAME")]
    pub papers: Vec<String>,
    /// Run scaled-down versions; each figure explains its scaling
    #[arg(long)]
    pub quick: bool,
    /// Also run the figures that support it on this host's kernel (has the requirements of
    /// `narrows live`)
    #[arg(long)]
    pub live: bool,
    /// Run the experiments that decide why statements do not hold, instead of the figures
    #[arg(long, conflicts_with = "live")]
    pub why: bool,
    /// Run only this figure or experiment; may be repeated
    #[arg(long, value_name = "FIGURE")]
    pub figure: Vec<String>,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}
