//! Arguments of what is done with results, and of lists.

use super::parse::{parse_checked, parse_path};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub struct ReportArgs {
    /// Result directory
    pub directory: PathBuf,
    /// HTML file to write [default: report.html in the directory]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Overlay a measurement in this report: output of iperf3 --json, or a log of mahimahi's mm-link; may be repeated
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// Print summary.json, or scorecard.json of a scorecard, instead of the table
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ExportArgs {
    /// Result directory
    pub directory: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Csv)]
    pub format: ExportFormat,
    /// Directory for the CSV files, or the Perfetto file [default: csv or run.perfetto-trace in the result directory]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    /// Each Parquet table as CSV
    Csv,
    /// Samples, transfers and changes as one trace, which ui.perfetto.dev opens
    Perfetto,
}

#[derive(Args)]
pub struct FigureArgs {
    /// Result directory of any command
    pub directory: PathBuf,
    /// Figure to draw; without it, the figures are listed
    pub name: Option<String>,
    /// SVG file to write [default: NAME.svg, without --png]
    #[arg(long, value_name = "FILE", requires = "name")]
    pub svg: Option<PathBuf>,
    /// PNG file to write, of 1800 pixels in width; beside the SVG file if both are given
    #[arg(long, value_name = "FILE", requires = "name")]
    pub png: Option<PathBuf>,
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
    /// Controllers in the place of newreno, cubic and bbr: names, or BPF sources or objects: cubic ./mine.bpf.o
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values = crate::bench::CONTROLLERS, value_parser = parse_checked)]
    pub controllers: Vec<String>,
    /// Measure large runs instead: 1,000 and 100,000 flows on one link, 100,000 on a thousand links, and ten minutes at 10 Gbit/s
    #[arg(long, conflicts_with_all = ["against_ns3", "controllers"])]
    pub large: bool,
    /// Measure the emulator of live runs instead: capacity and timing on this host, in about two minutes (as root, on an idle host)
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "runs", "only", "controllers"])]
    pub live: bool,
    /// Measure CPU time per byte of loadable and built-in kernel controllers instead: one connection at 200 Mbit/s for --runs slices of 5 s
    /// (as root, on an idle host, with ip, tc and iperf3)
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "live", "only", "controllers"])]
    pub kernel: bool,
    /// Measure whole commands of many short runs instead: sweeps, seeds, a comparison and a matrix, each with 1200 runs on two threads
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "live", "kernel", "only", "controllers"])]
    pub sweep: bool,
    /// Measure the NDN forwarder without sockets instead: time per packet from octets in to octets out, with MIRCC's fields and without
    #[arg(long, conflicts_with_all = ["large", "against", "against_ns3", "live", "kernel", "sweep", "only", "controllers"])]
    pub forward: bool,
    /// Run another simulator in turn with this one, --runs times each, and print its time per packet, the ratio of the medians (ours over
    /// its own) and the range of the ratio over the rounds.
    ///
    /// PROGRAM gets five arguments: flows, rate of the bottleneck in Mbit/s, base round trip in ms, seconds to simulate, and links in a
    /// route (1: all flows share one link; 3: each flow has access links of ten times the rate on both sides). Buffers of the bottleneck
    /// hold one bandwidth-delay product of 1500-byte packets, flows are bulk. PROGRAM prints one line of key=value pairs on stdout or
    /// stderr, of which ns_pkt is read: its CPU time in nanoseconds per data packet through the bottleneck. It has a controller of its own:
    /// every controller's row is compared with the same work of the peer. Rows of other topologies are left out.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "against_ns3")]
    pub against: Option<PathBuf>,
    /// The same with ns-3, which has the row's controller and simulates a fifth of the time (needs libns3-dev and a C++ compiler)
    #[arg(long, conflicts_with = "controllers")]
    pub against_ns3: bool,
}

#[derive(Args)]
pub struct PathArgs {
    /// Name of the path (see `narrows list paths`)
    #[arg(value_parser = parse_path)]
    pub name: String,
}

#[derive(Args)]
pub struct ListArgs {
    /// What to list
    pub what: Listed,
    /// Show only the entry of this name
    pub name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Listed {
    Controllers,
    Disciplines,
    /// Rate laws, consumers and forwarding strategies of information-centric networks
    Icn,
    Metrics,
    Papers,
    Paths,
    /// What the documents state, and whether it holds
    Statements,
    Traffic,
}

#[derive(Args)]
pub struct SchemaArgs {
    /// Print that of check.json, the result of `narrows check`, instead
    #[arg(long)]
    pub check: bool,
}
