//! Arguments of what is done with results, and of lists.

use super::parse::parse_path;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
