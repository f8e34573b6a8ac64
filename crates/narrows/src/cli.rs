//! The arguments.

use crate::icn::IcnWay;
use clap::{Args, Parser, Subcommand, ValueEnum};
use narrows_control::Choice;
use narrows_scenario::{Comparison, PATHS, PathProfile, parse_share};
use narrows_units::{Depth, Rate, Span};
use std::path::{Path, PathBuf};

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

#[derive(Parser)]
pub struct CompareArgs {
    /// Controllers, with parameters after "?": cubic, "cubic?profile=rfc9438&ecn=true" (see `narrows list controllers`) [default: newreno cubic bbr; with
    /// --icn: mircc rcp newreno]
    #[arg(value_name = "CONTROLLER", value_parser = parse_compared)]
    pub compared: Vec<Compared>,
    /// Compare on an information-centric network: laws of links' rates (mircc, rcp), consumers (best-subflow), or controllers of windows (see `narrows list icn`)
    #[arg(long, conflicts_with_all = ["path", "rate", "rtt", "buffer", "flows", "stagger", "loss", "trace", "trace_back", "duration", "warmup"])]
    pub icn: bool,
    /// Compare on the network of a scenario file: each controller in turn drives every flow that has one
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["rate", "rtt", "buffer", "flows", "stagger", "loss", "trace", "trace_back", "duration", "warmup"])]
    pub file: Option<PathBuf>,
    /// Compare on a named path, for example leo (see `narrows list paths`)
    #[arg(long, value_name = "NAME", value_parser = parse_path, conflicts_with_all = ["file", "rate", "rtt", "buffer", "loss", "trace", "trace_back"])]
    pub path: Option<String>,
    /// Rate of the bottleneck, both ways [default: 100 Mbit/s]
    #[arg(long, conflicts_with = "trace", allow_hyphen_values = true)]
    pub rate: Option<Rate>,
    /// Round trip without queues, half of it each way [default: 30 ms]
    #[arg(long, allow_hyphen_values = true)]
    pub rtt: Option<Span>,
    /// Buffer of the bottleneck: "750 kB", "100 packets", "60 ms" or "1.5 bdp" [default: 750 kB]
    #[arg(long, allow_hyphen_values = true)]
    pub buffer: Option<Depth>,
    /// Flows of each controller [default: 2]
    #[arg(long)]
    pub flows: Option<u32>,
    /// Time between the starts of flows [default: a twelfth of the duration]
    #[arg(long, allow_hyphen_values = true)]
    pub stagger: Option<Span>,
    /// Random loss of data packets before the queue, as a probability or in percent: 0.01 or "1 %"
    #[arg(long, value_parser = parse_share, allow_hyphen_values = true)]
    pub loss: Option<f64>,
    /// Recorded capacity towards the receiver: mahimahi delivery opportunities, or time,rate lines (seconds, Mbit/s)
    #[arg(long, value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Recorded capacity of the acknowledgements' direction [default: 100 Mbit/s]
    #[arg(long, value_name = "TRACE", requires = "trace")]
    pub trace_back: Option<PathBuf>,
    /// How long each run lasts [default: 60 s, or the path's]
    #[arg(long, allow_hyphen_values = true)]
    pub duration: Option<Span>,
    /// Leave this out of the statistics [default: a sixth of the duration, or the path's]
    #[arg(long, allow_hyphen_values = true)]
    pub warmup: Option<Span>,
    /// How many seeds each controller is run with
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: u32,
    /// The first seed [default: 1, or the scenario's]
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A contender of a comparison.
#[derive(Clone)]
pub enum Compared {
    Controller(Choice),
    Icn(IcnWay),
}

