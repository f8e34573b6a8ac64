//! Networks: a link, a chain, parallel paths, and parts that share nothing.

use super::Sketch;
use super::choices::Choices;
use crate::torture::draw::Draw;
use narrows_units::Random;

/// Properties of a network that flows and changes need.
pub struct Shape {
    /// Pairs of nodes with a path between them.
    pub ends: Vec<(&'static str, &'static str)>,
    pub links: Vec<Drawn>,
    /// Routes from the first node to the last, if there are several.
    pub routes: Vec<&'static [&'static str]>,
}

pub struct Drawn {
    pub name: &'static str,
    /// Rate in kbit/s. `None` if the rate follows a trace.
    pub rate: Option<u64>,
    /// True if the rate follows a trace.
    pub traced: bool,
}

/// Writes the links.
pub fn draw(sketch: &mut Sketch, choices: &Choices, random: &mut Random) -> Shape {
    let mut shape = Shape { ends: Vec::new(), links: Vec::new(), routes: Vec::new() };
    let links: &[(&str, [&str; 2])] = match random.below(5) {
        0 | 1 => {
            shape.ends = vec![("a", "b"), ("b", "a")];
            &[("only", ["a", "b"])]
        }
        2 => {
            shape.ends = vec![("a", "d"), ("a", "b"), ("b", "d"), ("c", "d"), ("d", "a")];
            &[("first", ["a", "b"]), ("second", ["b", "c"]), ("third", ["c", "d"])]
        }
        3 => {
            shape.ends = vec![("a", "d")];
            shape.routes = vec![&["over", "out"], &["under", "exit"]];
            &[
                ("over", ["a", "b"]),
                ("out", ["b", "d"]),
                ("under", ["a", "c"]),
                ("exit", ["c", "d"]),
            ]
        }
        _ => {
            shape.ends = vec![("a", "b"), ("c", "d")];
            &[("here", ["a", "b"]), ("there", ["c", "d"])]
        }
    };
    for (name, ends) in links {
        sketch.table("link");
        sketch.line(&format!("name = \"{name}\"\nbetween = {ends:?}"));
        let (rate, traced) = capacity(sketch, name, random);
        shape.links.push(Drawn { name, rate, traced });
        sketch.line(&format!(
            "delay = \"{} us\"",
            random.between(0, 1_000 * (sketch.duration - 1).min(60))
        ));
        direction(sketch, rate, choices, random);
        if random.chance(0.3) {
            sketch.line("[link.back]");
            if random.chance(0.5) {
                capacity(sketch, &format!("{name}-back"), random);
            }
            if random.chance(0.5) {
                sketch.line(&format!(
                    "delay = \"{} us\"",
                    random.between(0, 1_000 * (sketch.duration - 1).min(60))
                ));
            }
            // The rate back may differ, or be a trace, so a buffer given as a time would have
            // another size.
            direction(sketch, None, choices, random);
        }
    }
    shape
}

/// Writes a rate or a trace.
fn capacity(sketch: &mut Sketch, name: &str, random: &mut Random) -> (Option<u64>, bool) {
    if random.chance(0.2) {
        let file = format!("{name}.trace");
        let text =
            if random.chance(0.5) { opportunities(sketch, random) } else { steps(sketch, random) };
        sketch.line(&format!("trace = \"{file}\""));
        sketch.traces.push((file, text));
        return (None, true);
    }
    let rate = sketch.near_rate(random);
    sketch.line(&format!("rate = \"{rate} kbit/s\""));
    (Some(rate), false)
}

/// Returns a trace of opportunities to send 1500 bytes, at about the network's rate.
fn opportunities(sketch: &Sketch, random: &mut Random) -> String {
    let mean = 12_000.0 / sketch.near_rate(random) as f64;
    let mut at = 0.0;
    let mut text = String::new();
    for _ in 0..random.between(1, 200) {
        at += random.exponential(mean);
        text += &format!("{}\n", at as u64);
    }
    // A trace must end after it begins.
    text + &format!("{}\n", at as u64 + 1)
}

/// Returns a trace of rates in steps, which may be zero, also at the end.
fn steps(sketch: &Sketch, random: &mut Random) -> String {
    let mut text = format!("0,{}\n", sketch.near_rate(random) as f64 / 1e3);
    let mut at = 0;
    for _ in 0..random.below(6) {
        at += random.between(1, sketch.duration);
        let rate = if random.chance(0.2) { 0.0 } else { sketch.near_rate(random) as f64 / 1e3 };
        text += &format!("{},{rate}\n", at as f64 / 1e3);
    }
    text
}

/// Treatments of the ECN field.
pub const ECN: [&str; 3] = ["keep", "bleach", "unmark"];

/// Writes queue, buffer and impairments of one direction of a link.
fn direction(sketch: &mut Sketch, rate: Option<u64>, choices: &Choices, random: &mut Random) {
    if random.chance(0.7) {
        sketch.line(&format!("queue = \"{}\"", choices.queue(random)));
    }
    if random.chance(0.8) {
        sketch.line(&format!("buffer = \"{}\"", buffer(rate, random)));
    }
    if random.chance(0.25) {
        sketch.line(&format!("jitter = {}", jitter(sketch, random)));
    }
    if random.chance(0.15) {
        let share = random.scaled(0.001, 0.3);
        sketch.line(&format!(
            "reorder = {{ share = {share:.4}, delay = \"{} ms\" }}",
            sketch.moment(random) / 10
        ));
    }
    if random.chance(0.15) {
        sketch.line(&format!("aggregate = \"{} us\"", random.between(1, 20_000)));
    }
    if random.chance(0.15) {
        sketch.line(&format!("ecn = \"{}\"", random.pick(&ECN)));
    }
    if random.chance(0.3) {
        sketch.line(&format!("loss = {}", loss(random)));
    }
}

pub fn loss(random: &mut Random) -> String {
    match random.below(5) {
        0 => format!("\"{:.3} %\"", random.scaled(0.01, 20.0)),
        1 => format!("{{ probability = {:.5} }}", random.scaled(0.0001, 0.2)),
        2 => format!("{{ every = {} }}", random.between(2, 500)),
        3 => format!(
            "{{ good_for = \"{} ms\", bad_for = \"{} ms\" }}",
            random.between(10, 2_000),
            random.between(1, 200)
        ),
        _ => format!(
            "{{ to_bad = {:.5}, to_good = {:.5} }}",
            random.scaled(0.0001, 0.05),
            random.scaled(0.05, 1.0)
        ),
    }
}

pub fn jitter(sketch: &Sketch, random: &mut Random) -> String {
    let most = random.between(0, 1_000 * sketch.duration / 20);
    match random.below(5) {
        0 => format!("\"{most} us\""),
        4 => format!("{{ wifi = \"{} us\", reorders = true }}", most.min(91_000)),
        1 => format!("{{ uniform = \"{most} us\", reorders = true }}"),
        2 => format!("{{ normal = \"{most} us\" }}"),
        _ => format!("{{ normal = \"{most} us\", reorders = true }}"),
    }
}

/// Draws a buffer that holds the largest packet of any transport here.
pub fn buffer(rate: Option<u64>, random: &mut Random) -> String {
    const LEAST: u64 = 10_000;
    match (random.below(4), rate) {
        (0, _) => format!("{} packets", random.between(1, 200)),
        (1, Some(rate)) => format!("{} us", (LEAST * 8_000).div_ceil(rate) * random.between(1, 20)),
        (2, _) => "unlimited".to_owned(),
        _ => format!("{} B", (LEAST as f64 * random.scaled(1.0, 30.0)) as u64),
    }
}
