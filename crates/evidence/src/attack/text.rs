//! The text of a scenario: a genome's network with the flows of its cast.

use super::gene::rounded;
use narrows_scenario::{Draft, Keys};

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

/// A network.
pub struct Network {
    /// Links, changes, and flows that do not belong to the cast.
    pub tables: Draft,
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
    /// Additional keys of both groups.
    pub keys: Keys,
}

impl Network {
    /// Creates a network of one link between two hosts, with one flow of each group from the
    /// beginning.
    pub fn of_one_link(tables: Draft, length: f64) -> Network {
        Network {
            tables,
            length,
            warmup: 0.0,
            from: ["sender", "sender"],
            counts: [1, 1],
            start: 0.0,
            keys: Keys::new(),
        }
    }
}

impl Setting<'_> {
    /// Returns the key `back` of the bottleneck: these keys, plus the jitter of the variant. Empty
    /// without keys.
    pub fn back(&self, keys: Keys) -> Keys {
        let keys = keys.when(self.variant == Variant::BackJitter, |own| own.text("jitter", "1 ms"));
        if keys.is_empty() { keys } else { Keys::new().table("back", keys) }
    }

    /// Returns the text of the whole scenario.
    pub(super) fn text(&self, network: &Network) -> String {
        let length = network.length * if self.variant == Variant::Longer { 2.0 } else { 1.0 }
            + if self.tail { TAIL } else { 0.0 };
        let keys = Keys::new()
            .text("name", self.name)
            .text("duration", seconds(length))
            .when(network.warmup > 0.0, |keys| keys.text("warmup", seconds(network.warmup)))
            .when(self.variant == Variant::NoOverhead, |keys| keys.flag("send_overhead", false));
        // The parser refuses lines that are no keys: the table then has the unknown key `lines`.
        let transport =
            self.transport.parse().unwrap_or_else(|_| Keys::new().text("lines", self.transport));
        let mut draft = Draft::new(keys).table("transport", transport).and(network.tables.clone());
        for (place, (name, controller)) in
            [("a", &self.cast.a), ("b", &self.cast.b)].into_iter().enumerate()
        {
            let Some(controller) = controller else { continue };
            let (from, count) = (network.from[place], network.counts[place]);
            let late = place == 0 && network.start > 0.0 && self.cast.b.is_some();
            let flow = Keys::new()
                .text("name", name)
                .text("from", from)
                .text("to", "receiver")
                .text("controller", controller)
                .and(network.keys.clone())
                .when(count != 1, |keys| keys.whole("count", count.into()))
                .when(late, |keys| keys.text("start", seconds(network.start)));
            draft.add("flow", flow);
        }
        draft.to_string()
    }
}

/// Formats a time in seconds with its unit.
pub(super) fn seconds(value: f64) -> String {
    format!("{} s", plain(value))
}

/// Formats a number with at most seven significant digits and without trailing zeros.
pub(super) fn plain(value: f64) -> String {
    let exact = if value == 0.0 { 0.0 } else { rounded(value, 7) };
    format!("{exact}")
}
