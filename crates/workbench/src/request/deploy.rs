//! Arguments of experiments on a host's real connections.

use super::output::Output;
use super::parse::whole;
use super::words::path;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// An experiment on a host's real connections, simulated before anything is tried.
#[derive(Args, Clone, Serialize)]
pub struct DeployPlan {
    /// File of the experiment (see docs/how-to/deploy.md)
    #[arg(value_name = "EXPERIMENT")]
    #[serde(serialize_with = "path")]
    pub experiment: PathBuf,
    /// Simulate 3 seeds and no ramp-up
    #[arg(long)]
    pub quick: bool,
    /// Number of seeds [default: 10; with --quick: 3]
    #[arg(long, value_parser = whole::<u32>(2..=1000))]
    pub seeds: Option<u32>,
    /// Simulate a plan of any size, however long it takes
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// Take the noise of the traffic, and classes of size, from an experiment's observation on a
    /// host
    #[arg(long, value_name = "NAME|DIR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<PathBuf>,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}
