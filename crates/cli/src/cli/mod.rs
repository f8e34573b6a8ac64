//! The arguments.

mod attack;
mod check;
mod compare;
mod forward;
mod help;
mod inspect;
mod kernel;
mod lab;
mod network;
mod output;
mod parse;
mod results;
mod run;
mod sweep;

pub use attack::{AttackArgs, How};
pub use check::{CheckArgs, ScopeArg, SuiteArg};
pub use compare::{CompareArgs, Compared, DiffArgs};
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
pub use lab::{BenchArgs, FidelityArgs, LabArgs, LabCommand, SelfCheckArgs};
pub use output::OutputArgs;
pub use parse::parse_choice;
pub use results::{
    ExportArgs, ExportFormat, FigureArgs, ListArgs, Listed, PathArgs, ReportArgs, SchemaArgs,
};
pub use run::{CaptureArgs, DoctorArgs, LiveArgs, ProgramArgs, RunArgs};
pub use sweep::{MatrixArgs, MergeArgs, ReproduceArgs, SweepArgs};

use clap::{Parser, Subcommand};

/// Compare congestion controllers on simulated, emulated and real networks.
///
/// Without a command, compare NewReno, CUBIC and BBR on a 100 Mbit/s bottleneck with a 30 ms round trip and a drop-tail buffer of 2 bdp (750 kB).
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
    /// Compare controllers on one network, or make a scorecard of several networks
    Compare(CompareArgs),
    /// Compare two results: changed settings, metrics that moved beyond the spread
    Diff(DiffArgs),
    /// Simulate a scenario file
    Run(RunArgs),
    /// Run a scenario on the Linux kernel, with real connections over emulated links
    Live(LiveArgs),
    /// Check whether this host can run scenarios live, and show how to get what is missing
    Doctor(DoctorArgs),
    /// Show what a BPF controller reads, writes and calls, and what keeps it from running
    Inspect(InspectArgs),
    /// Load, list, watch or unload kernel controllers; make this host a VCP router
    Kernel(KernelArgs),
    /// Forward, serve and fetch NDN objects at MIRCC's rates; ping, trace paths, make keys
    Ndn(NdnArgs),
    /// Run all combinations of the values in a scenario's sweep table; resumable
    Sweep(SweepArgs),
    /// Join the shards of a sweep that several machines have made into its result
    Merge(MergeArgs),
    /// Run every pair of controllers, and measure share, harm and starvation
    Matrix(MatrixArgs),
    /// Search for networks on which a controller does badly and standard ones do well
    Attack(AttackArgs),
    /// Gather evidence on a controller: a verdict on each criterion of RFC 9743
    Check(CheckArgs),
    /// Reproduce the figures of papers and judge their claims
    Reproduce(ReproduceArgs),
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
        Command::Compare(CompareArgs::parse_from(["compare"]))
    }
}
