//! Random valid scenarios as text. Together they use every key of scenario files, and each takes
//! almost no time.

mod changes;
mod choices;
mod flows;
mod icn;
mod links;

use crate::scratch::Scratch;
use crate::torture::draw::Draw;
use narrows_units::Random;
use std::fs;

/// A scenario, and the files that it names.
pub struct Drawn {
    pub toml: String,
    /// Names and texts of its traces.
    pub traces: Vec<(String, String)>,
}

impl Drawn {
    /// Writes the scenario and its traces where the program runs.
    pub fn write(&self, place: &Scratch) {
        fs::create_dir_all(place.path("work")).expect("a directory");
        place.write("work/random.toml", &self.toml);
        for (name, text) in &self.traces {
            place.write(&format!("work/{name}"), text);
        }
    }
}

/// Bounds in bits on the data that all links of a network together can carry during the run: some
/// hundred to some thousand packets.
const BITS: (f64, f64) = (1e6, 4e7);

/// Draws a scenario.
pub fn draw(random: &mut Random) -> Drawn {
    let mut sketch = Sketch::new(random);
    if random.chance(0.2) {
        icn::draw(&mut sketch, random);
    } else {
        let choices = choices::Choices::draw(random);
        let shape = links::draw(&mut sketch, &choices, random);
        flows::draw(&mut sketch, &shape, &choices, random);
        changes::draw(&mut sketch, &shape, random);
    }
    Drawn { toml: sketch.text, traces: sketch.traces }
}

/// A scenario that is being written.
struct Sketch {
    text: String,
    traces: Vec<(String, String)>,
    /// Duration of the run in milliseconds.
    duration: u64,
    /// A rate in kbit/s at which the run has the intended size.
    rate: u64,
}

impl Sketch {
    fn new(random: &mut Random) -> Sketch {
        let duration = random.between(100, 4_000);
        let rate = (random.scaled(BITS.0, BITS.1) / duration as f64) as u64;
        let mut sketch =
            Sketch { text: String::new(), traces: Vec::new(), duration, rate: rate.max(100) };
        sketch.line(&format!("duration = \"{duration} ms\""));
        if random.chance(0.4) {
            let warmup = random.between(1, duration - 1);
            sketch.line(&format!("warmup = \"{warmup} ms\""));
        }
        if random.chance(0.2) {
            let sample = random.between(1, duration);
            sketch.line(&format!("sample = \"{sample} ms\""));
        }
        if random.chance(0.2) {
            sketch.line("send_overhead = false");
        }
        sketch.line(&format!("seed = {}", random.below(1000)));
        sketch
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// Begins a table of the list `name`.
    fn table(&mut self, name: &str) {
        self.line(&format!("\n[[{name}]]"));
    }

    /// Draws a rate near the network's.
    fn near_rate(&self, random: &mut Random) -> u64 {
        ((self.rate as f64 * random.scaled(0.3, 3.0)) as u64).max(50)
    }

    /// Draws a time in milliseconds that is shorter than the run.
    fn moment(&self, random: &mut Random) -> u64 {
        random.below(self.duration)
    }
}
