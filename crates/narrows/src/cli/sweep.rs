//! Arguments of many runs.

use super::output::OutputArgs;
use super::parse::{parse_axis, parse_choice};
use clap::Args;
use narrows_control::Choice;
use narrows_units::{Depth, Rate, Span};
use std::path::PathBuf;

#[derive(Args)]
pub struct SweepArgs {
    /// The scenario with its sweep table (see docs/sweeps.md); axes can also come from --set alone
    #[arg(required_unless_present = "resume")]
    pub scenario: Option<PathBuf>,
    /// An axis, added or in place of the file's: "link.bottleneck.rate=10 Mbit/s,100 Mbit/s"; a range in braces: "duration={ from = '10 s', ... }"
    #[arg(long, value_name = "PATH=VALUES", value_parser = parse_axis)]
    pub set: Vec<(String, String)>,
    /// How many seeds each cell is run with, in place of the file's [default: 1, or the file's]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: Option<u32>,
    /// Continue the sweep that was to give this result directory
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
    /// Rates of the bottleneck, with commas between them
    #[arg(long, default_value = "50 Mbit/s", value_delimiter = ',')]
    pub rate: Vec<Rate>,
    /// Round trips without queues
    #[arg(long, default_value = "30 ms", value_delimiter = ',')]
    pub rtt: Vec<Span>,
    /// Buffers of the bottleneck: "0.5 bdp,1 bdp,4 bdp"
    #[arg(long, default_value = "0.5 bdp,1 bdp,4 bdp", value_delimiter = ',')]
    pub buffer: Vec<Depth>,
    /// How long each run lasts
    #[arg(long, default_value = "60 s")]
    pub duration: Span,
    /// Leave this out of the statistics [default: a sixth of the duration]
    #[arg(long)]
    pub warmup: Option<Span>,
    /// How many seeds each pair is run with
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: u32,
    /// The first seed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct ReproduceArgs {
    /// Papers (see `narrows list papers`), or folders of your own with a paper.toml [default: all]
    #[arg(value_name = "NAME")]
    pub papers: Vec<String>,
    /// Scaled-down scenes that show the same, each with what was scaled and why that is fair
    #[arg(long)]
    pub quick: bool,
    /// The figures that run on this host's kernel, with the simulator beside it: document, kernel and simulated (takes its time, needs what `narrows live` needs)
    #[arg(long)]
    pub live: bool,
    /// Only this figure; may be repeated
    #[arg(long, value_name = "FIGURE")]
    pub figure: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}
