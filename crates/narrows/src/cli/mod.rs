//! The arguments.

mod compare;
mod kernel;
mod output;
mod parse;
mod results;
mod run;
mod sweep;

pub use compare::{CompareArgs, Compared, DiffArgs};
pub use kernel::{KernelArgs, KernelCommand, KernelListArgs, KernelWatchArgs, LoadArgs, StatsArgs, UnloadArgs};
pub use output::OutputArgs;
pub use results::{BenchArgs, ExportArgs, ListArgs, Listed, PathArgs, ReportArgs};
pub use run::{DoctorArgs, FidelityArgs, LiveArgs, ProgramArgs, RunArgs, WatchArgs};
pub use sweep::{MatrixArgs, ReproduceArgs, SweepArgs};

use clap::{Parser, Subcommand};

/// Compare congestion controllers on a network, and see what happened.
///
/// Without a command, compares NewReno, CUBIC and BBR on 100 Mbit/s, 30 ms round trip and a 750 kB drop-tail buffer.
#[derive(Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Exit status: 0 all well, 1 an expectation of the scenario was missed, or a claim of a paper turned out otherwise than known, 2 the command could not be carried out, 3 a live run is invalid: the machine set part of its result."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Compare controllers on one network, given by flags or by a scenario file
    Compare(CompareArgs),
    /// Compare two result directories: what was changed, and which metrics moved beyond the spread over seeds
    Diff(DiffArgs),
    /// Run a scenario file
    Run(RunArgs),
    /// Run a scenario file on the Linux kernel: real connections over emulated links
    Live(LiveArgs),
    /// Measure how far simulation and kernel are apart, over a set of generated networks
    Fidelity(FidelityArgs),
    /// Say whether scenarios can run live here, what is missing, and how to get it
    Doctor(DoctorArgs),
    /// Give controllers to this host's Linux kernel, for every program on it, and take them away again (as root)
    Kernel(KernelArgs),
    /// Run a scenario file with a sweep table: all combinations of values, on all cores, resumed if stopped
    Sweep(SweepArgs),
    /// Run every controller beside every other: share, harm and starvation
    Matrix(MatrixArgs),
    /// Run published results again, and say claim by claim what holds
    Reproduce(ReproduceArgs),
    /// Make the HTML report and the table of a result directory again
    Report(ReportArgs),
    /// Write the tables of a result directory as CSV
    Export(ExportArgs),
    /// Measure the simulator's speed, or what the emulator of live runs carries
    Bench(BenchArgs),
    /// List what there is
    List(ListArgs),
    /// Print a named path as a scenario, to run or to edit
    Path(PathArgs),
    /// Print the JSON Schema of scenario files
    Schema,
}

impl Default for Command {
    fn default() -> Command {
        Command::Compare(CompareArgs::parse_from(["compare"]))
    }
}
