//! Scorecards as a user meets them: numbers, files and refusals; made again, interrupted and
//! resumed.

use crate::scratch::{PROGRAM, SHORT, Scratch, code, same, stderr, stdout};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs::{self, File};
use std::time::{Duration, Instant};

const SMALL: [&str; 13] = [
    "compare",
    "cubic",
    "bbr",
    "--path",
    "dsl,lte",
    "--traffic",
    "bulk,web",
    "--beside",
    "newreno",
    "--duration",
    "6 s",
    "--seeds",
    "2",
];

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn a_scorecard_has_a_row_for_each_contender_and_the_same_bytes_with_any_threads() {
    let place = Scratch::new("scorecard");
    for jobs in ["1", "2"] {
        let output =
            place.narrows(SMALL.into_iter().chain(["--quiet", "--jobs", jobs, "--out", jobs]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let told = stdout(&output);
        for words in [
            "lte, web: ",
            "beside a newreno download",
            "of a newreno download's goodput; newreno's own takes ",
            "Against cubic",
        ] {
            assert!(told.contains(words), "{words} is not in {told}");
        }
        assert!(told.lines().all(|line| line.chars().count() <= 100), "{told}");
    }
    same(&place, "1", "2");
    let files = [
        "SHA256SUMS",
        "cells.parquet",
        "flows.parquet",
        "groups.parquet",
        "report.html",
        "run.json",
        "scorecard.json",
        "summary.json",
        "sweep.toml",
    ];
    assert_eq!(place.files_of("1"), files);
    let card = json(&place.read("1/scorecard.json"));
    // On each of two networks, for each of two kinds of traffic: two controllers alone, and two
    // controllers and the competitor beside the competitor.
    let entries = card["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), 2 * 2 * (2 + 3));
    for entry in entries {
        let metrics = entry["metrics"].as_array().expect("metrics");
        let wanted = if entry["traffic"] == "web" { 5 } else { 4 };
        assert_eq!(
            (metrics.len(), entry["harm"].as_array().map(Vec::len)),
            (wanted, Some(if entry["beside"].is_null() { 0 } else { 2 }))
        );
        for number in metrics.iter().chain(entry["harm"].as_array().expect("harm")) {
            let values: Vec<Option<f64>> =
                serde_json::from_value(number["values"].clone()).expect("values");
            let [low, median, high] = ["low", "median", "high"].map(|key| number[key].as_f64());
            assert_eq!(values.len(), 2);
            match values.iter().flatten().count() {
                2 => assert!(low <= median && median <= high && low.is_some(), "{number}"),
                1 => assert!(low.is_none() && median.is_some() && high.is_none(), "{number}"),
                _ => assert!(median.is_none(), "{number}"),
            }
        }
        assert!(
            entry["harm"].as_array().expect("harm").iter().all(|harm| harm["median"]
                .as_f64()
                .is_some_and(|harm| (0.0..=1.0).contains(&harm)))
        );
    }
    // Each network has 10 runs with traffic, of which 6 have two groups of flows, and one run of
    // the competitor alone. Each runs with two seeds.
    let rows = |file: &str| {
        let table = SerializedFileReader::new(File::open(place.path(file)).expect("a table"))
            .expect("Parquet");
        table.metadata().file_metadata().num_rows()
    };
    assert_eq!((rows("1/cells.parquet"), rows("1/groups.parquet")), (2 * 11 * 2, 2 * (11 + 6) * 2));
    let printed = place.narrows(SMALL.into_iter().chain(["--json", "--quiet", "--out", "json"]));
    assert_eq!(printed.stdout, place.read("1/scorecard.json"));
}

#[test]
fn harm_is_what_the_groups_of_runs_say() {
    let place = Scratch::new("scorecard-harm");
    assert_eq!(code(&place.narrows(SMALL.into_iter().chain(["--quiet", "--out", "card"]))), 0);
    let (card, summary) =
        (json(&place.read("card/scorecard.json")), json(&place.read("card/summary.json")));
    let goodput = |run: &str, group: &str| -> Vec<f64> {
        let cells = summary["cells"].as_array().expect("cells");
        let at = |cell: &&Value| {
            cell["at"].as_object().is_some_and(|at| {
                at.values().any(|own| own == run) && at.values().any(|own| own == "lte")
            })
        };
        let cell = cells.iter().find(at).unwrap_or_else(|| panic!("{run}"));
        let groups = cell["groups"].as_array().expect("groups");
        let own = groups
            .iter()
            .find(|own| own["name"] == group)
            .unwrap_or_else(|| panic!("{group} of {run}"));
        let metrics = if groups.len() == 1 { &cell["metrics"] } else { &own["metrics"] };
        serde_json::from_value(metrics["goodput"]["values"].clone()).expect("numbers")
    };
    let (alone, with) = (
        goodput("competitor by newreno alone", "competitor"),
        goodput("web by bbr beside newreno", "competitor"),
    );
    let entries = card["entries"].as_array().expect("entries");
    let entry = entries.iter().find(|entry| {
        ["lte", "web", "bbr", "newreno"]
            .iter()
            .zip(["network", "traffic", "controller", "beside"])
            .all(|(text, key)| entry[key] == *text)
    });
    let harm: Vec<f64> = serde_json::from_value(entry.expect("a row")["harm"][0]["values"].clone())
        .expect("numbers");
    assert!(alone.iter().chain(&with).all(|mbps| *mbps > 0.5), "{alone:?}, {with:?}");
    for ((alone, with), harm) in alone.iter().zip(&with).zip(&harm) {
        assert!(
            (((alone - with) / alone).max(0.0) - harm).abs() < 1e-12,
            "{alone}, {with}, {harm}"
        );
    }
}

/// Kills a command after some of its runs and resumes it. Asserts that the result equals an
/// uninterrupted one. Returns the scratch directory with the result `killed`, and the output of the
/// resumed command.
pub fn resumed(name: &str, command: &[&str]) -> (Scratch, String) {
    let place = Scratch::new(name);
    assert_eq!(code(&place.narrows(command.iter().copied().chain(["--out", "whole"]))), 0);
    let mut child = place
        .command(PROGRAM)
        .args(command)
        .args(["--out", "killed"])
        .spawn()
        .expect("narrows runs");
    let began = Instant::now();
    let lines = || {
        fs::read(place.path("killed.partial"))
            .map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
    };
    while lines() < 4 {
        assert!(
            began.elapsed() < Duration::from_secs(60)
                && child.try_wait().expect("a state").is_none(),
            "{} runs kept",
            lines()
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a kill");
    child.wait().expect("an end");
    let output = place.narrows(["sweep", "--resume", "killed", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    same(&place, "whole", "killed");
    let report = place.narrows(["report", "killed"]);
    assert!(stdout(&report).starts_with(&stdout(&output)), "{}", stdout(&report));
    (place, stdout(&output))
}

#[test]
fn a_scorecard_that_was_killed_continues_where_it_was() {
    let command = [
        "compare",
        "cubic",
        "--path",
        "dsl",
        "--beside",
        "newreno",
        "--duration",
        "200 s",
        "--seeds",
        "8",
        "--quiet",
        "--jobs",
        "1",
    ];
    let (_place, told) = resumed("scorecard-killed", &command);
    assert!(told.contains("newreno's own takes"), "{told}");
}

#[test]
fn traces_and_files_are_networks_and_go_with_the_result() {
    let place = Scratch::new("scorecard-again");
    fs::create_dir(place.path("traces")).expect("a directory");
    place.write("traces/lte.up", "1\n2\n2\n5\n9\n");
    place.write("traces/own.up", "1\n3\n4\n");
    place.write(
        "traces/office.toml",
        &SHORT.replace("rate = \"10 Mbit/s\"", "trace = \"own.up\"").replace("1 bdp", "50 kB"),
    );
    let command = [
        "compare",
        "cubic",
        "bbr",
        "--trace",
        "traces/lte.up",
        "--file",
        "traces/office.toml",
        "--path",
        "dsl",
        "--rtt",
        "20 ms",
    ];
    let output = place.narrows(command.into_iter().chain([
        "--duration",
        "3 s",
        "--seeds",
        "1",
        "--quiet",
        "--out",
        "first",
    ]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let card = json(&place.read("first/scorecard.json"));
    let names: Vec<&str> = card["networks"]
        .as_array()
        .expect("networks")
        .iter()
        .filter_map(|network| network["name"].as_str())
        .collect();
    assert_eq!(names, ["dsl", "trace lte.up", "office"]);
    for file in ["network-office.toml", "trace-lte.up", "trace-own.up"] {
        assert!(place.path("first").join(file).exists(), "{file}");
    }
    let remake = card["remake"].as_str().expect("a command").replacen("narrows", PROGRAM, 1);
    let again = place
        .command("sh")
        .args(["-c", &format!("cd first && {remake} --quiet --out ../second")])
        .output()
        .expect("a shell");
    assert_eq!(code(&again), 0, "{remake}: {}", stderr(&again));
    same(&place, "first", "second");
}

#[test]
fn what_cannot_be_compared_is_refused_and_nothing_is_written() {
    let place = Scratch::new("scorecard-refused");
    let udp = "[[flow]]\nfrom = \"left\"\nto = \"right\"\nworkload = { rate = \"1 Mbit/s\" }\n";
    place.write("udp.toml", &format!("{SHORT}{udp}"));
    place.write("routed.toml", &format!("{SHORT}route = [\"bottleneck\"]\n"));
    let before = place.listing();
    let cases: [(&[&str], &[&str]); 12] = [
        (&["--traffic", "wbe"], &["there is no traffic \"wbe\"; did you mean \"web\"?"]),
        (&["--path", "lte,nowhere"], &["there is no path \"nowhere\""]),
        (&["--path", "lte,lte"], &["lte is named twice; name each once"]),
        (&["--traffic", "web,web"], &["web is named twice"]),
        (&["--beside", "cubic,cubic"], &["cubic is named twice"]),
        (&["--beside", "qubic"], &["there is no controller \"qubic\""]),
        (
            &["--beside", "mircc"],
            &["mircc controls rates in an information-centric network", "name a controller"],
        ),
        (&["--icn", "--beside", "cubic"], &["cannot be used with"]),
        (&["--beside", "xcp"], &["xcp needs the xcp router", "narrows compare bbr xcp"]),
        (
            &["--path", "lte,leo", "--rtt", "20 ms"],
            &["--rtt cannot be used with --path", "leave one of the two out"],
        ),
        (
            &["--file", "udp.toml", "--beside", "cubic"],
            &["udp.toml:16:", "has no controller", "brings its own traffic"],
        ),
        (
            &["--file", "routed.toml", "--traffic", "web"],
            &["routed.toml:16:", "a route of its own", "without routes"],
        ),
    ];
    for (arguments, says) in cases {
        let output = place.narrows(["compare", "bbr"].into_iter().chain(arguments.iter().copied()));
        let told = stderr(&output);
        assert_eq!(code(&output), 2, "{arguments:?}: {told}");
        let flat =
            told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(
            says.iter().all(|says| flat.contains(says)),
            "{arguments:?}: {says:?} is not said\n{told}"
        );
        assert_eq!(place.listing(), before, "{arguments:?} wrote something");
    }
}
