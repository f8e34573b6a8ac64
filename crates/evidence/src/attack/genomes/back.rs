//! A constant link with a slow return path: acknowledgements wait and are lost there.

use super::common::{BUFFER, DELAY, LENGTH, RATE, bottleneck, holds, link_says};
use crate::attack::gene::{Gene, Scale};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting};
use narrows_scenario::{Draft, Keys};

const SOURCE: &str =
    "ours, for picoquic's issue 1213: 100 to 400 kbit/s back beside 10 Mbit/s forward";

pub(super) static SHAPE: Shape = Shape {
    name: "back",
    summary: "a constant link with a slow way back",
    base: &[
        RATE,
        DELAY,
        BUFFER,
        Gene {
            name: "back",
            unit: "kbit/s",
            low: 10.0,
            high: 2000.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "room",
            unit: "packets",
            low: 10.0,
            high: 1000.0,
            scale: Scale::Ratio,
            plain: Some(100.0),
            source: "ours",
        },
    ],
    events: &[],
    least: 0,
    most: 0,
    two_groups: false,
    constant: true,
    source: SOURCE,
    real,
    network,
    says,
};

/// True if the buffer is large enough. There is no further limit: on a hopeless network the
/// references fail, too, so it scores nothing.
fn real(genome: &View<'_>) -> bool {
    holds(genome)
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let (rate, delay, buffer) = (genome.get("rate"), genome.get("delay"), genome.get("buffer"));
    let back = Keys::new()
        .text("rate", format!("{} kbit/s", genome.get("back")))
        .text("buffer", format!("{} packets", genome.get("room").round()));
    let link =
        bottleneck("sender", (rate, delay), &format!("{buffer} bdp")).and(setting.back(back));
    Network::of_one_link(Draft::default().with("link", [link]), LENGTH)
}

fn says(genome: &View<'_>) -> String {
    format!(
        "{}; {} kbit/s back with room for {} packets",
        link_says(genome),
        genome.get("back"),
        genome.get("room").round()
    )
}
