//! Changes during the run: at most one table for each link and quantity, so that no two collide.

use super::Sketch;
use super::links::{ECN, Shape, buffer, jitter, loss};
use crate::torture::draw::Draw;
use narrows_units::Random;

/// Writes the changes.
pub fn draw(sketch: &mut Sketch, shape: &Shape, random: &mut Random) {
    for link in &shape.links {
        let name = link.name;
        if link.rate.is_some() && random.chance(0.15) {
            let rate = if random.chance(0.1) { 0 } else { sketch.near_rate(random) };
            change(sketch, name, &format!("rate = \"{rate} kbit/s\""), true, random);
        }
        if random.chance(0.1) {
            let delay = random.between(0, 1_000 * (sketch.duration - 1).min(100));
            change(sketch, name, &format!("delay = \"{delay} us\""), true, random);
        }
        if random.chance(0.1) {
            change(sketch, name, &format!("loss = {}", loss(random)), false, random);
        }
        if random.chance(0.1) {
            change(sketch, name, &format!("jitter = {}", jitter(sketch, random)), false, random);
        }
        if random.chance(0.1) {
            let aggregate = if random.chance(0.3) {
                0
            } else {
                random.between(1, 20_000).min(1_000 * sketch.duration - 1)
            };
            change(sketch, name, &format!("aggregate = \"{aggregate} us\""), false, random);
        }
        if random.chance(0.1) {
            change(sketch, name, &format!("ecn = \"{}\"", random.pick(&ECN)), false, random);
        }
        if random.chance(0.1) {
            change(sketch, name, &format!("buffer = \"{}\"", buffer(None, random)), false, random);
        }
        if !link.traced && random.chance(0.1) {
            sketch.table("change");
            let at = sketch.moment(random);
            sketch.line(&format!(
                "link = \"{name}\"\nat = \"{at} ms\"\ndown_for = \"{} ms\"",
                random.between(1, sketch.duration)
            ));
        }
    }
    if !shape.routes.is_empty() && random.chance(0.4) {
        sketch.table("change");
        let at = sketch.moment(random);
        sketch.line(&format!(
            "flow = \"f0\"\nat = \"{at} ms\"\nroute = {:?}",
            random.pick(&shape.routes)
        ));
    }
}

/// Writes a change of a link: once, repeatedly, or as a ramp if it `can_ramp`.
fn change(sketch: &mut Sketch, link: &str, what: &str, can_ramp: bool, random: &mut Random) {
    let at = sketch.moment(random);
    sketch.table("change");
    sketch.line(&format!("link = \"{link}\"\nat = \"{at} ms\"\n{what}"));
    match random.below(3) {
        0 if can_ramp && at + 1 < sketch.duration => {
            sketch.line(&format!("over = \"{} ms\"", random.between(1, sketch.duration - at)));
        }
        1 => sketch.line(&format!(
            "every = \"{} ms\"\ntimes = {}",
            random.between(1, sketch.duration),
            random.between(1, 20)
        )),
        _ => {}
    }
}
