//! Arguments of many runs.

use super::output::OutputArgs;
use super::parse::{parse_axis, parse_choice};
use clap::Args;
use narrows_control::Choice;
use narrows_units::{Depth, Rate, Span};
use std::path::PathBuf;

#[derive(Args)]
pub struct SweepArgs {
    /// Scenario file with a sweep table (see docs/sweeps.md), or without one if --set gives the axes
    #[arg(required_unless_present = "resume")]
    pub scenario: Option<PathBuf>,
    /// Add or replace an axis: "link.bottleneck.rate=10 Mbit/s,100 Mbit/s", or a range: "duration={ from = '10 s', ... }"
    #[arg(long, value_name = "PATH=VALUES", value_parser = parse_axis)]
    pub set: Vec<(String, String)>,
    /// Number of seeds for each cell [default: 1, or the file's]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: Option<u32>,
    /// Resume the interrupted sweep of this result directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scenario", "set", "seeds", "out"])]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct MatrixArgs {
    /// Controllers, with parameters after "?" (see `narrows list controllers`)
    #[arg(default_values = ["newreno", "cubic", "bbr"], value_parser = parse_choice)]
    pub controllers: Vec<Choice>,
    /// Comma-separated rates of the bottleneck
    #[arg(long, default_value = "50 Mbit/s", value_delimiter = ',')]
    pub rate: Vec<Rate>,
    /// Comma-separated base round trips
    #[arg(long, default_value = "30 ms", value_delimiter = ',')]
    pub rtt: Vec<Span>,
    /// Comma-separated buffers of the bottleneck
    #[arg(long, default_value = "0.5 bdp,1 bdp,4 bdp", value_delimiter = ',')]
    pub buffer: Vec<Depth>,
    /// Duration of each run
    #[arg(long, default_value = "60 s")]
    pub duration: Span,
    /// Warm-up, excluded from statistics [default: 1/6 of the duration]
    #[arg(long)]
    pub warmup: Option<Span>,
    /// Number of seeds for each pair
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: u32,
    /// First seed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct ReproduceArgs {
    /// Papers (see `narrows list papers`), or your own folders with a paper.toml [default: all]
    #[arg(value_name = "NAME")]
    pub papers: Vec<String>,
    /// Run scaled-down versions; each figure explains its scaling
    #[arg(long)]
    pub quick: bool,
    /// Run the figures that support it on this host's kernel, beside the simulator (needs what `narrows live` needs)
    #[arg(long)]
    pub live: bool,
    /// Run the experiments that decide why statements do not hold, instead of the figures
    #[arg(long, conflicts_with = "live")]
    pub why: bool,
    /// Run only this figure or experiment; may be repeated
    #[arg(long, value_name = "FIGURE")]
    pub figure: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}
