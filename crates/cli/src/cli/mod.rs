//! The arguments of the command line.

mod deploy;
mod forward;
mod help;
mod inspect;
mod kernel;
mod lab;
mod parse;
mod results;

#[cfg(feature = "bpf")]
pub use deploy::OpenArg;
pub use deploy::{
    DeployArgs, DeployCommand, DeployRemoveArgs, DeployReportArgs, DeployStartArgs,
    DeployStatusArgs, DeployStopArgs,
};
pub use forward::{
    At, ForwardArgs, ForwardCommand, ForwarderArgs, GetArgs, KeyArgs, NdnArgs, NdnCommand,
    PingArgs, ServeArgs, StatusArgs, TracerouteArgs,
};
pub use help::{CompletionsArgs, ManArgs, command};
pub use inspect::InspectArgs;
pub use kernel::{
    KernelArgs, KernelCommand, KernelListArgs, KernelWatchArgs, LoadArgs, PriceArgs, RouteArgs,
    StatsArgs, UnloadArgs, UnrouteArgs,
};
pub use lab::{BenchArgs, LabArgs, LabCommand};
pub use results::{
    DiffArgs, DoctorArgs, ExportArgs, ExportFormat, FigureArgs, ListArgs, Listed, PathArgs,
    ReportArgs, SchemaArgs,
};

use clap::{Parser, Subcommand};
use narrows_workbench::Request;

/// Compare congestion controllers on simulated, emulated and real networks.
///
/// Without a command, compare NewReno, CUBIC and BBR on a 100 Mbit/s bottleneck with a 30 ms round
/// trip and a drop-tail buffer of 2 bdp (750 kB).
#[derive(Parser)]
#[command(
    name = "narrows",
    version,
    max_term_width = 100,
    after_help = "Exit status:\n  0  success\n  1  an expectation was missed, a claim of a paper differs from what its file records, a check failed, or an attack confirmed a finding\n  2  the command failed\n  3  a live run is invalid: the host distorted its result"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    #[command(flatten)]
    Request(Box<Request>),
    /// Compare two results: changed settings, metrics that moved beyond the spread
    Diff(DiffArgs),
    /// Check whether this host can run scenarios live, and show how to get what is missing
    Doctor(DoctorArgs),
    /// Show what a BPF controller reads, writes and calls, and what keeps it from running
    Inspect(InspectArgs),
    /// Load, list, watch or unload kernel controllers; make this host a VCP router
    Kernel(KernelArgs),
    /// Forward, serve and fetch NDN objects at MIRCC's rates; ping, trace paths, make keys
    Ndn(NdnArgs),
    /// Print the table of a result again and redraw its report
    Report(ReportArgs),
    /// Export the tables of a result as CSV, or its runs as a Perfetto trace
    Export(ExportArgs),
    /// List the figures of a result, or draw one
    Figure(FigureArgs),
    /// List controllers, queue disciplines, metrics, paths, traffic and papers
    List(ListArgs),
    /// Print a named path as a scenario file
    Path(PathArgs),
    /// Print the JSON Schema of scenario files
    Schema(SchemaArgs),
    /// Plan an experiment that gives a controller to a share of a host's real connections
    Deploy(DeployArgs),
    /// Measure Narrows itself: its speed, its distance from the kernel, its verdicts
    Lab(LabArgs),
    /// Print a script that completes commands in a shell
    Completions(CompletionsArgs),
    /// Write the manual pages into a directory
    Man(ManArgs),
    /// Run a node of an information-centric scenario, as `narrows live` says on standard input
    #[command(hide = true)]
    Node,
}

impl Default for Command {
    fn default() -> Command {
        let cli = Cli::parse_from(["narrows", "compare"]);
        cli.command.expect("the words name a command")
    }
}
