//! Arguments of estimates from measurements.

use super::output::Output;
use super::parse::{parse_choice, whole};
use super::words::{path, texts};
use clap::Args;
use narrows_control::Choice;
use serde::Serialize;
use std::path::PathBuf;

/// An estimate of the path of a bulk flow that was measured.
#[derive(Args, Clone, Serialize)]
pub struct Fit {
    /// Measurement of one bulk TCP connection at its sender: output of iperf3 --json, lines of
    /// ss -tin printed again and again, or a capture (pcap, pcapng)
    #[serde(serialize_with = "path")]
    pub measurement: PathBuf,
    /// Controller of the simulation [default: as in the measurement, else cubic]
    #[arg(long, value_name = "CONTROLLER", value_parser = parse_choice)]
    #[serde(serialize_with = "texts")]
    pub controller: Option<Choice>,
    /// Number of seeds of the simulation
    #[arg(long, default_value_t = 3, value_parser = whole::<u32>(1..=1000))]
    pub seeds: u32,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}
