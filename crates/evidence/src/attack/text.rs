//! The text of a scenario: a genome's network with those who are on it.

use super::gene::rounded;

/// Who is on a network: one group of flows, or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    /// The controller of the first group, `a`.
    pub a: Option<String>,
    /// The controller of the second group, `b`.
    pub b: Option<String>,
}

/// What is done to a finding to see whether it is the simulator's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// Nothing.
    Plain,
    /// Hosts send without their random delay.
    NoOverhead,
    /// A millisecond of uniform jitter on the way back.
    BackJitter,
    /// The network goes on as it is at the end for as long again.
    Longer,
}

/// Seconds that the first state of the network lasts after all else, constant and alone, where a goal asks for it.
pub const TAIL: f64 = 30.0;

/// All that a scenario has beside the genome.
pub struct Setting<'a> {
    /// Its name.
    pub name: &'a str,
    /// Who is on it.
    pub cast: &'a Cast,
    /// Lines of its `[transport]`.
    pub transport: &'a str,
    /// Whether the first state returns at the end, for 30 s.
    pub tail: bool,
    /// What is done to it.
    pub variant: Variant,
}

/// A network in TOML.
pub struct Network {
    /// Links, changes and flows that are not the cast's.
    pub tables: String,
    /// How long it lasts, without a tail, in seconds.
    pub length: f64,
    /// Time that statistics leave out, in seconds.
    pub warmup: f64,
    /// Where the flows of each group begin.
    pub from: [&'static str; 2],
    /// How many flows each group has.
    pub counts: [u32; 2],
    /// When the first group begins, in seconds.
    pub start: f64,
    /// More lines of the tables of both groups.
    pub keys: String,
}

impl Network {
    /// One link between two hosts, on which one flow of each group runs from the beginning.
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
    /// The way back of the bottleneck: a line of its table, or nothing.
    pub fn back(&self) -> &'static str {
        if self.variant == Variant::BackJitter { "back = { jitter = \"1 ms\" }\n" } else { "" }
    }

    /// The same of a way back that has these keys as well.
    pub fn back_with(&self, keys: &str) -> String {
        let jitter = if self.variant == Variant::BackJitter { ", jitter = \"1 ms\"" } else { "" };
        format!("back = {{ {keys}{jitter} }}\n")
    }

    /// The whole scenario.
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

/// A basic string of TOML, which those of JSON are.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A number as people write it, to the microsecond where it is a time in seconds.
pub(super) fn plain(value: f64) -> String {
    let exact = if value == 0.0 { 0.0 } else { rounded(value, 7) };
    format!("{exact}")
}
