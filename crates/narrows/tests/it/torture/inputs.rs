//! Faulty scenarios, sweeps, comparisons and papers on the real command line.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::mutate::mutated;
use crate::torture::program::{Ended, Program};
use crate::torture::scenarios;
use narrows_units::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const CLASS: Class = Class {
    name: "inputs",
    title: "Mutated scenarios, sweeps, comparisons and papers",
    full: 29_700,
};

/// Processor time of a run with accepted input before it is asked to stop.
const ENOUGH: Duration = Duration::from_secs(1);

/// Turns a random scenario into a sweep.
const SWEEP: &str = r#"
[sweep]
seed = { from = 1, to = 3, step = 1 }
duration = ["100 ms", "0.2 s"]

[expect]
utilisation = { min = 1 }
"#;
/// Turns a sweep into a figure of a paper.
const FIGURE: &str = r#"
[figure]
title = "A figure"
source = "figure 1"
about = "What it shows."
order = 1

[quick]
why = "Shorter."
duration = "50 ms"

[[plot]]
title = "Utilisation"
trace = "utilisation"

[[claim]]
says = "Something"
published = "something"
source = "page 1"
metric = "goodput"
min = 0
tolerance = "ours"
"#;
const PAPER: &str = r#"title = "A paper"
authors = "Nobody"
published = "Nowhere 2000"
about = "Nothing."
"#;

#[test]
fn inputs() {
    let shipped = shipped();
    campaign(&CLASS, |case| {
        let arguments = prepare(case, &shipped);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let before = tree(&case.place.path("work"));
        let signal = case.random.pick(&["INT", "TERM"]);
        let ended = Program::new(&case.place, &arguments).stop_after(ENOUGH, signal).run()?;
        if ended.stopped && ended.status.code().is_none() {
            // The signal came while the program was still reading, before its handler was set. It
            // must end by itself within the limit.
            return Program::new(&case.place, &arguments).run()?.decent().map(|()| End::Accepted);
        }
        ended.decent()?;
        judge(case, &ended, &before)
    });
}

/// Checks that refused input leaves no files, and that a stopped program leaves only its kept runs.
fn judge(case: &Case, ended: &Ended, before: &[PathBuf]) -> Verdict {
    let kept = case.place.path("work/out.partial");
    let own = |path: &PathBuf| before.contains(path) || ended.stopped && path.starts_with(&kept);
    match tree(&case.place.path("work")).into_iter().find(|path| ended.code() == 2 && !own(path)) {
        Some(left) => Err(format!("left {} behind", left.display())),
        None => Ok(if ended.code() == 2 && !ended.stopped { End::Refused } else { End::Accepted }),
    }
}

/// Writes the program's input, and returns its arguments.
fn prepare(case: &mut Case, shipped: &[(PathBuf, String)]) -> Vec<String> {
    let random = &mut case.random;
    let drawn = if random.chance(0.3) {
        let (_, toml) = &shipped[random.below(shipped.len() as u64) as usize];
        scenarios::Drawn { toml: toml.clone(), traces: Vec::new() }
    } else {
        scenarios::draw(random)
    };
    let work = case.place.path("work");
    fs::create_dir_all(work.join("paper")).expect("a directory");
    for (name, text) in &drawn.traces {
        fs::write(work.join(name), text).expect("a trace");
    }
    let put = |name: &str, text: &str, random: &mut Random| {
        fs::write(work.join(name), mutated(text, random)).expect("a file")
    };
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    match random.below(10) {
        0..=4 => {
            put("in.toml", &drawn.toml, random);
            words("run in.toml --jobs 1 --out out")
        }
        5 | 6 => {
            let toml = if drawn.toml.contains("[sweep]") { drawn.toml } else { drawn.toml + SWEEP };
            put("in.toml", &toml, random);
            words("sweep in.toml --jobs 1 --out out")
        }
        7 => {
            put("in.toml", &drawn.toml, random);
            words(random.pick(&[
                "compare --file in.toml newreno bbr --jobs 1 --out out",
                "compare --icn --file in.toml --jobs 1 --out out",
            ]))
        }
        8 => {
            let toml = if drawn.toml.contains("[sweep]") {
                drawn.toml
            } else {
                drawn.toml + SWEEP + FIGURE
            };
            let (wrong, right) = (("figure.toml", toml.as_str()), ("paper.toml", PAPER));
            let (wrong, right) = if random.chance(0.8) { (wrong, right) } else { (right, wrong) };
            put(&format!("paper/{}", wrong.0), wrong.1, random);
            fs::write(work.join("paper").join(right.0), right.1).expect("a file");
            words("reproduce ./paper --jobs 1 --out out")
        }
        _ => flags(random),
    }
}

/// Returns a comparison given by flags.
fn flags(random: &mut Random) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["compare", "newreno", "--jobs", "1", "--seeds", "1", "--out", "out", "--duration", "1 s"]
            .map(str::to_owned)
            .to_vec();
    let usual = [
        ("rate", "10 Mbit/s"),
        ("rtt", "20 ms"),
        ("buffer", "1 bdp"),
        ("loss", "1 %"),
        ("warmup", "0.1 s"),
        ("flows", "2"),
        ("seed", "7"),
        ("stagger", "10 ms"),
    ];
    for _ in 0..random.between(1, 3) {
        let (flag, value) = random.pick(&usual);
        let line = String::from_utf8_lossy(&mutated(&format!("{flag} = \"{value}\""), random))
            .into_owned();
        let value = line
            .split_once(" = ")
            .map_or(line.as_str(), |(_, value)| value)
            .trim_matches(['"', '\n']);
        // An argument ends at a zero byte, and has at most 128 KiB.
        let value: String = value.chars().filter(|c| *c != '\0').take(30_000).collect();
        arguments.push(format!("--{flag}={value}"));
    }
    arguments
}

/// Returns the scenarios and figures that come with the program.
fn shipped() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = tree(&root.join("scenarios")).into_iter().chain(tree(&root.join("papers")));
    let files = files.filter(|path| {
        path.extension().is_some_and(|extension| extension == "toml")
            && !path.ends_with("paper.toml")
    });
    let mut all: Vec<_> =
        files.map(|path| (path.clone(), fs::read_to_string(&path).expect("a scenario"))).collect();
    all.sort();
    all
}

/// Returns all files below a directory.
pub fn tree(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(tree(&path));
        }
        found.push(path);
    }
    found
}
