//! Several flows of two controllers on a constant link.

use super::common::{counted, link};
use crate::attack::gene::{Gene, Scale};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting};
use narrows_scenario::Keys;

const SOURCE: &str = "the space of HarmGen (SIGCOMM 2026)";

pub(super) static SHAPE: Shape = Shape {
    name: "pair",
    summary: "one to five flows of each of two controllers on a constant link",
    base: &[
        Gene {
            name: "rate",
            unit: "Mbit/s",
            low: 25.0,
            high: 200.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "rtt",
            unit: "ms",
            low: 10.0,
            high: 100.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "buffer",
            unit: "bdp",
            low: 0.25,
            high: 5.0,
            scale: Scale::OneOf(&[0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]),
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "flows_a",
            unit: "",
            low: 1.0,
            high: 5.0,
            scale: Scale::Whole,
            plain: Some(1.0),
            source: SOURCE,
        },
        Gene {
            name: "flows_b",
            unit: "",
            low: 1.0,
            high: 5.0,
            scale: Scale::Whole,
            plain: Some(1.0),
            source: SOURCE,
        },
        Gene {
            name: "offset",
            unit: "s",
            low: 0.0,
            high: 5.0,
            scale: Scale::Even,
            plain: Some(0.0),
            source: "ours: how much later the first group begins",
        },
    ],
    events: &[],
    least: 0,
    most: 0,
    two_groups: true,
    constant: true,
    source: SOURCE,
    real: |_| true,
    network,
    says,
};

/// Duration of a run and of its warm-up, in seconds. All flows begin during the warm-up. The values
/// are our choice: short runs keep the search fast, and a finding is also run with twice the
/// duration.
const LENGTH: f64 = 20.0;
const WARMUP: f64 = 8.0;

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let tables = link(
        genome.get("rate"),
        genome.get("rtt") / 2.0,
        &format!("{} bdp", genome.get("buffer")),
        setting,
    );
    let counts = [genome.get("flows_a") as u32, genome.get("flows_b") as u32];
    Network {
        tables,
        length: LENGTH,
        warmup: WARMUP,
        from: ["sender", "sender"],
        counts,
        start: genome.get("offset"),
        keys: Keys::new(),
    }
}

fn says(genome: &View<'_>) -> String {
    let earlier = match genome.get("offset") {
        0.0 => String::new(),
        offset => format!(", which begin {offset} s earlier"),
    };
    format!(
        "{} beside {} of the other kind{earlier}, on {} Mbit/s, {} ms of round trip, a buffer of {} bdp",
        counted(genome.get("flows_a") as usize, "flow"),
        genome.get("flows_b"),
        genome.get("rate"),
        genome.get("rtt"),
        genome.get("buffer")
    )
}
