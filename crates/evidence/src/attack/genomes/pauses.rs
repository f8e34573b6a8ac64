//! A constant link and an application that pauses from time to time.

use super::common::{BUFFER, DELAY, RATE, counted, holds, link, link_says};
use crate::attack::gene::{Gene, Scale};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting, seconds};
use narrows_scenario::Keys;

const SOURCE: &str = "ours, for faults of BBR with applications that pause (Linux 5490b32dce69, picoquic issue 839, freenet-core issue 2706)";

/// Duration of a run in seconds. It includes a probe for the round trip, which BBR in Linux makes
/// every 10 s.
const LENGTH: f64 = 15.0;
/// Largest part of a run that may be pauses, our choice. The remaining 75 % exceed the 70 % of the
/// capacity that a reference must use.
const MOST: f64 = 0.25;
/// Smallest time between pauses, in seconds.
const BETWEEN: f64 = 0.001;

pub(super) static SHAPE: Shape = Shape {
    name: "pauses",
    summary: "a constant link and an application that has nothing to send now and then, once or several times running",
    base: &[RATE, DELAY, BUFFER],
    events: &[
        Gene {
            name: "start",
            unit: "s",
            low: 0.001,
            high: LENGTH - 0.5,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "length",
            unit: "ms",
            low: 5.0,
            high: 2000.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "times",
            unit: "",
            low: 1.0,
            high: 10.0,
            scale: Scale::Whole,
            plain: Some(1.0),
            source: SOURCE,
        },
        Gene {
            name: "between",
            unit: "ms",
            low: 1.0,
            high: 2000.0,
            scale: Scale::Ratio,
            plain: Some(1.0),
            source: SOURCE,
        },
    ],
    least: 1,
    most: 10,
    two_groups: false,
    constant: false,
    source: SOURCE,
    real,
    network,
    says,
};

/// Returns the beginning and the end of each pause, in seconds, event by event.
fn pauses(genome: &View<'_>) -> Vec<(f64, f64)> {
    let of_event = |event: &Vec<f64>| {
        let [start, length, times, between] = event[..] else { return Vec::new() };
        let (length, between) = (length / 1e3, between / 1e3);
        let begins = move |place: u32| start + f64::from(place) * (length + between);
        (0..times as u32).map(|place| (begins(place), begins(place) + length)).collect()
    };
    genome.events.iter().flat_map(of_event).collect()
}

fn real(genome: &View<'_>) -> bool {
    let pauses = pauses(genome);
    holds(genome)
        && pauses.iter().map(|(from, to)| to - from).sum::<f64>() <= MOST * LENGTH
        && pauses.iter().all(|(_, to)| *to < LENGTH)
        && pauses.windows(2).all(|pair| pair[0].1 + BETWEEN <= pair[1].0 + 1e-9)
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let tables = link(
        genome.get("rate"),
        genome.get("delay"),
        &format!("{} bdp", genome.get("buffer")),
        setting,
    );
    let mut free = 0.0;
    let mut written = Vec::new();
    for (from, to) in pauses(genome) {
        // In copies with changed numbers, pauses may overlap or extend beyond the end.
        let (from, to) = (from.max(free), to.min(LENGTH - BETWEEN));
        if from < to {
            written.push([seconds(from), seconds(to)]);
            free = to + BETWEEN;
        }
    }
    Network { keys: Keys::new().pairs("pauses", written), ..Network::of_one_link(tables, LENGTH) }
}

fn says(genome: &View<'_>) -> String {
    let mut words = link_says(genome);
    for event in genome.events {
        let [start, length, times, between] = event[..] else { continue };
        words += &match times as usize {
            1 => format!("; a pause of the application of {length} ms at {start} s"),
            times => format!(
                "; {} of the application of {length} ms each, {between} ms apart, from {start} s on",
                counted(times, "pause")
            ),
        };
    }
    words
}
