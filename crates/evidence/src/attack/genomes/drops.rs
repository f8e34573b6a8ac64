//! A link that drops short runs of packets.

use super::common::{
    BUFFER, DELAY, LENGTH, PACKET_BITS, RATE, bdp_packets, change, counted, holds, link, link_says,
};
use crate::attack::gene::{Gene, Scale, rounded};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting};

const SOURCE: &str = "ours, for faults of recovery that scripts of lost packets have found";

pub(super) static SHAPE: Shape = Shape {
    name: "drops",
    summary: "a constant link that loses everything for the time of a few packets, now and then",
    base: &[RATE, DELAY, BUFFER],
    events: &[
        Gene {
            name: "start",
            unit: "s",
            low: 0.01,
            high: LENGTH - 0.5,
            scale: Scale::Even,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "packets",
            unit: "packets",
            low: 1.0,
            high: 60.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
    ],
    least: 1,
    most: 30,
    two_groups: false,
    constant: false,
    source: SOURCE,
    real,
    network,
    says,
};

/// Largest part of the packets that the link could carry that may be dropped.
const MOST: f64 = 0.01;
/// Smallest congestion window, in packets.
const WINDOW: f64 = 10.0;

/// Returns the beginning and the end of each run of losses, in seconds. A run lasts as long as the
/// link takes for its packets.
fn runs(genome: &View<'_>) -> Vec<(f64, f64)> {
    let packet = PACKET_BITS / (genome.get("rate") * 1e6);
    genome
        .all("start")
        .zip(genome.all("packets"))
        .map(|(start, packets)| (start, start + packets * packet))
        .collect()
}

/// True if at most a hundredth of the packets is dropped, no run is longer than a window, and runs
/// do not overlap.
fn real(genome: &View<'_>) -> bool {
    let carried = genome.get("rate") * 1e6 * LENGTH / PACKET_BITS;
    let window = bdp_packets(genome.get("rate"), genome.get("delay")).max(WINDOW);
    holds(genome)
        && genome.all("packets").sum::<f64>() <= MOST * carried
        && genome.all("packets").all(|packets| packets <= window)
        && runs(genome).windows(2).all(|pair| pair[0].1 < pair[1].0)
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let mut tables = link(
        genome.get("rate"),
        genome.get("delay"),
        &format!("{} bdp", genome.get("buffer")),
        setting,
    );
    // In a copy with changed numbers, a run may extend beyond the end. A time within the last
    // millisecond may be printed as the end.
    let last = LENGTH - 0.001;
    for (from, to) in runs(genome).into_iter().filter(|(from, _)| *from < last) {
        for (at, loss) in [(from, 100), (to.min(last), 0)] {
            tables.add("change", change(at).text("loss", format!("{loss} %")));
        }
    }
    Network::of_one_link(tables, LENGTH)
}

fn says(genome: &View<'_>) -> String {
    let all: f64 = genome.all("packets").sum();
    let (first, last) =
        (genome.all("start").fold(f64::MAX, f64::min), genome.all("start").fold(0.0, f64::max));
    let when =
        if first == last { format!("at {first} s") } else { format!("from {first} to {last} s") };
    format!(
        "{}; {} of all packets for the time of {} in all, {when}",
        link_says(genome),
        counted(genome.events.len(), "loss"),
        counted(rounded(all, 2) as usize, "packet")
    )
}
