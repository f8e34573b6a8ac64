//! Arguments that name contenders.

use super::network::Network;
use super::output::Output;
use super::parse::{parse_choice, parse_traffic, whole};
use super::run::Set;
use super::words::{paths, share, texts};
use crate::icn::IcnWay;
use clap::Args;
use narrows_control::Choice;
use narrows_scenario::{Comparison, NamedTraffic, PathProfile, parse_share};
use narrows_units::{Depth, Rate, Span};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// A comparison of controllers on one network, or a scorecard of several networks.
#[derive(Args, Clone, Serialize)]
pub struct Compare {
    /// Controllers, with parameters after "?": cubic, "cubic?profile=rfc9438&ecn=true" (see
    /// `narrows list controllers`) [default: newreno cubic bbr; with --icn: mircc rcp newreno]
    #[arg(value_name = "CONTROLLER", value_delimiter = ',', value_parser = parse_compared)]
    #[serde(serialize_with = "texts")]
    pub controllers: Vec<Compared>,
    /// Compare rate laws (mircc, rcp), consumers (best-subflow) or controllers on an
    /// information-centric network (see `narrows list icn`)
    #[arg(long, conflicts_with_all = ["path", "rate", "host_rate", "rtt", "buffer", "flows", "stagger", "loss", "trace", "trace_back", "queue", "workload", "duration", "warmup", "traffic", "beside", "set"])]
    pub icn: bool,
    /// Use the network of a scenario file; each controller in turn drives every flow that has one.
    /// Several files, or a file beside paths and traces, are the networks of a scorecard
    #[arg(long, value_name = "SCENARIO", value_delimiter = ',', conflicts_with = "rate")]
    #[serde(serialize_with = "paths")]
    pub file: Vec<PathBuf>,
    /// Another network or workload.
    #[command(flatten)]
    #[serde(flatten)]
    pub on: Network,
    /// Keys that are changed.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: Set,
    /// Make a scorecard of this traffic: bulk, web, call (see `narrows list traffic`) [default with
    /// --beside or several networks: bulk]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_traffic)]
    #[serde(serialize_with = "texts")]
    pub traffic: Vec<&'static NamedTraffic>,
    /// Make a scorecard that also shows each controller beside a download by each of these
    /// controllers: cubic,newreno
    #[arg(long, value_name = "CONTROLLER", value_delimiter = ',', value_parser = parse_beside)]
    #[serde(serialize_with = "texts")]
    pub beside: Vec<Choice>,
    /// Judge the other controllers against this one: better, worse or undecided in each number
    /// [default: cubic, if it is compared]
    #[arg(long, value_name = "CONTROLLER", value_parser = parse_choice, conflicts_with = "icn")]
    #[serde(serialize_with = "texts")]
    pub baseline: Option<Choice>,
    /// Rate of the bottleneck in both directions [default: 100 Mbit/s]
    #[arg(long, conflicts_with_all = ["path", "trace"], allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub rate: Option<Rate>,
    /// Rate of the sending host's network card, a link in front of the bottleneck: "10 Gbit/s". At
    /// the rate of the bottleneck or below, the queue is in the host [default: none, bursts reach
    /// the bottleneck at once]
    #[arg(long, conflicts_with_all = ["path", "file"], allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub host_rate: Option<Rate>,
    /// Base round trip, half of it in each direction [default: 30 ms]
    #[arg(long, allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub rtt: Option<Span>,
    /// Buffer of the bottleneck: "750 kB", "100 packets", "60 ms" or "1.5 bdp" [default: 2 bdp]
    #[arg(long, allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub buffer: Option<Depth>,
    /// Number of flows [default: 2; for bulk traffic in a scorecard: 1]
    #[arg(long, value_parser = whole::<u32>(1..))]
    pub flows: Option<u32>,
    /// Time between flow starts [default: 1/12 of the duration; with more than 6 flows less, so
    /// that the last starts in the first half; in a scorecard: 0 s]
    #[arg(long, allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub stagger: Option<Span>,
    /// Give each flow the saved state of an earlier connection, for controllers that resume
    /// (cubic?resume): the base round trip, and a window of this many bandwidth-delay products of
    /// the bottleneck; 1 is right, 4 is far too large
    #[arg(long, value_name = "BDP", value_parser = parse_saved, conflicts_with_all = ["icn", "traffic", "beside"])]
    pub saved: Option<f64>,
    /// Random loss of data packets: "1 %", or a probability below 1 such as 0.01
    #[arg(long, value_parser = parse_share, allow_hyphen_values = true)]
    #[serde(serialize_with = "share")]
    pub loss: Option<f64>,
    /// Capacity trace of the acknowledgements' direction [default: 100 Mbit/s]
    #[arg(long, value_name = "TRACE", requires = "trace")]
    #[serde(serialize_with = "paths")]
    pub trace_back: Option<PathBuf>,
    /// Duration of each run [default: 60 s, or the path's; in a scorecard at most 60 s]
    #[arg(long, allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub duration: Option<Span>,
    /// Warm-up, excluded from statistics [default: 1/6 of the duration, or the path's; none where
    /// each flow has one transfer]
    #[arg(long, allow_hyphen_values = true)]
    #[serde(serialize_with = "texts")]
    pub warmup: Option<Span>,
    /// Number of seeds for each controller
    #[arg(long, default_value_t = 3, value_parser = whole::<u32>(1..=100_000))]
    pub seeds: u32,
    /// First seed [default: 1, or the scenario's; in a scorecard 1]
    #[arg(long, value_parser = whole::<u64>(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Keep what BPF controllers print (bpf_trace_printk) in this file, which must not exist: a
    /// line each, with seed, time and flow
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "paths")]
    pub bpf_log: Option<PathBuf>,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// A contender of a comparison.
