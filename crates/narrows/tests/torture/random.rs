//! Random scenarios: in process, checked against what holds of every run; some of them over the command line as well.

use crate::campaign::{Case, Class, End, Verdict, campaign};
use crate::facts;
use crate::program::Program;
use crate::scenarios;
use crate::scratch::PROGRAM;
use narrows_report::{Case as Shown, Comparison};
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

const INSIDE: Class = Class { name: "random", title: "Random scenarios, against what holds of every run", full: 10_000 };
const OUTSIDE: Class = Class { name: "remade", title: "Random scenarios, with one thread and two, remade, reported, exported", full: 440 };

#[test]
fn random() {
    campaign(&INSIDE, |case| {
        let drawn = scenarios::draw(&mut case.random);
        drawn.write(case);
        let read = |name: &Path| {
            let found = drawn.traces.iter().find(|(own, _)| Path::new(own) == name);
            found.map(|(_, text)| text.clone()).ok_or_else(|| Error::from(ErrorKind::NotFound))
        };
        let scenario = narrows_scenario::parse(&drawn.toml, "random.toml", &read).map_err(|error| format!("refused: {}", error.short()))?;
        let Ok(record) = narrows_sim::run(&scenario) else { return Ok(End::Refused) };
        let mut broken = facts::broken(&scenario, &record);
        let shown = Shown { label: scenario.name.clone(), scenario_toml: scenario.to_toml(), runs: vec![record] };
        let comparison = Comparison::new("random", vec![shown], "");
        let summary = narrows_report::summary_json(&comparison);
        if serde_json::from_str::<serde_json::Value>(&summary).is_err() {
            broken.push("summary.json is no JSON".to_owned());
        }
        let table = narrows_report::table(&comparison);
        if ["NaN", "inf"].iter().any(|word| table.split_whitespace().any(|cell| cell == *word)) {
            broken.push("the table shows what is no number".to_owned());
        }
        if !narrows_report::html(&comparison).contains("</html>") {
            broken.push("the page has no end".to_owned());
        }
        if broken.is_empty() { Ok(End::Accepted) } else { Err(broken.join("; ")) }
    });
}

#[test]
fn remade() {
    campaign(&OUTSIDE, |case| {
        scenarios::draw(&mut case.random).write(case);
        let first = narrows(case, &["run", "random.toml", "--seeds", "2", "--jobs", "1", "--quiet", "--out", "one"])?;
        if first == 2 {
            return Ok(End::Refused);
        }
        narrows(case, &["run", "random.toml", "--seeds", "2", "--jobs", "2", "--quiet", "--out", "two"])?;
        same(case, "one", "two")?;
        let summary = case.place.read("work/one/summary.json");
        let parsed: serde_json::Value = serde_json::from_slice(&summary).map_err(|error| format!("summary.json is no JSON: {error}"))?;
        let remake = parsed["remake"].as_str().ok_or("summary.json has no command that remakes it")?.replacen("narrows", PROGRAM, 1);
        let script = format!("cd one && {remake} --quiet --out ../three");
        let output = case.place.command("sh").current_dir(case.place.path("work")).args(["-c", &script]).output().expect("a shell");
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(format!("{remake} does not make it again: {}", String::from_utf8_lossy(&output.stderr)));
        }
        same(case, "one", "three")?;
        let reported = Program::new(&case.place, &["report", "one", "--json"]).run()?;
        if reported.stdout.as_bytes() != summary {
            return Err("narrows report --json and summary.json differ".to_owned());
        }
        same(case, "one", "two").map_err(|problem| format!("after narrows report {problem}"))?;
        narrows(case, &["export", "one"])?;
        Ok(End::Accepted)
    });
}

impl scenarios::Drawn {
    /// Puts the scenario and its traces where the program runs.
    pub fn write(&self, case: &Case) {
        fs::create_dir_all(case.place.path("work")).expect("a directory");
        case.place.write("work/random.toml", &self.toml);
        for (name, text) in &self.traces {
            case.place.write(&format!("work/{name}"), text);
        }
    }
}

/// Runs the program to a decent end, and says its exit status.
fn narrows(case: &Case, arguments: &[&str]) -> Result<i32, String> {
    let ended = Program::new(&case.place, arguments).run()?;
    ended.decent().map_err(|problem| format!("narrows {}: {problem}", arguments.join(" ")))?;
    Ok(ended.code())
}

/// Says which file of two results differs, but for what only the machine and the clock make different.
fn same(case: &Case, one: &str, two: &str) -> Verdict {
    let files = |directory: &str| case.place.files_of(&format!("work/{directory}"));
    let (own, other) = (files(one), files(two));
    if own != other {
        return Err(format!("{one} has {own:?}, {two} has {other:?}"));
    }
    match own.iter().find(|file| *file != "run.json" && bytes(case, one, file) != bytes(case, two, file)) {
        Some(file) => Err(format!("{file} of {one} and {two} differ")),
        None => Ok(End::Accepted),
    }
}

fn bytes(case: &Case, directory: &str, file: &str) -> Vec<u8> {
    case.place.read(&format!("work/{directory}/{file}"))
}
