//! The text of a scenario: a genome's network with the flows of its cast.

use super::gene::rounded;
use narrows_scenario::quoted;

/// The controllers on a network: one group of flows, or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    /// Controller of the first group, `a`.
    pub a: Option<String>,
    /// Controller of the second group, `b`.
    pub b: Option<String>,
}

/// A change of the scenario that tests whether a finding is an artefact of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// No change.
    Plain,
    /// Hosts send without their random delay.
    NoOverhead,
    /// The return path has a millisecond of uniform jitter.
    BackJitter,
    /// The run takes twice as long; the network stays as it is at the end.
    Longer,
}

/// Duration of the tail in seconds: the first state of the network, constant and without events,
/// for goals that need it.
pub const TAIL: f64 = 30.0;

/// The parts of a scenario that do not depend on the genome.
pub struct Setting<'a> {
    /// Name of the scenario.
    pub name: &'a str,
    /// Controllers on the network.
    pub cast: &'a Cast,
    /// Lines of the `[transport]` table.
    pub transport: &'a str,
    /// True if the first state returns at the end, for 30 s.
    pub tail: bool,
    /// The change of the scenario.
    pub variant: Variant,
}

/// A network in TOML.
pub struct Network {
    /// Links, changes, and flows that do not belong to the cast.
    pub tables: String,
    /// Duration in seconds, without a tail.
    pub length: f64,
    /// Warm-up that statistics exclude, in seconds.
    pub warmup: f64,
    /// Sending host of each group.
    pub from: [&'static str; 2],
    /// Number of flows of each group.
    pub counts: [u32; 2],
    /// Start of the first group, in seconds.
    pub start: f64,
    /// Additional lines of the tables of both groups.
    pub keys: String,
}

impl Network {
    /// Creates a network of one link between two hosts, with one flow of each group from the
    /// beginning.
    pub fn of_one_link(tables: String, length: f64) -> Network {
        Network {
            tables,
            length,
            warmup: 0.0,
            from: ["sender", "sender"],
            counts: [1, 1],
            start: 0.0,
            keys: String::new(),
        }
    }
}

impl Setting<'_> {
    /// Returns the line for the bottleneck's return path; empty if it has no jitter.
    pub fn back(&self) -> &'static str {
        if self.variant == Variant::BackJitter { "back = { jitter = \"1 ms\" }\n" } else { "" }
    }

    /// Returns the line for a return path with these keys, plus the jitter of the variant.
    pub fn back_with(&self, keys: &str) -> String {
        let jitter = if self.variant == Variant::BackJitter { ", jitter = \"1 ms\"" } else { "" };
        format!("back = {{ {keys}{jitter} }}\n")
    }

    /// Returns the text of the whole scenario.
    pub(super) fn text(&self, network: &Network) -> String {
        let length = network.length * if self.variant == Variant::Longer { 2.0 } else { 1.0 }
            + if self.tail { TAIL } else { 0.0 };
        let mut text =
            format!("name = {}\nduration = \"{} s\"\n", quoted(self.name), plain(length));
        if network.warmup > 0.0 {
            text += &format!("warmup = \"{} s\"\n", plain(network.warmup));
        }
        if self.variant == Variant::NoOverhead {
            text += "send_overhead = false\n";
        }
        if !self.transport.is_empty() {
            text += &format!("\n[transport]\n{}", self.transport);
        }
        text += &network.tables;
        for (place, (name, controller)) in
            [("a", &self.cast.a), ("b", &self.cast.b)].into_iter().enumerate()
        {
            let Some(controller) = controller else { continue };
            let (from, count) = (network.from[place], network.counts[place]);
            text += &format!(
                "\n[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"receiver\"\ncontroller = {}\n",
                quoted(controller)
            );
            text += &network.keys;
            if count != 1 {
                text += &format!("count = {count}\n");
            }
            if place == 0 && network.start > 0.0 && self.cast.b.is_some() {
                text += &format!("start = \"{} s\"\n", plain(network.start));
            }
        }
        text
    }
}

/// Formats a number with at most seven significant digits and without trailing zeros.
pub(super) fn plain(value: f64) -> String {
    let exact = if value == 0.0 { 0.0 } else { rounded(value, 7) };
    format!("{exact}")
}