#[derive(Clone)]
pub enum Compared {
    /// A controller.
    Controller(Choice),
    /// A way to control an information-centric network.
    Icn(IcnWay),
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compared::Controller(choice) => choice.fmt(f),
            Compared::Icn(way) => f.write_str(way.text()),
        }
    }
}

impl Compare {
    /// Returns the network that the flags describe.
    pub fn network(&self) -> Comparison {
        self.network_of(self.on.path.first(), self.on.trace.first())
    }

    /// Returns the network that the flags describe, with another named path or trace.
    pub fn network_of(&self, path: Option<&String>, trace: Option<&PathBuf>) -> Comparison {
        let defaults = Comparison::default();
        let text = |path: &PathBuf| path.display().to_string();
        let path = path.cloned();
        let own = path.as_deref().and_then(PathProfile::named).map(PathProfile::scenario);
        let duration =
            self.duration.unwrap_or(own.as_ref().map_or(defaults.duration, |own| own.duration));
        let warmup = self.warmup.or(own.filter(|_| self.duration.is_none()).map(|own| own.warmup));
        Comparison {
            path,
            rate: self.rate.unwrap_or(defaults.rate),
            host_rate: self.host_rate,
            rtt: self.rtt.unwrap_or(defaults.rtt),
            buffer: self.buffer.or(defaults.buffer),
            loss: self.loss.unwrap_or(0.0),
            flows: self.flows.unwrap_or(2),
            // The last flow starts in the first half of the run.
            stagger: self
                .stagger
                .unwrap_or(duration / (2 * u64::from(self.flows.unwrap_or(2))).max(12)),
            trace: trace.map(text),
            trace_back: self.trace_back.as_ref().map(text),
            duration,
            warmup,
        }
    }
}

/// Parses the number of bandwidth-delay products that a connection has saved.
fn parse_saved(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches("bdp").trim().parse::<f64>().ok();
    number.filter(|own| (0.01..=1000.0).contains(own)).ok_or_else(|| {
        "give bandwidth-delay products from 0.01 to 1000: --saved 1 if the path is as it was"
            .to_owned()
    })
}

/// Parses the controller of downloads.
fn parse_beside(text: &str) -> Result<Choice, String> {
    match IcnWay::read(text) {
        Ok(Some(way)) => Err(format!(
            "{} controls rates in an information-centric network, where no download runs beside others; name a controller (narrows list controllers)",
            way.text()
        )),
        _ => parse_choice(text),
    }
}

/// Parses the name of a controller, a law or a consumer.
fn parse_compared(text: &str) -> Result<Compared, String> {
    let reason = match parse_choice(text) {
        Ok(choice) => return Ok(Compared::Controller(choice)),
        Err(reason) => reason,
    };
    match IcnWay::read(text)? {
        Some(way) => Ok(Compared::Icn(way)),
        None if Path::new(text).is_dir() => {
            Err("this is a directory; to compare two results, use narrows diff BEFORE AFTER"
                .to_owned())
        }
        None if Path::new(text).extension().is_some_and(|extension| extension == "toml") => {
            Err(format!(
                "this is a scenario; use narrows run {text}, or --file {text} with controllers to compare on it"
            ))
        }
        None => Err(reason),
    }
}
