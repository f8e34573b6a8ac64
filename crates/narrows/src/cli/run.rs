//! Arguments of runs.

use super::output::OutputArgs;
use super::parse::parse_choice;
use clap::Args;
use narrows_control::Choice;
use narrows_units::Rate;
use std::path::PathBuf;

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
