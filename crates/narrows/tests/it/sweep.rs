//! Sweeps, matrices and comparisons of results as a user meets them, also killed and resumed.

use crate::scorecard::resumed;
use crate::scratch::{PROGRAM, Scratch, code, same, stderr, stdout};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs::{self, File};
use std::time::{Duration, Instant};

const SWEEP: &str = r#"name = "Swept"
duration = "20 s"
warmup = "2 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
count = 2

[sweep]
"link.bottleneck.rate" = ["10 Mbit/s", "20 Mbit/s", "40 Mbit/s"]
"flow.*.controller" = ["newreno", "cubic"]
seeds = 4
"#;

const FILES: [&str; 7] = [
    "SHA256SUMS",
    "cells.parquet",
    "flows.parquet",
    "report.html",
    "run.json",
    "summary.json",
    "sweep.toml",
];

fn rows(place: &Scratch, file: &str) -> (i64, Vec<String>) {
    let table =
        SerializedFileReader::new(File::open(place.path(file)).expect("a table")).expect("Parquet");
    let metadata = table.metadata().file_metadata();
    (
        metadata.num_rows(),
        metadata.schema_descr().columns().iter().map(|column| column.name().to_owned()).collect(),
    )
}

#[test]
fn a_sweep_gives_a_row_for_each_run_and_the_same_bytes_with_any_threads() {
    let place = Scratch::new("sweep");
    place.write("swept.toml", SWEEP);
    for jobs in ["1", "2"] {
        let output =
            place.narrows(["sweep", "swept.toml", "--quiet", "--jobs", jobs, "--out", jobs]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains(
            "6 cells: link.bottleneck.rate (3 values), flow.*.controller (2 values); seeds 1–4."
        ));
    }
    same(&place, "1", "2");
    assert_eq!(place.files_of("1"), FILES);
    assert_eq!(place.listing(), ["1", "2", "swept.toml"]);
    let (count, columns) = rows(&place, "1/cells.parquet");
    assert_eq!(count, 24);
    for column in [
        "cell",
        "link.bottleneck.rate",
        "link.bottleneck.rate_mbps",
        "flow.*.controller",
        "seed",
        "utilisation_percent",
        "rtt_p95_ms",
        "goodput_mbps",
    ] {
        assert!(columns.iter().any(|own| own == column), "{column} is not in {columns:?}");
    }
    assert_eq!(rows(&place, "1/flows.parquet").0, 48);
    let summary: Value = serde_json::from_slice(&place.read("1/summary.json")).expect("JSON");
    let cell = &summary["cells"][3];
    assert_eq!(
        (cell["at"]["link.bottleneck.rate"].as_str(), cell["at"]["flow.*.controller"].as_str()),
        (Some("20 Mbit/s"), Some("cubic"))
    );
    let goodput = &cell["metrics"]["goodput"];
    let mut values: Vec<f64> =
        goodput["values"].as_array().expect("values").iter().filter_map(Value::as_f64).collect();
    values.sort_by(f64::total_cmp);
    let (low, median, high) =
        (goodput["low"].as_f64(), goodput["median"].as_f64(), goodput["high"].as_f64());
    assert!(low <= median && median <= high, "{goodput}");
    assert!(
        (median.expect("a median") - (values[1] + values[2]) / 2.0).abs() < 1e-9
            && median > Some(17.0)
            && median < Some(20.0),
        "{goodput}"
    );
}

#[test]
fn a_cell_is_what_its_scenario_gives_by_itself() {
    let place = Scratch::new("sweep-cell");
    place.write("swept.toml", SWEEP);
    let own = SWEEP
        .split("[sweep]")
        .next()
        .expect("a scenario")
        .replace("10 Mbit/s", "40 Mbit/s")
        .replace("cubic", "newreno");
    place.write("own.toml", &own);
    assert_eq!(code(&place.narrows(["sweep", "swept.toml", "--quiet", "--out", "all"])), 0);
    let swept: Value = serde_json::from_slice(&place.read("all/summary.json")).expect("JSON");
    let ran: Value = serde_json::from_slice(
        &place.narrows(["run", "own.toml", "--seeds", "4", "--json"]).stdout,
    )
    .expect("JSON");
    for metric in ["goodput", "rtt_p95", "loss", "jain", "starved"] {
        assert_eq!(
            swept["cells"][4]["metrics"][metric]["values"],
            ran["cases"][0]["metrics"][metric]["values"],
            "{metric}"
        );
    }
}

