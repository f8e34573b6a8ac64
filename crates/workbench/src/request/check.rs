//! Arguments of `narrows check`.

use super::output::Output;
use super::parse::{parse_choice, whole};
use super::words::{paths, read, texts};
use clap::{Args, ValueEnum};
use narrows_control::Choice;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Evidence on a controller or a program: a verdict on each criterion of a suite.
#[derive(Args, Clone, Serialize)]
pub struct Check {
    /// The controller under test, with parameters after "?" (see `narrows list controllers`), or a
    /// file
    #[arg(value_name = "CONTROLLER", value_parser = parse_choice, required_unless_present = "words")]
    #[serde(serialize_with = "texts")]
    pub controller: Option<Choice>,
    /// Suite: the criteria of RFC 9743, the example cases of draft-ietf-ccwg-bbr, how connections
    /// start, or numbers of other documents
    #[arg(long, value_enum, default_value = "rfc9743")]
    pub suite: Suite,
    /// Few cells and five seeds: about a minute on two cores
    #[arg(long)]
    pub quick: bool,
    /// Only these criteria or cases, by id, such as loss,coexist or T01
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Networks in which the controller is meant to be used
    #[arg(long, value_enum, default_value = "internet")]
    pub scope: Scope,
    /// Judge against these controllers instead of newreno and cubic
    #[arg(long, value_name = "CONTROLLER", value_delimiter = ',', value_parser = parse_choice)]
    #[serde(serialize_with = "texts")]
    pub baselines: Vec<Choice>,
    /// Show changes since another version: a controller, which is checked first, or the result
    /// directory or check.json of an earlier check; exit with 1 if a verdict got worse
    #[arg(long, value_name = "CONTROLLER|DIR|FILE", visible_alias = "baseline")]
    pub against: Option<String>,
    /// TOML file with the authors' statements on where, rfc2914, rfc7141, deployment and security;
    /// they are shown, not judged
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "paths")]
    pub about: Option<PathBuf>,
    /// Repeat the findings that `narrows attack --keep` has kept in this directory; they are shown,
    /// not judged
    #[arg(long, value_name = "DIR", conflicts_with = "words")]
    #[serde(serialize_with = "paths")]
    pub keep: Option<PathBuf>,
    /// Also run the worst cells on this host's kernel, five runs of each pair or one with --quick:
    /// cells of collapse, loss, coexist, starve and transient, of BBR's cases that are visible from
    /// outside, and of criterion exit of suite startup
    #[arg(long)]
    pub live: bool,
    /// Exit with 1 also for concerns and for criteria that were not run
    #[arg(long, conflicts_with = "against")]
    pub strict: bool,
    /// Number of seeds of each cell in the first round [default: 10, with --quick 5; for a program
    /// 5 runs, with --quick 1]
    #[arg(long, value_parser = whole::<u16>(5..=1000))]
    pub seeds: Option<u16>,
    /// First seed
    #[arg(long, default_value_t = 1, value_parser = whole::<u16>(1..=60_000))]
    pub seed: u16,
    /// Check this program on this host's kernel instead of a controller: it replaces one flow, on
    /// the sender's host; "receiver" is the name of the other host, and {receiver} its address
    #[arg(last = true, value_name = "PROGRAM", requires = "live", conflicts_with = "controller")]
    pub words: Vec<String>,
    /// Start this command on the receiver's host before the program, for example "iperf3 -s", and
    /// stop it afterwards; may be repeated
    #[arg(long, value_name = "COMMAND", requires = "words", conflicts_with = "controller")]
    pub serve: Vec<String>,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

impl Check {
    /// Returns the check of a controller with the defaults of all flags.
    pub fn of(controller: Choice) -> Check {
        let named = Map::from_iter([("controller".to_owned(), Value::from("newreno"))]);
        let default = read("check", &named).expect("a name is enough");
        Check { controller: Some(controller), ..default }
    }
}

/// A suite of criteria.
#[derive(Clone, Copy, PartialEq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// The criteria of RFC 9743
    Rfc9743,
    /// The example cases of draft-ietf-ccwg-bbr
    BbrDraft,
    /// The numbers of draft-irtf-iccrg-tcpeval-01, without verdicts
    Tcpeval,
    /// The numbers of RFC 8867, where the controllers drive frames of media, without verdicts
    Media,
    /// How connections start: where slow start ends, its losses, its time, and its harm
    Startup,
}

/// Networks in which a controller is meant to be used.
#[derive(Clone, Copy, PartialEq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// On the Internet
    Internet,
    /// Within a data centre
    Datacenter,
    /// In networks under one control
    Controlled,
}
