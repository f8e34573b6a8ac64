//! Arguments of experiments on a host's real connections.

use clap::{Args, Subcommand};
use narrows_workbench::request;

#[derive(Args)]
pub struct DeployArgs {
    #[command(subcommand)]
    pub command: DeployCommand,
}

#[derive(Subcommand)]
pub enum DeployCommand {
    /// Simulate an experiment: how wrong would an A/B test be, how long must a switchback run?
    Plan(request::DeployPlan),
}
