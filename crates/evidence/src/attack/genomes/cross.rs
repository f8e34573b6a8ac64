//! A link with bursts of UDP cross traffic.

use super::common::{BUFFER, DELAY, LENGTH, RATE, counted, holds, link, link_says};
use crate::attack::gene::{Gene, Scale, rounded};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting, plain, seconds};
use narrows_scenario::Keys;

const SOURCE: &str = "the idea of CC-Fuzz (HotNets 2022) to vary cross traffic, and the low-rate attack of Kuzmanovic and Knightly, SIGCOMM 2003; ranges ours";

pub(super) static SHAPE: Shape = Shape {
    name: "cross",
    summary: "a constant link that bursts of UDP cross, once or again and again",
    base: &[RATE, DELAY, BUFFER],
    events: &[
        Gene {
            name: "start",
            unit: "s",
            low: 0.0,
            high: LENGTH,
            scale: Scale::Even,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "length",
            unit: "ms",
            low: 10.0,
            high: 500.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "factor",
            unit: "of the capacity",
            low: 0.1,
            high: 2.0,
            scale: Scale::Ratio,
            plain: Some(2.0),
            source: SOURCE,
        },
        Gene {
            name: "every",
            unit: "s",
            low: 0.25,
            high: 5.0,
            scale: Scale::RatioOrZero,
            plain: None,
            source: SOURCE,
        },
    ],
    least: 1,
    most: 20,
    two_groups: false,
    constant: false,
    source: SOURCE,
    real: |genome| holds(genome) && load(genome) <= MOST,
    network,
    says,
};

/// Largest part of the capacity that all bursts together may use.
const MOST: f64 = 0.5;

struct Burst {
    start: f64,
    length: f64,
    factor: f64,
    every: f64,
}

fn bursts<'a>(genome: &'a View<'a>) -> impl Iterator<Item = Burst> + 'a {
    genome.events.iter().map(|event| Burst {
        start: event[0],
        length: event[1] / 1e3,
        factor: event[2],
        every: event[3],
    })
}

/// Returns the part of the capacity that the bursts use over the time in which they happen.
/// Infinite if a burst repeats before it ends.
fn load(genome: &View<'_>) -> f64 {
    let asked = |burst: Burst| match burst.every {
        0.0 => burst.factor * burst.length,
        every if every <= burst.length => f64::INFINITY,
        every => burst.factor * burst.length * libm::ceil((LENGTH - burst.start).max(0.0) / every),
    };
    bursts(genome).map(asked).sum::<f64>() / LENGTH
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let rate = genome.get("rate");
    let mut tables =
        link(rate, genome.get("delay"), &format!("{} bdp", genome.get("buffer")), setting);
    for (place, burst) in bursts(genome).enumerate() {
        let at = rounded(rate * burst.factor, 3);
        // In a copy with changed numbers, a burst may repeat before it ends: the pause is then a
        // millisecond.
        let off = (burst.every - burst.length).max(0.001);
        let workload = Keys::new()
            .when(burst.every != 0.0, |keys| {
                keys.text("on", format!("{} ms", plain(1e3 * burst.length)))
                    .text("off", format!("{} ms", plain(1e3 * off)))
            })
            .text("rate", format!("{at} Mbit/s"));
        let stop = if burst.every == 0.0 { burst.start + burst.length } else { LENGTH };
        // The parser refuses a flow that never begins before the run ends.
        if burst.start < LENGTH - 0.001 {
            let flow = Keys::new()
                .text("name", format!("cross-{}", place + 1))
                .text("from", "sender")
                .text("to", "receiver")
                .table("workload", workload)
                .text("start", seconds(burst.start))
                .text("stop", seconds(stop.min(LENGTH)));
            tables.add("flow", flow);
        }
    }
    Network::of_one_link(tables, LENGTH)
}

fn says(genome: &View<'_>) -> String {
    let once = bursts(genome).filter(|burst| burst.every == 0.0).count();
    let mut words = link_says(genome);
    for burst in bursts(genome).filter(|burst| burst.every > 0.0) {
        let Burst { start, length, factor, every } = burst;
        words += &format!(
            "; from {start} s on {} ms of UDP at {factor} of the capacity every {every} s",
            plain(1e3 * length)
        );
    }
    if once > 0 {
        words += &format!(
            "; {} of UDP, {} % of the capacity in all",
            counted(once, "single burst"),
            rounded(100.0 * load(genome), 2)
        );
    }
    words
}
