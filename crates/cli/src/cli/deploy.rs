//! Arguments of experiments on a host's real connections.

use clap::{Args, Subcommand};
use narrows_deploy::state::STATES;
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
    /// Write the page and the tables of an experiment that runs or has ended
    Report(DeployReportArgs),
    /// Remove what an experiment that has ended has left: pins and state (as root)
    Remove(DeployRemoveArgs),
}

#[derive(Args)]
pub struct DeployStartArgs {
    /// File of the experiment (see docs/how-to/deploy.md)
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: PathBuf,
    /// Go on with this experiment where a killed agent or a restarted host left it; else begin it
    #[arg(long)]
    pub resume: bool,
    /// Only try it: load, attach to a control group of its own, connect over loopback, remove all
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
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
    /// End of the treatment of open connections, in place of the file's [roll_back] open
    #[arg(long, value_name = "WHAT")]
    pub open: Option<OpenArg>,
    /// Directory of the states of experiments
    #[arg(long, value_name = "DIR", default_value = STATES)]
    pub state: PathBuf,
}

/// The end of the treatment of open connections.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum OpenArg {
    /// They get back what they had, as they send
    Change,
    /// They keep the treatment to their end
    Keep,
    /// They are reset, and their programs see an error
    Reset,
}

#[cfg(feature = "bpf")]
impl OpenArg {
    /// Returns the word in files.
    pub fn word(self) -> &'static str {
        match self {
            OpenArg::Change => "change",
            OpenArg::Keep => "keep",
            OpenArg::Reset => "reset",
        }
    }
}

#[derive(Args)]
pub struct DeployReportArgs {
    /// Names of experiments, or folders of their states
    #[arg(required = true, value_name = "NAME|DIR")]
    pub experiments: Vec<PathBuf>,
    /// Result of `narrows deploy plan`, to be shown beside the measurement
    #[arg(long, value_name = "DIR")]
    pub plan: Option<PathBuf>,
    /// Write the result into this new directory [default: result/ in the folder of the state]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// Directory of the states of experiments
    #[arg(long, value_name = "DIR", default_value = STATES)]
    pub state: PathBuf,
}

#[derive(Args)]
pub struct DeployRemoveArgs {
    /// Name of the experiment
    pub name: String,
    /// Directory of the states of experiments
    #[arg(long, value_name = "DIR", default_value = STATES)]
    pub state: PathBuf,
}
