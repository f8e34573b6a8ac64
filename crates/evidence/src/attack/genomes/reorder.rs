//! A constant link that delays some packets for a time, so that others overtake them.

use super::common::{BUFFER, DELAY, LENGTH, RATE, change, holds, link, link_says};
use crate::attack::gene::{Gene, Scale};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting, plain};
use narrows_scenario::Keys;

const SOURCE: &str = "ours, for faults of BBR after spurious recoveries (Linux, December 2017)";

pub(super) static SHAPE: Shape = Shape {
    name: "reorder",
    summary: "a constant link on which packets overtake others, now and then",
    base: &[RATE, DELAY, BUFFER],
    events: &[
        Gene {
            name: "start",
            unit: "s",
            low: 0.01,
            high: LENGTH - 0.5,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "length",
            unit: "ms",
            low: 10.0,
            high: 5000.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "share",
            unit: "%",
            low: 0.1,
            high: 50.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "late",
            unit: "ms",
            low: 1.0,
            high: 200.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
    ],
    least: 1,
    most: 5,
    two_groups: false,
    constant: false,
    source: SOURCE,
    real,
    network,
    says,
};

/// Returns the time at which an event's delays end, in seconds. It is at least a millisecond before
/// the end of the run, because later times may be printed as the end.
fn end(event: &[f64]) -> f64 {
    (event[0] + event[1] / 1e3).min(LENGTH - 0.001)
}

/// True if no packet is delayed by more than a round trip, and events do not overlap.
fn real(genome: &View<'_>) -> bool {
    holds(genome)
        && genome.all("late").all(|late| late <= 2.0 * genome.get("delay"))
        && genome.events.windows(2).all(|pair| end(&pair[0]) < pair[1][0])
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let mut tables = link(
        genome.get("rate"),
        genome.get("delay"),
        &format!("{} bdp", genome.get("buffer")),
        setting,
    );
    for (place, event) in genome.events.iter().enumerate() {
        let [start, _, share, late] = event[..] else { continue };
        // In a copy with changed numbers, an event may extend into the next one.
        let next = genome.events.get(place + 1).map_or(f64::INFINITY, |next| next[0]);
        for (at, reorder) in [
            (start, [format!("{share} %"), format!("{late} ms")]),
            (end(event), ["0 %", "0 s"].map(str::to_owned)),
        ] {
            if at < next {
                let [share, delay] = &reorder;
                let reorder = Keys::new().text("share", share).text("delay", delay);
                tables.add("change", change(at).table("reorder", reorder));
            }
        }
    }
    Network::of_one_link(tables, LENGTH)
}

fn says(genome: &View<'_>) -> String {
    let mut words = link_says(genome);
    for event in genome.events {
        let [start, _, share, late] = event[..] else { continue };
        words += &format!(
            "; {share} % of packets {late} ms late from {start} to {} s",
            plain(end(event))
        );
    }
    words
}
