//! Information-centric networks: laws, strategies, steering, consumers, requests, one path or
//! several.

use super::Sketch;
use super::choices::{controller, with_parameters};
use crate::torture::draw::Draw;
use narrows_control::ENTRIES;
use narrows_icn::{CONSUMERS, OFFERS, STRATEGIES};
use narrows_path::LAWS;
use narrows_units::Random;

/// Writes the whole network with its consumers and requests.
pub fn draw(sketch: &mut Sketch, random: &mut Random) {
    sketch.line("\n[icn]");
    let law = random.chance(0.8).then(|| random.pick(LAWS));
    let law_text = law
        .map_or("none".to_owned(), |law| with_parameters::<narrows_path::LawEntry>(&[law], random));
    sketch.line(&format!("law = \"{law_text}\""));
    settings(sketch, law.is_some(), random);
    links(sketch, random);
    sketch.line("\n[[prefix]]\nname = \"/film\"\nat = [\"far\", \"near\"]\n\n[[prefix]]\nname = \"/news\"\nat = \"near\"");
    if random.chance(0.3) {
        sketch.line(&format!("data = \"{} B\"", random.between(1, 9_000)));
    }
    let classes = law.map_or(0, |law| law.classes);
    for number in 0..random.between(1, 3) {
        sketch.table("consumer");
        sketch.line(&format!(
            "name = \"c{number}\"\nat = \"{}\"\nprefix = \"{}\"",
            random.pick(&["home", "fork"]),
            prefix(random)
        ));
        asking(sketch, classes, random);
        if random.chance(0.5) {
            sketch.line(&format!("segments = {}", random.scaled(1.0, 3_000.0) as u64));
        }
        let start = sketch.moment(random) / 2;
        sketch.line(&format!("start = \"{start} ms\""));
        if random.chance(0.3) {
            sketch.line(&format!("stop = \"{} ms\"", random.between(start + 1, sketch.duration)));
        }
    }
    if random.chance(0.4) {
        sketch.table("request");
        let every = random.between(sketch.duration / 50 + 1, sketch.duration);
        sketch.line(&format!(
            "name = \"r\"\nat = [\"home\", \"fork\"]\nprefix = \"{}\"\nevery = \"{every} ms\"",
            prefix(random)
        ));
        sketch.line(random.pick(&["segments = 30", "segments = [[1, 0.5], [200, 0.5]]"]));
        if random.chance(0.5) {
            sketch.line(&format!(
                "catalogue = {}\nzipf = {:.2}",
                random.between(1, 100),
                2.0 * random.uniform()
            ));
        }
        asking(sketch, classes, random);
    }
}

fn prefix(random: &mut Random) -> &'static str {
    random.pick(&["/film", "/news"])
}

fn settings(sketch: &mut Sketch, lawful: bool, random: &mut Random) {
    let shaper = random.chance(0.8);
    let mut set = |line: String| {
        if random.chance(0.3) {
            sketch.line(&line);
        }
    };
    set("multipath = false".to_owned());
    set("cache = 100".to_owned());
    set("pending = 20".to_owned());
    set("lifetime = \"100 ms\"".to_owned());
    set("interest = \"40 B\"".to_owned());
    set("shaper_queue = 5".to_owned());
    if lawful && shaper {
        set("shaped_capacity = false".to_owned());
        set("shaper_form = \"published\"".to_owned());
    }
    sketch.line(&format!("shaper = {shaper}"));
    sketch.line(&format!("data = \"{} B\"", random.between(100, 8_000)));
    sketch
        .line(&format!("steering = \"{}\"", random.pick(&["labels", "hashes", "random", "bloom"])));
    sketch.line(&format!("strategy = \"{}\"", random.pick(STRATEGIES).name));
}

/// Writes two paths from the home node to producers of a prefix.
fn links(sketch: &mut Sketch, random: &mut Random) {
    for (name, ends) in
        [("shared", ["home", "fork"]), ("wide", ["fork", "far"]), ("narrow", ["fork", "near"])]
    {
        sketch.table("link");
        sketch.line(&format!("name = \"{name}\"\nbetween = {ends:?}"));
        let rate = sketch.near_rate(random);
        let delay = random.between(1, 1_000 * (sketch.duration - 1).min(40));
        sketch.line(&format!("rate = \"{rate} kbit/s\"\ndelay = \"{delay} us\""));
        if random.chance(0.5) {
            sketch.line(&format!("buffer = \"{} packets\"", random.between(5, 200)));
        }
        if random.chance(0.2) {
            sketch.line(&format!("loss = \"{:.2} %\"", random.scaled(0.01, 5.0)));
        }
    }
    if random.chance(0.3) {
        sketch.table("link");
        let rate = sketch.near_rate(random);
        sketch.line(&format!("name = \"side\"\nbetween = [\"home\", \"near\"]\nrate = \"{rate} kbit/s\"\ndelay = \"5 ms\""));
    }
}

/// Writes how Interests are sent: by a consumer that needs no more classes than the law has, or by
/// a controller.
fn asking(sketch: &mut Sketch, classes: u8, random: &mut Random) {
    let able: Vec<_> =
        CONSUMERS.iter().copied().filter(|consumer| consumer.classes <= classes).collect();
    if !able.is_empty() && random.chance(0.7) {
        sketch.line(&format!(
            "consumer = \"{}\"",
            with_parameters::<narrows_icn::ConsumerEntry>(&able, random)
        ));
    } else {
        let able: Vec<_> = ENTRIES
            .iter()
            .copied()
            .filter(|entry| entry.needs.iter().all(|need| OFFERS.contains(need)))
            .collect();
        sketch.line(&format!("controller = \"{}\"", controller(&able, random)));
    }
}
