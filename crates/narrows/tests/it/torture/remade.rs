//! Random scenarios on the command line: one thread and two give the same bytes, and results can be
//! made again and reported.

use crate::scratch::PROGRAM;
use crate::torture::campaign::{Case, Class, End, campaign};
use crate::torture::program::Program;
use crate::torture::results::difference;
use crate::torture::scenarios;

const CLASS: Class = Class {
    name: "remade",
    title: "Random scenarios, with one thread and two, remade, reported, exported",
    full: 440,
};

#[test]
fn remade() {
    campaign(&CLASS, |case| {
        scenarios::draw(&mut case.random).write(&case.place);
        let first = narrows(
            case,
            &["run", "random.toml", "--seeds", "2", "--jobs", "1", "--quiet", "--out", "one"],
        )?;
        if first == 2 {
            return Ok(End::Refused);
        }
        narrows(
            case,
            &["run", "random.toml", "--seeds", "2", "--jobs", "2", "--quiet", "--out", "two"],
        )?;
        same(case, "one", "two")?;
        let summary = case.place.read("work/one/summary.json");
        let parsed: serde_json::Value = serde_json::from_slice(&summary)
            .map_err(|error| format!("summary.json is no JSON: {error}"))?;
        let remake = parsed["remake"]
            .as_str()
            .ok_or("summary.json has no command that remakes it")?
            .replacen("narrows", PROGRAM, 1);
        let script = format!("cd one && {remake} --quiet --out ../three");
        let output = case
            .place
            .command("sh")
            .current_dir(case.place.path("work"))
            .args(["-c", &script])
            .output()
            .expect("a shell");
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(format!(
                "{remake} does not make it again: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
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

/// Runs the program, checks its end, and returns its exit status.
fn narrows(case: &Case, arguments: &[&str]) -> Result<i32, String> {
    let ended = Program::new(&case.place, arguments).run()?;
    ended.decent().map_err(|problem| format!("narrows {}: {problem}", arguments.join(" ")))?;
    Ok(ended.code())
}

/// Describes the first difference between two results.
fn same(case: &Case, one: &str, two: &str) -> Result<(), String> {
    let place = |name: &str| case.place.path("work").join(name);
    difference(&place(one), &place(two))
        .map_or(Ok(()), |problem| Err(format!("{one} and {two}: {problem}")))
}
