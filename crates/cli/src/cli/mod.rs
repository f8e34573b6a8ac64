//! The arguments.

mod attack;
mod check;
mod compare;
mod forward;
mod inspect;
mod kernel;
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
pub use inspect::InspectArgs;
pub use kernel::{
    KernelArgs, KernelCommand, KernelListArgs, KernelWatchArgs, LoadArgs, PriceArgs, RouteArgs,
    StatsArgs, UnloadArgs, UnrouteArgs,
};
pub use output::OutputArgs;
pub use parse::parse_choice;
pub use results::{
    BenchArgs, ExportArgs, ExportFormat, FigureArgs, ListArgs, Listed, PathArgs, ReportArgs,
    SchemaArgs,
};
pub use run::{CaptureArgs, DoctorArgs, FidelityArgs, LiveArgs, ProgramArgs, RunArgs};
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
    /// Compare controllers on a network given by flags, a named path or a scenario file, or make a scorecard of several
    Compare(CompareArgs),
    /// Compare two result directories: changed settings, and metrics that moved beyond the spread over seeds
    Diff(DiffArgs),
    /// Run a scenario file
    Run(RunArgs),
    /// Run a scenario file on the Linux kernel, with real connections over emulated links
    Live(LiveArgs),
    /// Measure the distance between simulator and kernel over a set of generated networks
    Fidelity(FidelityArgs),
    /// Check whether this host can run scenarios live, and how to get what is missing
    Doctor(DoctorArgs),
    /// Say what a BPF controller reads, writes, calls and lets you set, and everything that prevents it from running
    Inspect(InspectArgs),
    /// Load, list, watch or unload congestion controllers in this host's kernel, or make it a VCP router (as root); print a header for BPF sources
    Kernel(KernelArgs),
    /// Forward NDN packets on this host's sockets, with rates from MIRCC; or show what the forwarder does
    Forward(ForwardArgs),
    /// Serve a file under an NDN name
    Serve(ServeArgs),
    /// Fetch an object by its NDN name, at the rates that links write into its Data
    Get(GetArgs),
    /// Ping an NDN producer and trace the paths to it
    Ndn(NdnArgs),
    /// Measure round trips to an NDN producer, or answer such pings: `narrows ndn ping`
    Ping(PingArgs),
    /// Make a key that signs NDN Data, and its certificate
    Key(KeyArgs),
    /// Run all combinations of the values in a scenario's sweep table, on all cores; resumable
    Sweep(SweepArgs),
    /// Join the shards of a sweep that several machines have made into its result
    Merge(MergeArgs),
    /// Run every pair of controllers and measure share, harm and starvation
    Matrix(MatrixArgs),
    /// Search for networks on which a controller does badly where standard ones do well, and shrink them
    Attack(AttackArgs),
    /// Gather evidence on a controller: a verdict on each criterion of RFC 9743, with the runs behind it
    Check(CheckArgs),
    /// Reproduce the figures of papers and judge their claims
    Reproduce(ReproduceArgs),
    /// Regenerate the table and the HTML report of a result directory
    Report(ReportArgs),
    /// Export the tables of a result directory as CSV
    Export(ExportArgs),
    /// List the figures of a result directory, or draw one as SVG
    Figure(FigureArgs),
    /// Measure the speed of the simulator, of the emulator or of controllers in the kernel
    Bench(BenchArgs),
    /// List controllers, queue disciplines, metrics, paths, traffic and papers
    List(ListArgs),
    /// Print a named path as a scenario file
    Path(PathArgs),
    /// Print the JSON Schema of scenario files
    Schema(SchemaArgs),
    /// Run a node of an information-centric scenario, as `narrows live` says on standard input
    #[command(hide = true)]
    Node,
}

impl Default for Command {
    fn default() -> Command {
        Command::Compare(CompareArgs::parse_from(["compare"]))
    }
}
