//! A link with steps of rate and delay.

use super::common::{bdp_packets, change_both, link};
use crate::attack::gene::{Gene, Scale, rounded};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting, plain};
use narrows_scenario::Keys;

const SOURCE: &str = "around AdvNet's traces (CoNEXT 2026, arXiv 2605.00755): 1 to 5 segments, 0.5 to 10 Mbit/s, 1 to 30 ms, 0.5 to 2 s";

pub(super) static SHAPE: Shape = Shape {
    name: "steps",
    summary: "a link whose rate and delay change in steps",
    base: &[Gene {
        name: "buffer",
        unit: "bdp",
        low: 0.25,
        high: 16.0,
        scale: Scale::Ratio,
        plain: None,
        source: "ours; of the segment with the largest, and at least AdvNet's 10 packets",
    }],
    events: &[
        Gene {
            name: "rate",
            unit: "Mbit/s",
            low: 0.5,
            high: 100.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "delay",
            unit: "ms",
            low: 1.0,
            high: 150.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "duration",
            unit: "s",
            low: 0.25,
            high: 10.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
    ],
    least: 1,
    most: 6,
    two_groups: false,
    constant: false,
    source: SOURCE,
    real,
    network,
    says,
};

/// Largest ratio between consecutive rates, our choice: a change of the access network from a busy
/// mobile cell to wireless LAN.
const LARGEST: f64 = 20.0;
/// Smallest buffer in packets, as in AdvNet.
const PACKETS: f64 = 10.0;

#[derive(Clone, Copy)]
struct Segment {
    from: f64,
    rate: f64,
    delay: f64,
}

fn real(genome: &View<'_>) -> bool {
    let rates: Vec<f64> = genome.all("rate").collect();
    rates.windows(2).all(|pair| pair[0] <= LARGEST * pair[1] && pair[1] <= LARGEST * pair[0])
}

/// Returns the segments, and the end of the last segment.
fn segments(genome: &View<'_>) -> (Vec<Segment>, f64) {
    let mut at = 0.0;
    let rates = genome.all("rate").zip(genome.all("delay")).zip(genome.all("duration"));
    let segments = rates.map(|((rate, delay), duration)| {
        let from = at;
        at += duration;
        Segment { from, rate, delay }
    });
    (segments.collect(), at)
}

/// Returns the size of the buffer in packets: a multiple of the largest bandwidth-delay product.
fn packets(genome: &View<'_>, segments: &[Segment]) -> f64 {
    let largest = segments.iter().map(|own| bdp_packets(own.rate, own.delay)).fold(0.0, f64::max);
    libm::ceil(genome.get("buffer") * largest).max(PACKETS)
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let (mut segments, length) = segments(genome);
    let packets = packets(genome, &segments);
    if setting.tail {
        segments.push(Segment { from: length, ..segments[0] });
    }
    let mut tables =
        link(segments[0].rate, segments[0].delay, &format!("{packets} packets"), setting);
    for pair in segments.windows(2) {
        let keys = Keys::new()
            .when(pair[0].rate != pair[1].rate, |keys| {
                keys.text("rate", format!("{} Mbit/s", pair[1].rate))
            })
            .when(pair[0].delay != pair[1].delay, |keys| {
                keys.text("delay", format!("{} ms", pair[1].delay))
            });
        if !keys.is_empty() {
            tables.add("change", change_both(pair[1].from).and(keys));
        }
    }
    Network::of_one_link(tables, length)
}

fn says(genome: &View<'_>) -> String {
    let (segments, _) = segments(genome);
    let first = &segments[0];
    let mut words = format!(
        "{} Mbit/s, {} ms one way, a buffer of {} packets",
        first.rate,
        first.delay,
        packets(genome, &segments)
    );
    for pair in segments.windows(2) {
        let [before, now] = pair else { continue };
        let mut parts = Vec::new();
        if now.rate > before.rate {
            parts.push(format!("capacity grows {}-fold", rounded(now.rate / before.rate, 2)));
        } else if now.rate < before.rate {
            parts.push(format!("capacity falls to 1/{}", rounded(before.rate / now.rate, 2)));
        }
        if now.delay != before.delay {
            parts.push(format!(
                "the delay {} to {} ms",
                if now.delay > before.delay { "rises" } else { "falls" },
                now.delay
            ));
        }
        if !parts.is_empty() {
            words += &format!("; {} after {} s", parts.join(" and "), plain(rounded(now.from, 3)));
        }
    }
    words
}
