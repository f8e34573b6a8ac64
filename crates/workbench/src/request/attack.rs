//! Arguments of a search for networks that break a controller.

use super::output::Output;
use super::parse::{TransportKey, parse_choice, parse_transport, whole};
use super::words::{paths, text, texts};
use clap::{Args, ValueEnum};
use narrows_control::Choice;
use narrows_evidence::attack::{GenomeKind, Goal, Strategy};
use serde::Serialize;
use std::path::PathBuf;

/// A search for networks on which a controller does badly and standard ones do well.
#[derive(Args, Clone, Serialize)]
pub struct Attack {
    /// The controller, with parameters after "?" (see `narrows list controllers`)
    #[arg(value_name = "CONTROLLER", value_parser = parse_choice)]
    #[serde(serialize_with = "text")]
    pub controller: Choice,
    /// Weakness to search for: stall, idle, delay, harm, starve, stuck or waste (see
    /// docs/how-to/attack.md)
    #[arg(long, default_value = "idle", value_parser = Goal::named)]
    #[serde(serialize_with = "text")]
    pub goal: Goal,
    /// Kinds of networks to search, each with an equal part of the budget: steps, trace, cross,
    /// pair, acks, drops, pauses, reorder, back [default: the goal's]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = GenomeKind::named)]
    #[serde(serialize_with = "texts")]
    pub genome: Vec<GenomeKind>,
    /// Evaluate 3000 networks instead of 20,000
    #[arg(long, conflicts_with = "budget")]
    pub quick: bool,
    /// Evaluate this many networks; each is run with the controller and with its references
    #[arg(long, value_parser = whole::<u32>(1..=10_000_000))]
    pub budget: Option<u32>,
    /// Breed networks, or draw each at random for comparison
    #[arg(long, value_name = "HOW", default_value = "evolve")]
    pub search: Search,
    /// Seed of the search's draws
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Examine this many of the best networks that are unlike each other
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(1..=10))]
    pub findings: u32,
    /// Compare with these controllers; a goal that needs only one uses the first [default: newreno
    /// and cubic, without the controller itself]
    #[arg(long, value_name = "CONTROLLER", value_delimiter = ',', value_parser = parse_choice)]
    #[serde(serialize_with = "texts")]
    pub reference: Vec<Choice>,
    /// Set a key of the transport of all flows: "min_rto=1 s"; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_transport)]
    #[serde(serialize_with = "texts")]
    pub transport: Vec<TransportKey>,
    /// Replay the findings kept in this directory first, begin the search with them, and keep new
    /// confirmed findings there
    #[arg(long, value_name = "DIR")]
    #[serde(serialize_with = "paths")]
    pub keep: Option<PathBuf>,
    /// Also run confirmed findings on the kernel, five times each (has the requirements of
    /// `narrows live`)
    #[arg(long)]
    pub live: bool,
    /// Destination and amount of the output.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: Output,
}

/// Way to make networks: bred, or each drawn at random. The variants have no text of their own,
/// because it would make the help of all flags longer.
#[allow(missing_docs)]
#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    Evolve,
    Random,
}

impl Search {
    /// Converts the choice for the search.
    pub fn strategy(self) -> Strategy {
        match self {
            Search::Evolve => Strategy::Evolve,
            Search::Random => Strategy::Random,
        }
    }
}