#[derive(Args)]
pub struct DiffArgs {
    /// The result directory before the change
    pub before: PathBuf,
    /// The result directory after the change
    pub after: PathBuf,
    /// Print all metrics as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct RunArgs {
    /// The scenario, a TOML file (see `narrows schema`)
    pub scenario: PathBuf,
    /// How many seeds to run
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: u32,
    /// The first seed [default: the scenario's]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Draw a measurement over the simulation: the output of iperf3 --json, or a log of mahimahi's mm-link; may be repeated
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    #[command(flatten)]
    pub watch: WatchArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct LiveArgs {
    /// The scenario, a TOML file (see `narrows schema`)
    pub scenario: PathBuf,
    /// Simulate it as well, and show both on the same axes with the distance between them
    #[arg(long, conflicts_with = "words")]
    pub beside_sim: bool,
    /// Record each call of the controllers that the kernel is given, and let the native core decide it again: all must be equal, bit for bit
    #[arg(long)]
    pub replay: bool,
    /// Write what each acknowledgement finds of this flow's window, rates and round trips in the kernel, or of all, to acks.parquet in the result directory; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "words")]
    pub acks: Vec<String>,
    /// The seed of the links' random draws [default: the scenario's]
    #[arg(long)]
    pub seed: Option<u64>,
    /// What this host carries, all flows together, in 1500-byte packets, as `narrows bench --live` measured it; scenarios that ask for more are refused
    #[arg(long, default_value_t = narrows_live::MAXIMUM)]
    pub maximum: Rate,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The user's own program in a scenario's network.
#[derive(Args)]
pub struct ProgramArgs {
    /// Run this program in place of the scenario's flows, until it ends or the scenario does; {NAME} in its arguments becomes the address of the host of this name
    #[arg(last = true, value_name = "PROGRAM")]
    pub words: Vec<String>,
    /// Run the program on this host [default: the sender of the first flow]
    #[arg(long, value_name = "HOST", requires = "words")]
    pub on: Option<String>,
    /// Before the program start this command, for example "iperf3 -s", and stop it afterwards [default HOST: the receiver of the first flow]; may be repeated
    #[arg(long, value_name = "[HOST=]COMMAND", requires = "words")]
    pub serve: Vec<String>,
    /// Run the scenario's flows as well
    #[arg(long, requires = "words")]
    pub with_flows: bool,
}

#[derive(Args)]
pub struct FidelityArgs {
    /// The first 12 cells for 15 s once, instead of 48 cells for 30 s three times
    #[arg(long)]
    pub quick: bool,
    /// Only these cells, by number, with commas between them
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::fidelity::CELLS)))]
    pub cells: Vec<u32>,
    /// The controllers of the cells, with commas between them; those that the kernel has not are loaded into it: "pcc-vivace,hstcp?profile=linux"
    #[arg(long, value_delimiter = ',', default_values = crate::fidelity::CONTROLLERS, value_parser = parse_choice)]
    pub controllers: Vec<Choice>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct DoctorArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct KernelArgs {
    #[command(subcommand)]
    pub command: KernelCommand,
}

#[derive(Subcommand)]
pub enum KernelCommand {
    /// Load a controller into the kernel, where any program can choose it until it is unloaded
    Load(LoadArgs),
    /// List the kernel's controllers, those that narrows loaded, and those that it could load
    List(KernelListArgs),
    /// Take controllers away that narrows loaded; connections that use one keep it until they end
    Unload(UnloadArgs),
    /// Count what the controllers that narrows loaded do: connections, acknowledgements, decisions, and how many a second
    Stats(StatsArgs),
    /// Watch each connection of a loaded controller: window, round trip, rates
    Watch(KernelWatchArgs),
}

