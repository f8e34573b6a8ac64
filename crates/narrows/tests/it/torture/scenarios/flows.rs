//! Flows: controllers, workloads, transports, times, routes.

use super::Sketch;
use super::choices::Choices;
use super::links::Shape;
use crate::torture::draw::Draw;
use narrows_units::Random;

/// Transport settings that fit any controller.
const TRANSPORTS: [&str; 19] = [
    "preset = \"linux-2.4\"",
    "preset = \"ns2-2005\"",
    "mss = \"536 B\"",
    "mss = \"8948 B\"",
    "handshake = false",
    "initial_window = 2",
    "initial_window = 100",
    "min_rto = \"1 ms\"",
    "ack_every = 8\nacks = \"cumulative\"",
    "ack_delay = \"200 ms\"",
    "receive_window = \"30 kB\"",
    "gro = \"100 us\"",
    "tso = \"auto\"",
    "timestamps = false",
    "acks = \"cumulative\"\nsack = false\nrecovery = \"reno\"",
    "acks = \"cumulative\"\nloss_detection = \"fack\"\nrecovery = \"rate-halving\"",
    "acks = \"numbered\"",
    "ack_pieces = 5\nacks = \"cumulative\"",
    "tail_loss_probe = false\nfrto = false\nundo = false",
];

/// Writes the transport of all flows, and the flows.
pub fn draw(sketch: &mut Sketch, shape: &Shape, choices: &Choices, random: &mut Random) {
    if random.chance(0.4) {
        sketch.line(&format!("\n[transport]\n{}", random.pick(&TRANSPORTS)));
    }
    for number in 0..random.between(1, 4) {
        let (from, to) = random.pick(&shape.ends);
        sketch.table("flow");
        sketch.line(&format!("name = \"f{number}\"\nfrom = \"{from}\"\nto = \"{to}\""));
        let controlled = random.chance(0.8);
        if controlled {
            sketch.line(&format!("controller = \"{}\"", choices.controller(random)));
        }
        let mut pauses = controlled;
        if !controlled || random.chance(0.7) {
            let workload =
                if controlled { workload(sketch, random) } else { paced(sketch, random) };
            pauses = workload.contains("bulk") || workload.starts_with("{ rate");
            sketch.line(&format!("workload = {workload}"));
        }
        times(sketch, number > 0, pauses, random);
        if !shape.routes.is_empty() && random.chance(0.5) {
            sketch.line(&format!("route = {:?}", random.pick(&shape.routes)));
        }
    }
}

/// Writes start, end and number of a flow.
fn times(sketch: &mut Sketch, several: bool, pauses: bool, random: &mut Random) {
    let mut start = 0;
    if random.chance(0.4) {
        start = sketch.moment(random);
        sketch.line(&format!("start = \"{start} ms\""));
    }
    let mut last = start;
    // The first flow stays single, because changes of its route use its name.
    if several && random.chance(0.2) {
        let count = random.between(2, 4);
        let stagger = (sketch.duration - 1 - start) / count;
        last += stagger * (count - 1);
        sketch.line(&format!("count = {count}\nstagger = \"{stagger} ms\""));
    }
    let mut stop = sketch.duration;
    if random.chance(0.4) {
        stop = random.between(last + 1, sketch.duration + 100);
        sketch.line(&format!("stop = \"{stop} ms\""));
    }
    if pauses && random.chance(0.2) {
        let from = random.between(0, stop.min(sketch.duration) - 1);
        sketch.line(&format!(
            "pauses = [[\"{from} ms\", \"{} ms\"]]",
            random.between(from.max(start) + 1, sketch.duration + 200)
        ));
    }
}

fn workload(sketch: &Sketch, random: &mut Random) -> String {
    let size = |random: &mut Random| format!("{} B", random.scaled(1.0, 1e6) as u64);
    let sizes = |random: &mut Random| match random.below(4) {
        0 => format!("\"{}\"", size(random)),
        1 => "\"cache\"".to_owned(),
        2 => "\"web\"".to_owned(),
        _ => "[[\"1 kB\", 0.5], [\"20 kB\", 0.9], [\"100 kB\", 1.0]]".to_owned(),
    };
    let span = |random: &mut Random| random.between(1, sketch.duration);
    let drawn = |random: &mut Random| random.pick(&["fixed", "exponential"]);
    let connections = |random: &mut Random| random.pick(&["one", "one", "new"]);
    match random.below(8) {
        0 => "\"bulk\"".to_owned(),
        1 => format!("{{ size = \"{}\" }}", size(random)),
        2 => format!(
            "{{ on = \"{} ms\", off = \"{} ms\", draw = \"{}\" }}",
            span(random),
            span(random),
            drawn(random)
        ),
        3 => format!(
            "{{ on = \"{}\", off = \"{} ms\", draw = \"{}\", connections = \"{}\" }}",
            size(random),
            span(random),
            drawn(random),
            connections(random)
        ),
        4 => format!(
            "{{ arrivals = \"{:.2}/s\", sizes = {} }}",
            random.scaled(1.0, 100.0),
            sizes(random)
        ),
        5 => format!(
            "{{ load = \"{:.1} %\", sizes = {} }}",
            random.scaled(5.0, 150.0),
            sizes(random)
        ),
        6 => format!(
            "{{ response = {}, request = \"{} B\", think = \"{} ms\", draw = \"{}\", connections = \"{}\" }}",
            sizes(random),
            random.between(1, 5_000),
            random.below(200),
            drawn(random),
            connections(random)
        ),
        _ => paced(sketch, random),
    }
}

/// Draws a workload with its own sending times.
fn paced(sketch: &Sketch, random: &mut Random) -> String {
    let rate = sketch.near_rate(random);
    let span = |random: &mut Random| random.between(1, sketch.duration);
    match random.below(4) {
        0 => format!("{{ rate = \"{rate} kbit/s\" }}"),
        1 => format!(
            "{{ on = \"{} ms\", off = \"{} ms\", rate = \"{rate} kbit/s\" }}",
            span(random),
            span(random)
        ),
        2 => format!("{{ rate = \"{rate} kbit/s\", frame = \"{} ms\" }}", random.between(5, 100)),
        _ => format!(
            "{{ rate = \"{rate} kbit/s\", frame = \"{} ms\", key_every = {}, key_factor = {:.1}, deadline = \"{} ms\" }}",
            random.between(5, 100),
            random.between(2, 30),
            random.scaled(1.0, 10.0),
            random.between(1, 300)
        ),
    }
}
