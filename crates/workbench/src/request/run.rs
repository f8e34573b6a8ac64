//! Arguments of runs.

use super::network::Network;
use super::output::Output;
use super::parse::{parse_key, whole};
use super::words::{pairs, path, paths, text};
use clap::Args;
use narrows_units::Rate;
use serde::Serialize;
use std::path::PathBuf;

/// A simulation of a scenario file.
#[derive(Args, Clone, Serialize)]
pub struct Run {
    /// Scenario file in TOML (see `narrows schema`)
    #[serde(serialize_with = "path")]
    pub scenario: PathBuf,
    /// Number of seeds
    #[arg(long, default_value_t = 1, value_parser = whole::<u32>(1..=100_000))]
    pub seeds: u32,
    /// First seed [default: the scenario's]
    #[arg(long, value_parser = whole::<u64>(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Another network or workload.
    #[command(flatten)]
    #[serde(flatten)]
    pub on: Network,
    /// Keys that are changed.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: Set,
    /// Overlay a measurement: output of iperf3 --json, or a log of mahimahi's mm-link; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "paths")]
    pub overlay: Vec<PathBuf>,
    /// Records of single packets.
    #[command(flatten)]
    #[serde(flatten)]
    pub capture: Capture,
    /// Keep what BPF controllers print (bpf_trace_printk) in this file, which must not exist: a
    /// line each, with seed, time and flow
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "paths")]
    pub bpf_log: Option<PathBuf>,
    /// Page for watching the run in a browser.
    #[command(flatten)]
    #[serde(flatten)]
    pub watch: Watching,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// A run of a scenario on this host's kernel, with real connections over emulated links.
#[derive(Args, Clone, Serialize)]
pub struct Live {
    /// Scenario file in TOML (see `narrows schema`)
    #[serde(serialize_with = "path")]
    pub scenario: PathBuf,
    /// Another network or workload.
    #[command(flatten)]
    #[serde(flatten)]
    pub on: Network,
    /// Keys that are changed.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: Set,
    /// Also simulate the scenario, and report both with the distance between them
    #[arg(long, conflicts_with = "words")]
    pub beside_sim: bool,
    /// Record each call of loaded controllers and replay it in native code, which must agree bit
    /// for bit
    #[arg(long)]
    pub replay: bool,
    /// Write window, rates and round trips of this flow (or all) at each acknowledgement to
    /// acks.parquet; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "words")]
    pub acks: Vec<String>,
    /// Seed of the links' random draws [default: the scenario's]
    #[arg(long, value_parser = whole::<u64>(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Capacity of this host's emulator as measured by `narrows lab bench --live`; scenarios that
    /// need more are rejected
    #[arg(long, default_value_t = narrows_live::MAXIMUM)]
    #[serde(serialize_with = "text")]
    pub maximum: Rate,
    /// The user's own program in the network.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
    /// Page for watching the run in a browser.
    #[command(flatten)]
    #[serde(flatten)]
    pub watch: Watching,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// Keys of a scenario that are changed for one run.
#[derive(Args, Clone, Serialize)]
pub struct Set {
    /// Change a key of the scenario: "link.bottleneck.rate=20 Mbit/s", "duration=10 s",
    /// "flow.cubic.count=4"; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = parse_key)]
    #[serde(serialize_with = "pairs")]
    pub set: Vec<(String, String)>,
}

/// The user's own program in a scenario's network.
#[derive(Args, Clone, Serialize)]
pub struct Program {
    /// Run this program instead of the scenario's flows; {NAME} in its arguments becomes the
    /// address of host NAME
    #[arg(last = true, value_name = "PROGRAM")]
    pub words: Vec<String>,
    /// Run the program on this host [default: the sender of the first flow]
    #[arg(long, value_name = "HOST", requires = "words")]
    pub on: Option<String>,
    /// Start this command before the program, for example "iperf3 -s", and stop it afterwards; may
    /// be repeated [default HOST: the receiver of the first flow]
    #[arg(long, value_name = "[HOST=]COMMAND", requires = "words")]
    pub serve: Vec<String>,
    /// Also run the scenario's flows
    #[arg(long, requires = "words")]
    pub with_flows: bool,
}

/// Page for watching a run in a browser.
#[derive(Args, Clone, Serialize)]
pub struct Watching {
    /// Serve a page on this host that shows values as they arrive, and the report at the end; PORT
    /// is free to choose [default PORT: a free one]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub watch: Option<u16>,
}

/// Records of single packets.
#[derive(Args, Clone, Serialize)]
pub struct Capture {
    /// Capture packets of this flow (or all) as pcapng for Wireshark; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "seeds")]
    pub pcap: Vec<String>,
    /// Capture point: sender, receiver, a link's name (its far end), or dropped (where links drop);
    /// may be repeated
    #[arg(long, value_name = "POINT", default_value = "sender", requires = "pcap")]
    pub at: Vec<String>,
    /// Bytes kept of each packet; the default keeps all headers, 65535 everything
    #[arg(long, value_name = "BYTES", default_value_t = 128, requires = "pcap", value_parser = whole::<u32>(80..=65_535))]
    pub snaplen: u32,
    /// Log the sender of this flow (or all) as qlog for qvis; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "seeds")]
    pub qlog: Vec<String>,
    /// Write window, rates and round trips of this flow (or all) after each acknowledgement to
    /// acks.parquet; may be repeated
    #[arg(long, value_name = "FLOW", conflicts_with = "seeds")]
    pub acks: Vec<String>,
}
