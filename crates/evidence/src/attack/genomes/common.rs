//! Parts that several kinds of networks have in common.

use crate::attack::gene::{Gene, Scale};
use crate::attack::shape::View;
use crate::attack::text::{Setting, seconds};
use narrows_scenario::{Draft, Keys};

/// Bits of a full packet, including headers.
pub(super) const PACKET_BITS: f64 = 12_000.0;

/// Time in which bursts and losses happen, in seconds, our choice: nine periods of the low-rate
/// attack on a timeout of 1 s.
pub(super) const LENGTH: f64 = 10.0;

/// Genes of a constant link.
pub(super) const RATE: Gene = Gene {
    name: "rate",
    unit: "Mbit/s",
    low: 5.0,
    high: 50.0,
    scale: Scale::Ratio,
    plain: None,
    source: "ours, around the 10 Mbit/s of Kuzmanovic and Knightly, SIGCOMM 2003",
};
pub(super) const DELAY: Gene = Gene {
    name: "delay",
    unit: "ms",
    low: 1.0,
    high: 100.0,
    scale: Scale::Ratio,
    plain: None,
    source: "ours: round trips of 2 to 200 ms",
};
pub(super) const BUFFER: Gene = Gene {
    name: "buffer",
    unit: "bdp",
    low: 0.25,
    high: 16.0,
    scale: Scale::Ratio,
    plain: None,
    source: "ours",
};

/// Returns the network of a link between two hosts, alike in both directions.
pub(super) fn link(rate: f64, delay: f64, buffer: &str, setting: &Setting<'_>) -> Draft {
    let link = bottleneck("sender", (rate, delay), buffer).and(setting.back(Keys::new()));
    Draft::default().with("link", [link])
}

/// Returns the keys of the bottleneck: a rate in Mbit/s and a delay in milliseconds.
pub(super) fn bottleneck(from: &str, (rate, delay): (f64, f64), buffer: &str) -> Keys {
    Keys::new()
        .text("name", "bottleneck")
        .texts("between", [from, "receiver"])
        .text("rate", format!("{rate} Mbit/s"))
        .text("delay", format!("{delay} ms"))
        .text("buffer", buffer)
}

/// Returns a change of the bottleneck towards the receiver.
pub(super) fn change(at: f64) -> Keys {
    Keys::new().text("link", "bottleneck").text("at", seconds(at))
}

/// Returns a change of the bottleneck in both directions.
pub(super) fn change_both(at: f64) -> Keys {
    Keys::new().text("link", "bottleneck").flag("both", true).text("at", seconds(at))
}

/// Describes the constant link.
pub(super) fn link_says(genome: &View<'_>) -> String {
    format!(
        "{} Mbit/s, {} ms one way, a buffer of {} bdp",
        genome.get("rate"),
        genome.get("delay"),
        genome.get("buffer")
    )
}

/// Counts things: "1 thing", "2 things"; "2 losses".
pub(super) fn counted(count: usize, thing: &str) -> String {
    let ending = if thing.ends_with('s') { "es" } else { "s" };
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}{ending}") }
}

/// Returns the bandwidth-delay product in packets.
pub(super) fn bdp_packets(rate: f64, delay: f64) -> f64 {
    rate * 1e6 * 2.0 * delay / 1e3 / PACKET_BITS
}

/// True if the buffer has room for the smallest number of packets.
pub(super) fn holds(genome: &View<'_>) -> bool {
    genome.get("buffer") * bdp_packets(genome.get("rate"), genome.get("delay")) >= LEAST
}

/// Smallest buffer, in packets, our choice: half of the 10 packets of AdvNet (CoNEXT 2026).
const LEAST: f64 = 5.0;