#[derive(Args)]
pub struct LoadArgs {
    /// The controller, with parameters after "?": pcc-vivace, "pcc-vivace?fixed=true" (see `narrows kernel list` and `narrows list controllers`)
    pub controller: String,
    /// Its name in the kernel, of letters, digits, "_" and "." [default: its own, for example pcc_vivace]
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,
    /// If the kernel refuses it, write all that the kernel's verifier said to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

#[derive(Args)]
pub struct KernelListArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct StatsArgs {
    /// Its name, in the kernel or as for `narrows kernel load` [default: all that narrows loaded]
    pub name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct KernelWatchArgs {
    /// Its name, in the kernel or as for `narrows kernel load`
    pub name: String,
    /// Stop after so many seconds [default: at Ctrl-C, or when it is unloaded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,
    /// Print every call as CSV, as is done where the output is not a terminal
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args)]
pub struct UnloadArgs {
    /// Its name, in the kernel or as for `narrows kernel load`
    #[arg(required_unless_present = "all")]
    pub name: Option<String>,
    /// All that narrows loaded
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
    /// Also what this host, or a network namespace of it, gives new connections by default: they go on getting it until the default is changed
    #[arg(long)]
    pub force: bool,
}

/// What is written down packet by packet.
#[derive(Args)]
pub struct WatchArgs {
    /// Capture the packets of this flow, or of all, as pcapng for Wireshark in the result directory; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "seeds")]
    pub pcap: Vec<String>,
    /// Where to capture: sender, receiver, the name of a link (its far end), or dropped (where links drop); one file each
    #[arg(long, value_name = "POINT", default_value = "sender", requires = "pcap")]
    pub at: Vec<String>,
    /// Bytes kept of each packet; the default has all headers, 65535 everything
    #[arg(long, value_name = "BYTES", default_value_t = 128, requires = "pcap", value_parser = clap::value_parser!(u32).range(80..=65_535))]
    pub snaplen: u32,
    /// Log this flow's sender, or all, as qlog for qvis in the result directory; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "seeds")]
    pub qlog: Vec<String>,
    /// Write what each acknowledgement leaves of this flow's window, rates and round trips, or of all, to acks.parquet in the result directory; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "seeds")]
    pub acks: Vec<String>,
}

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

#[derive(Args)]
pub struct ReportArgs {
    /// A result directory
    pub directory: PathBuf,
    /// Where the HTML goes [default: report.html in the directory]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Draw a measurement this once over the simulation: the output of iperf3 --json, or a log of mahimahi's mm-link; may be repeated
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// Print summary.json instead of the table
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ExportArgs {
    /// A result directory
    pub directory: PathBuf,
    /// Where the files go [default: csv in the directory]
    #[arg(long)]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
pub struct BenchArgs {
    /// Repetitions of each row; the median is shown
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// Print rows as JSON
    #[arg(long)]
    pub json: bool,
    /// Only rows whose name contains this, for example "dumbbell cubic"
    #[arg(long, default_value = "")]
    pub only: String,
    /// Measure the large runs instead: a hundred thousand flows, and ten minutes at 10 Gbit/s
    #[arg(long, conflicts_with = "against_ns3")]
    pub large: bool,
    /// Measure instead what the emulator of live runs carries on this host, and how exactly; takes about two minutes of an idle machine (as root)
    #[arg(long, conflicts_with_all = ["large", "against_ns3", "runs", "only"])]
    pub live: bool,
    /// Measure instead the processor time per byte of the controllers that narrows gives the kernel, beside the kernel's own: a connection of 200 Mbit/s, in as many
    /// slices of 5 s as --runs says (as root, on an idle machine, with ip, tc and iperf3)
    #[arg(long, conflicts_with_all = ["large", "against_ns3", "live", "only"])]
    pub kernel: bool,
    /// Do the same work with ns-3 (Debian's libns3-dev and a C++ compiler) and print the ratios
    #[arg(long)]
    pub against_ns3: bool,
}

#[derive(Args)]
pub struct PathArgs {
    /// Its name (see `narrows list paths`)
    #[arg(value_parser = parse_path)]
    pub name: String,
}

#[derive(Args)]
pub struct ListArgs {
    /// What to list
    pub what: Listed,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Listed {
    Controllers,
    Disciplines,
    /// Laws of rates, consumers and strategies of information-centric networks
    Icn,
    Metrics,
    Papers,
    Paths,
}

#[derive(Args)]
pub struct OutputArgs {
    /// The result directory, which must not exist yet [default: the next free narrows-results/NAME-N]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Runs at a time, at most 1024 [default: one for each core]; results do not depend on it
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Print summary.json instead of the table
    #[arg(long)]
    pub json: bool,
    /// Print the table only: no progress, no hints
    #[arg(long)]
    pub quiet: bool,
}

impl CompareArgs {
    /// The network that the flags describe.
    pub fn network(&self) -> Comparison {
        let defaults = Comparison::default();
        let text = |path: &PathBuf| path.display().to_string();
        let own = self.path.as_deref().and_then(PathProfile::named).map(PathProfile::scenario);
        let duration = self.duration.unwrap_or(own.as_ref().map_or(defaults.duration, |own| own.duration));
        let warmup = self.warmup.or(own.filter(|_| self.duration.is_none()).map(|own| own.warmup));
        Comparison {
            path: self.path.clone(),
            rate: self.rate.unwrap_or(defaults.rate),
            rtt: self.rtt.unwrap_or(defaults.rtt),
            buffer: self.buffer.or(defaults.buffer),
            loss: self.loss.unwrap_or(0.0),
            flows: self.flows.unwrap_or(2),
            stagger: self.stagger.unwrap_or(duration / 12),
            trace: self.trace.as_ref().map(text),
            trace_back: self.trace_back.as_ref().map(text),
            duration,
            warmup,
        }
    }
}

fn parse_choice(text: &str) -> Result<Choice, String> {
    text.parse().map_err(|error: narrows_params::ParamError| error.to_string())
}

fn parse_path(text: &str) -> Result<String, String> {
    match PathProfile::named(text) {
        Some(path) => Ok(path.name.to_owned()),
        None => {
            let names: Vec<&str> = PATHS.iter().map(|path| path.name).collect();
            Err(format!("there is no path \"{text}\"; known are {}", names.join(", ")))
        }
    }
}

/// A name of a controller, a law or a consumer.
fn parse_compared(text: &str) -> Result<Compared, String> {
    let reason = match parse_choice(text) {
        Ok(choice) => return Ok(Compared::Controller(choice)),
        Err(reason) => reason,
    };
    match IcnWay::read(text)? {
        Some(way) => Ok(Compared::Icn(way)),
        None if Path::new(text).is_dir() => Err("this is a directory; to compare two results, use narrows diff BEFORE AFTER".to_owned()),
        None => Err(reason),
    }
}

fn parse_axis(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, values)) if !path.trim().is_empty() && !values.trim().is_empty() => {
            Ok((path.trim().to_owned(), values.trim().to_owned()))
        }
        _ => Err("write PATH=VALUES, for example \"link.bottleneck.rate=10 Mbit/s,100 Mbit/s\"".to_owned()),
    }
}
