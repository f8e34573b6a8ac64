//! A link with a fixed mean rate and a variable course of the rate.

use super::common::{BUFFER, DELAY, bdp_packets, change_both, link};
use crate::attack::gene::{Gene, Scale, rounded};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting};

pub(super) static SHAPE: Shape = Shape {
    name: "trace",
    summary: "a link of 12 Mbit/s on average whose rate changes every 250 ms",
    base: &[DELAY, BUFFER],
    events: &[Gene {
        name: "weight",
        unit: "",
        low: 0.05,
        high: 20.0,
        scale: Scale::Ratio,
        plain: Some(1.0),
        source: "ours: no quarter of a second is without any capacity",
    }],
    least: PIECES,
    most: PIECES,
    two_groups: false,
    constant: false,
    source: "the idea of CC-Fuzz (HotNets 2022) to hold the capacity and vary its times; 20 pieces of 250 ms and 12 Mbit/s are ours",
    real: |_| true,
    network,
    says,
};

const PIECES: usize = 20;
/// Duration of each piece in seconds. Faster changes would not be changes of a path's capacity.
const PIECE: f64 = 0.25;
/// Mean rate in Mbit/s.
const MEAN: f64 = 12.0;

/// Returns the rates of the pieces, in Mbit/s.
fn rates(genome: &View<'_>) -> Vec<f64> {
    let sum: f64 = genome.all("weight").sum();
    genome
        .all("weight")
        .map(|weight| rounded(MEAN * weight * PIECES as f64 / sum, 3).max(0.01))
        .collect()
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let mut rates = rates(genome);
    if setting.tail {
        rates.push(rates[0]);
    }
    let mut tables = link(rates[0], genome.get("delay"), &buffer(genome), setting);
    for (place, pair) in rates.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]) {
        let at = PIECE * (place + 1) as f64;
        tables.add("change", change_both(at).text("rate", format!("{} Mbit/s", pair[1])));
    }
    Network::of_one_link(tables, PIECE * PIECES as f64)
}

/// Returns the buffer in packets, based on the mean rate. In bdp, it would be based on the rate of
/// the first piece.
fn buffer(genome: &View<'_>) -> String {
    format!(
        "{} packets",
        libm::ceil(genome.get("buffer") * bdp_packets(MEAN, genome.get("delay"))).max(2.0)
    )
}

fn says(genome: &View<'_>) -> String {
    let rates = rates(genome);
    let (least, most) = rates
        .iter()
        .fold((f64::MAX, 0.0f64), |(least, most), rate| (least.min(*rate), most.max(*rate)));
    format!(
        "{MEAN} Mbit/s on average, {} ms one way, a buffer of {}; capacity moves between {least} and {most} Mbit/s, {} times",
        genome.get("delay"),
        buffer(genome),
        genome.event_count()
    )
}
