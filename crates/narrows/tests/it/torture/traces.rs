//! Faulty traces of capacity, in mahimahi's format and as steps, on the command line.

use crate::torture::campaign::{Case, Class, End, campaign};
use crate::torture::draw::Draw;
use crate::torture::facts;
use crate::torture::mutate::mutated;
use crate::torture::program::Program;
use narrows_units::Random;
use std::fs;
use std::time::Duration;

const CLASS: Class = Class { name: "traces", title: "Mutated traces", full: 6_000 };

/// Processor time of a run with accepted input before it is asked to stop.
const ENOUGH: Duration = Duration::from_secs(1);

const SCENARIO: &str = r#"duration = "300 ms"

[[link]]
name = "only"
between = ["a", "b"]
trace = "trace"
delay = "5 ms"
back = { rate = "10 Mbit/s" }

[[flow]]
name = "one"
from = "a"
to = "b"
controller = "cubic"

[[flow]]
name = "two"
from = "a"
to = "b"
workload = { rate = "1 Mbit/s" }
"#;

#[test]
fn traces() {
    campaign(&CLASS, |case| {
        write(case);
        let ended =
            Program::new(&case.place, &["run", "in.toml", "--jobs", "1", "--json", "--out", "out"])
                .stop_after(ENOUGH, "INT")
                .run()?;
        ended.decent()?;
        if ended.code() == 2 {
            return Ok(if ended.stopped { End::Accepted } else { End::Refused });
        }
        facts::of_summary(&ended.stdout)?;
        Ok(End::Accepted)
    });
}

fn write(case: &mut Case) {
    let work = case.place.path("work");
    fs::create_dir_all(&work).expect("a directory");
    fs::write(work.join("in.toml"), SCENARIO).expect("a file");
    let text = if case.random.chance(0.5) {
        opportunities(&mut case.random)
    } else {
        steps(&mut case.random)
    };
    fs::write(work.join("trace"), mutated(&text, &mut case.random)).expect("a file");
}

fn opportunities(random: &mut Random) -> String {
    let mut at = 0;
    let line = |_| {
        at += random.below(20);
        format!("{at}\n")
    };
    (0..30).map(line).collect()
}

fn steps(random: &mut Random) -> String {
    let head = random.pick(&["", "seconds,Mbit/s\n", "# recorded\n\n"]);
    let mut at = 0;
    let mut text = format!("{head}0,5\n");
    for _ in 0..random.below(8) {
        at += random.between(1, 200);
        text += &format!("{},{}\n", at as f64 / 1e3, random.below(20));
    }
    text
}
