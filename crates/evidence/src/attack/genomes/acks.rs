//! Two flows over a shared link with different return paths for acknowledgements.

use super::common::{bottleneck, holds};
use crate::attack::gene::{Gene, Scale, rounded};
use crate::attack::shape::{Shape, View};
use crate::attack::text::{Network, Setting};
use narrows_scenario::{Draft, Keys};

const SOURCE: &str =
    "around the paths of Arun, Alizadeh and Balakrishnan, SIGCOMM 2022; ranges ours";

pub(super) static SHAPE: Shape = Shape {
    name: "acks",
    summary: "a shared link to which each flow has its own access, with bursts, jitter and loss of its acknowledgements",
    base: &[
        Gene {
            name: "rate",
            unit: "Mbit/s",
            low: 5.0,
            high: 120.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "delay",
            unit: "ms",
            low: 5.0,
            high: 80.0,
            scale: Scale::Ratio,
            plain: None,
            source: SOURCE,
        },
        Gene {
            name: "buffer",
            unit: "bdp",
            low: 0.5,
            high: 16.0,
            scale: Scale::OneOf(&[0.5, 1.0, 2.0, 4.0, 8.0, 16.0]),
            plain: None,
            source: "ours",
        },
    ],
    events: &[
        Gene {
            name: "extra",
            unit: "ms",
            low: 1.0,
            high: 100.0,
            scale: Scale::RatioOrZero,
            plain: Some(0.0),
            source: SOURCE,
        },
        Gene {
            name: "bursts",
            unit: "ms",
            low: 1.0,
            high: 60.0,
            scale: Scale::RatioOrZero,
            plain: Some(0.0),
            source: SOURCE,
        },
        Gene {
            name: "jitter",
            unit: "ms",
            low: 0.5,
            high: 20.0,
            scale: Scale::RatioOrZero,
            plain: Some(0.0),
            source: SOURCE,
        },
        Gene {
            name: "loss",
            unit: "%",
            low: 0.1,
            high: 5.0,
            scale: Scale::RatioOrZero,
            plain: Some(0.0),
            source: SOURCE,
        },
    ],
    least: 2,
    most: 2,
    two_groups: true,
    constant: true,
    source: SOURCE,
    real,
    network,
    says,
};

/// Duration of a run and of its warm-up, in seconds. The values are our choice.
const LENGTH: f64 = 20.0;
const WARMUP: f64 = 5.0;

/// True if the jitter is at most one round trip of its flow.
fn real(genome: &View<'_>) -> bool {
    holds(genome)
        && genome
            .all("jitter")
            .zip(genome.all("extra"))
            .all(|(jitter, extra)| jitter <= 2.0 * (genome.get("delay") + extra))
}

fn network(genome: &View<'_>, setting: &Setting<'_>) -> Network {
    let buffer = format!("{} bdp", genome.get("buffer"));
    let link = bottleneck("router", (genome.get("rate"), genome.get("delay")), &buffer);
    let mut tables = Draft::default().with("link", [link.and(setting.back(Keys::new()))]);
    for (event, (name, _)) in genome.events.iter().zip(
        [("a", &setting.cast.a), ("b", &setting.cast.b)]
            .into_iter()
            .filter(|(_, own)| own.is_some()),
    ) {
        let [extra, bursts, jitter, loss] = event[..] else { continue };
        let back = Keys::new()
            .when(bursts > 0.0, |keys| keys.text("aggregate", format!("{bursts} ms")))
            .when(jitter > 0.0, |keys| keys.text("jitter", format!("{jitter} ms")))
            .when(loss > 0.0, |keys| keys.text("loss", format!("{} %", rounded(loss, 3))));
        let access = Keys::new()
            .text("name", format!("access-{name}"))
            .texts("between", [&format!("sender-{name}"), "router"])
            .text("delay", format!("{extra} ms"))
            .when(!back.is_empty(), |keys| keys.table("back", back));
        tables.add("link", access);
    }
    Network {
        tables,
        length: LENGTH,
        warmup: WARMUP,
        from: ["sender-a", "sender-b"],
        counts: [1, 1],
        start: 0.0,
        keys: Keys::new(),
    }
}

fn says(genome: &View<'_>) -> String {
    let mut words = format!(
        "{} Mbit/s, {} ms one way, a buffer of {} bdp",
        genome.get("rate"),
        genome.get("delay"),
        genome.get("buffer")
    );
    for (event, name) in genome.events.iter().zip(["first", "second"]) {
        let [extra, bursts, jitter, loss] = event[..] else { continue };
        let mut parts = Vec::new();
        if extra > 0.0 {
            parts.push(format!("{extra} ms more each way"));
        }
        if bursts > 0.0 {
            parts.push(format!("acknowledgements in bursts of {bursts} ms"));
        }
        if jitter > 0.0 {
            parts.push(format!("up to {jitter} ms of jitter of acknowledgements"));
        }
        if loss > 0.0 {
            parts.push(format!("{loss} % of acknowledgements lost"));
        }
        if !parts.is_empty() {
            words += &format!("; the {name} flow has {}", parts.join(", "));
        }
    }
    words
}