#[test]
fn a_sweep_that_was_killed_continues_where_it_was() {
    let place = Scratch::new("sweep-killed");
    let long = SWEEP.replace("20 s", "400 s");
    place.write("swept.toml", &long);
    assert_eq!(code(&place.narrows(["sweep", "swept.toml", "--quiet", "--out", "whole"])), 0);
    let command = ["sweep", "swept.toml", "--quiet", "--jobs", "1", "--out", "killed"];
    let mut kept = 0;
    // The sweep is killed three times, each time after some more runs.
    for _ in 0..3 {
        let mut child = place.command(PROGRAM).args(command).spawn().expect("narrows runs");
        let began = Instant::now();
        let lines = || {
            fs::read(place.path("killed.partial"))
                .map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
        };
        while lines() < kept + 3 {
            assert!(
                began.elapsed() < Duration::from_secs(60)
                    && child.try_wait().expect("a state").is_none(),
                "{} runs kept",
                lines()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("a kill");
        child.wait().expect("an end");
        assert!(lines() >= kept + 3);
        kept = lines();
        assert!(!place.path("killed").exists());
    }
    // A torn line does not count as a run.
    let mut torn = place.read("killed.partial");
    let cut = torn.len() - 9;
    torn.truncate(cut);
    fs::write(place.path("killed.partial"), torn).expect("a file");
    let first = place.read("killed.partial").len();
    place.write("swept.toml", &long.replace("5 ms", "6 ms"));
    let changed = place.narrows(command);
    assert!(
        code(&changed) == 2
            && stderr(&changed).contains("another scenario")
            && stderr(&changed).contains("choose another --out"),
        "{}",
        stderr(&changed)
    );
    assert_eq!(place.read("killed.partial").len(), first);
    fs::remove_file(place.path("swept.toml")).expect("a file");
    let output = place.narrows(["sweep", "--resume", "killed", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    same(&place, "whole", "killed");
    assert!(!place.path("killed.partial").exists());
}

#[test]
fn a_matrix_that_was_killed_keeps_its_pairs() {
    let command = [
        "matrix",
        "newreno",
        "cubic",
        "--buffer",
        "1 bdp",
        "--duration",
        "200 s",
        "--quiet",
        "--jobs",
        "1",
    ];
    let (place, told) = resumed("matrix-killed", &command);
    assert!(told.contains("Harm in throughput"), "{told}");
    assert!(place.path("killed/matrix.parquet").exists());
}

#[test]
fn what_is_expected_is_judged_in_every_cell() {
    let place = Scratch::new("sweep-expect");
    place.write(
        "swept.toml",
        &SWEEP.replace("[sweep]", "[expect]\ngoodput = { min = 15 }\n\n[sweep]"),
    );
    let output = place.narrows(["sweep", "swept.toml", "--quiet", "--out", "result"]);
    let told = stdout(&output);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        told.contains("(cell 0: link.bottleneck.rate 10 Mbit/s,")
            && told.contains("met: 4 of 6 expectations"),
        "{told}"
    );
}

#[test]
fn runs_of_another_build_are_not_mixed() {
    let place = Scratch::new("sweep-build");
    place.write("swept.toml", SWEEP);
    let mut child = place
        .command(PROGRAM)
        .args(["sweep", "swept.toml", "--quiet", "--set", "duration=4000 s", "--out", "old"])
        .spawn()
        .expect("narrows runs");
    // The first line is the origin of the runs.
    while !fs::read(place.path("old.partial")).is_ok_and(|bytes| bytes.contains(&b'\n')) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a kill");
    child.wait().expect("an end");
    let text = String::from_utf8(place.read("old.partial")).expect("text");
    fs::write(place.path("old.partial"), text.replacen("(build ", "(build 0", 1)).expect("a file");
    let output = place.narrows(["sweep", "--resume", "old"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("come from Narrows 0.1.0 (build 0"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn ctrl_c_and_sigterm_keep_what_is_done_and_say_how_to_continue() {
    for signal in ["-INT", "-TERM"] {
        let place = Scratch::new(&format!("sweep-stopped{signal}"));
        place.write("swept.toml", SWEEP);
        let mut child = place.command(PROGRAM);
        let child = child
            .args(["sweep", "swept.toml", "--quiet", "--set", "duration=4000 s"])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("narrows runs");
        while !place.path("narrows-results/swept-1.partial").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(700));
        assert!(
            place
                .command("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("kill")
                .success()
        );
        let output = child.wait_with_output().expect("an end");
        let told = stderr(&output);
        assert_eq!(code(&output), 2, "{signal}: {told}");
        assert!(
            told.contains("of 24 runs are kept in narrows-results/swept-1.partial")
                && told.contains("narrows sweep --resume narrows-results/swept-1 resumes"),
            "{told}"
        );
        assert_eq!(place.files_of("narrows-results"), ["swept-1.partial"]);
    }
}

#[test]
fn all_cells_are_checked_before_the_first_runs() {
    let place = Scratch::new("sweep-refused");
    place.write("swept.toml", &SWEEP.replace("\"40 Mbit/s\"", "\"0 Mbit/s\""));
    let output = place.narrows(["sweep", "swept.toml"]);
    let told = stderr(&output);
    assert_eq!(code(&output), 2);
    for words in [
        "link.bottleneck.rate = \"0 Mbit/s\"",
        "swept.toml:20",
        "a link's rate must be",
        "above zero",
    ] {
        assert!(told.contains(words), "{words} is not in {told}");
    }
    assert_eq!(place.listing(), ["swept.toml"]);
    let run = place.narrows(["run", "swept.toml"]);
    assert!(
        code(&run) == 2 && stderr(&run).contains("narrows sweep swept.toml"),
        "{}",
        stderr(&run)
    );
}

#[test]
fn a_sweep_is_made_again_from_its_own_directory() {
    let place = Scratch::new("sweep-again");
    fs::create_dir(place.path("traces")).expect("a directory");
    place.write("traces/lte.up", "1\n2\n2\n5\n9\n");
    let traced = SWEEP
        .replace("name = \"Swept\"\n", "")
        .replace("\nrate = ", "\ntrace = \"traces/lte.up\"\n# ");
    place.write(
        "traced.toml",
        &traced.replace(
            "\"link.bottleneck.rate\" = [\"10 Mbit/s\", \"20 Mbit/s\", \"40 Mbit/s\"]",
            "\"link.bottleneck.delay\" = [\"5 ms\", \"9 ms\"]",
        ),
    );
    let output = place.narrows([
        "sweep",
        "traced.toml",
        "--seeds",
        "2",
        "--set",
        "flow.1.count=1,3",
        "--quiet",
        "--out",
        "first",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(place.path("first/trace-lte.up").exists());
    let script = format!("cd first && {PROGRAM} sweep sweep.toml --quiet --out ../second");
    let again = place.command("sh").args(["-c", &script]).output().expect("a shell");
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    same(&place, "first", "second");
    let page = place.read("first/report.html");
    fs::remove_file(place.path("first/report.html")).expect("a file");
    let report = place.narrows(["report", "first"]);
    assert_eq!(code(&report), 0, "{}", stderr(&report));
    assert!(
        place.read("first/report.html") == page && stdout(&report).starts_with(&stdout(&output))
    );
}

#[test]
fn results_are_compared_with_their_spread() {
    let place = Scratch::new("differ");
    let single = SWEEP.split("[sweep]").next().expect("a scenario");
    place.write("before.toml", single);
    place.write("after.toml", &single.replace("1 bdp", "4 bdp"));
    for (file, seeds, out) in [
        ("before.toml", "6", "before"),
        ("after.toml", "6", "after"),
        ("before.toml", "1", "one"),
        ("after.toml", "1", "two"),
    ] {
        assert_eq!(
            code(&place.narrows(["run", file, "--seeds", seeds, "--quiet", "--out", out])),
            0
        );
    }
    let output = place.narrows(["diff", "before", "after"]);
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for words in ["link.bottleneck.buffer: ", "rtt_p95", "worse", "95 % interval"] {
        assert!(told.contains(words), "{words} is not in {told}");
    }
    let json: Value =
        serde_json::from_slice(&place.narrows(["diff", "before", "after", "--json"]).stdout)
            .expect("JSON");
    let rtt = json["metrics"]
        .as_array()
        .expect("metrics")
        .iter()
        .find(|moved| moved["metric"] == "rtt_p95")
        .expect("rtt_p95");
    assert!(
        rtt["beyond_spread"] == true
            && rtt["better"] == false
            && rtt["change"].as_f64() > Some(5.0),
        "{rtt}"
    );
    let same = stdout(&place.narrows(["diff", "before", "before"]));
    assert!(same.contains("no difference") && same.contains("No metric changed."), "{same}");
    let single = stdout(&place.narrows(["diff", "one", "two"]));
    assert!(single.contains("One seed each: the spread is unknown."), "{single}");
    let mixed = stdout(&place.narrows(["diff", "before", "two"]));
    assert!(
        mixed.contains("One seed on one side: the spread is unknown.") && !mixed.contains("worse"),
        "{mixed}"
    );
    for (arguments, says) in [
        (vec!["compare", "before", "after"], "use narrows diff BEFORE AFTER"),
        (vec!["diff", "before"], "<AFTER>"),
        (vec!["diff", "before", "nowhere/else"], "nowhere/else"),
    ] {
        let output = place.narrows(arguments.iter().copied());
        assert!(
            code(&output) == 2 && stderr(&output).contains(says),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_matrix_has_shares_that_add_up_and_its_yardstick() {
    let place = Scratch::new("matrix");
    let arguments = [
        "matrix",
        "cubic",
        "bbr",
        "--rate",
        "20 Mbit/s",
        "--buffer",
        "1 bdp,4 bdp",
        "--duration",
        "20 s",
        "--seeds",
        "2",
        "--quiet",
    ];
    let output = place.narrows(arguments.into_iter().chain(["--out", "pairs"]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = stdout(&output);
    assert!(
        told.contains("Harm in throughput: row beside column (CUBIC on NewReno: ")
            && told.contains("buffer 4 bdp"),
        "{told}"
    );
    let summary: Value = serde_json::from_slice(&place.read("pairs/summary.json")).expect("JSON");
    // On each of two networks: 2 controllers alone, 3 pairs, and as the yardstick NewReno alone and
    // beside CUBIC.
    assert_eq!(summary["cells"].as_array().map(Vec::len), Some(14));
    let measure = |name: &str, network: usize| -> Vec<Vec<f64>> {
        let all = summary["matrix"]["measures"].as_array().expect("measures");
        let own =
            all.iter().find(|measure| measure["name"] == name).unwrap_or_else(|| panic!("{name}"));
        serde_json::from_value(own["conditions"][network]["median"].clone()).expect("numbers")
    };
    for network in 0..2 {
        let share = measure("share", network);
        assert!(
            (share[0][0] - 50.0).abs() < 1e-9 && (share[0][1] + share[1][0] - 100.0).abs() < 1e-9,
            "{share:?}"
        );
        for name in ["harm_throughput", "harm_delay", "harm_loss"] {
            assert!(
                measure(name, network).iter().flatten().all(|harm| (0.0..=1.0).contains(harm)),
                "{name}"
            );
        }
        // Alone, a flow has the whole link. Beside another flow of its kind it loses about half.
        let harm = measure("harm_throughput", network);
        assert!((harm[0][0] - 0.5).abs() < 0.1, "{harm:?}");
    }
    assert_eq!(rows(&place, "pairs/matrix.parquet").0, 8);
    // Pairs have two groups of flows, with a table each.
    assert_eq!(place.files_of("pairs").len(), FILES.len() + 2);
    let again = place.narrows(arguments.into_iter().chain(["--jobs", "1", "--out", "again"]));
    assert_eq!(again.stdout, output.stdout);
    same(&place, "pairs", "again");
    let report = place.narrows(["report", "pairs"]);
    assert!(stdout(&report).starts_with(&told), "{}", stdout(&report));
}

#[test]
fn a_matrix_of_transfers_tells_harm_of_their_completion_and_no_starvation() {
    let place = Scratch::new("matrix-transfers");
    let words = [
        "--workload",
        "call",
        "--rate",
        "20 Mbit/s",
        "--buffer",
        "1 bdp",
        "--duration",
        "6 s",
        "--quiet",
        "--out",
    ];
    let told = |of: [&str; 2], out: &str| {
        let output = place.narrows(["matrix"].into_iter().chain(of).chain(words).chain([out]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    let one = told(["newreno", "cubic"], "one");
    assert!(one.contains("Harm in completion times") && !one.contains("Starvation"), "{one}");
    // Both controllers are offered the same traffic in either order.
    let other = told(["cubic", "newreno"], "other");
    for told in [&one, &other] {
        let share = told
            .split_once("Share")
            .and_then(|(_, rest)| rest.split_once("Goodput"))
            .expect("shares")
            .0;
        assert_eq!(share.matches("50.0 / 50.0").count(), 4, "{share}");
    }
}
