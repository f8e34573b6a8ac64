//! Arguments of experiments on a host's real connections.

use crate::deploy::STATES;
use clap::{Args, Subcommand};
use narrows_workbench::request;
use std::path::PathBuf;

#[derive(Args)]
pub struct DeployArgs {
    #[command(subcommand)]
    pub command: DeployCommand,
}

#[derive(Subcommand)]
pub enum DeployCommand {
    /// Simulate an experiment: how wrong would an A/B test be, how long must a switchback run?
    Plan(request::DeployPlan),
    /// Run an experiment on this host's connections to its end, and roll it back (as root)
    Start(DeployStartArgs),
    /// Show the experiments of this host
    Status(DeployStatusArgs),
    /// Stop an experiment, and put its connections back (as root)
    Stop(DeployStopArgs),
}

#[derive(Args)]
pub struct DeployStartArgs {
    /// File of the experiment (see docs/how-to/deploy.md)
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: PathBuf,
    /// Choose among all connections of this host, where the file names neither control groups nor
    /// ports
    #[arg(long)]
    pub all: bool,
    /// Directory of the states of experiments
    #[arg(long, value_name = "DIR", default_value = STATES)]
    pub state: PathBuf,
    /// Print the last state as JSON
    #[arg(long)]
    pub json: bool,
    /// Print only the last state
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct DeployStatusArgs {
    /// Name of an experiment [default: all]
    pub name: Option<String>,
    /// Directory of the states of experiments
    #[arg(long, value_name = "DIR", default_value = STATES)]
    pub state: PathBuf,
    /// Print states as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct DeployStopArgs {
    /// Name of the experiment
    pub name: String,
    /// Directory of the states of experiments
    #[arg(long, value_name = "DIR", default_value = STATES)]
    pub state: PathBuf,
}
