//! Measurements laid over a simulation.

use crate::page;
use crate::scratch::{Scratch, code, stderr, stdout};

const SCENARIO: &str = r#"
duration = "3 s"
warmup = "0 s"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "15 ms"
buffer = "1 bdp"
[[flow]]
from = "left"
to = "right"
controller = "cubic"
"#;

const IPERF3: &str = r#"{ "start": { "tcp_mss_default": 1448 }, "intervals": [
{ "streams": [{ "rtt": 31000, "snd_cwnd": 14480 }], "sum": { "start": 0, "end": 1, "bits_per_second": 8e6 } },
{ "streams": [{ "rtt": 41000, "snd_cwnd": 28960 }], "sum": { "start": 1, "end": 2, "bits_per_second": 9e6 } }
] }"#;

const MM_LINK: &str = "# base timestamp: 5\n6 + 1500\n15 # 1504\n15 - 1500 9\n104 # 1504\n";

#[test]
fn measurements_are_summarised_drawn_and_kept() {
    let scratch = Scratch::new("overlays");
    scratch.write("net.toml", SCENARIO);
    scratch.write("iperf3.json", IPERF3);
    scratch.write("mm link.log", MM_LINK);
    let run = scratch.narrows([
        "run",
        "net.toml",
        "--overlay",
        "iperf3.json",
        "--overlay",
        "mm link.log",
        "--out",
        "out",
    ]);
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    let table = stdout(&run);
    let expected = "Measured, iperf3.json: throughput 8.50 Mbit/s, RTT p50 41 and p95 41 ms, window p50 20 and p95 20 segments.";
    assert!(table.contains(&expected.replace("8.50", "8.5")), "{table}");
    assert!(
        table.contains(
            "Measured, mm link.log: throughput 0.12 Mbit/s, queueing delay p50 9 and p95 9 ms."
        ),
        "{table}"
    );

    let report = String::from_utf8(scratch.read("out/report.html")).expect("text");
    let data = page::data(&report).expect("data");
    let panel = |at: &serde_json::Value| {
        data["panels"][at["panel"].as_u64().expect("a panel") as usize]["title"]
            .as_str()
            .expect("a title")
            .to_owned()
    };
    let drawn: Vec<String> =
        data["overlays"].as_array().expect("overlays").iter().map(panel).collect();
    let starts = ["Throughput", "Round trip", "Congestion window", "Throughput", "Queueing delay"];
    assert!(
        drawn.len() == 5 && drawn.iter().zip(starts).all(|(title, start)| title.starts_with(start)),
        "{drawn:?}"
    );
    assert_eq!(
        (&data["overlays"][1]["x"], &data["overlays"][1]["y"]),
        (&serde_json::json!([1, 2]), &serde_json::json!([31, 41]))
    );
    assert!(
        data["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .any(|line| panel(line).starts_with("Queueing delay")),
        "the simulated delay is missing"
    );

    // The result keeps the measurements: the same report can be drawn again, and the run made again
    // from the directory.
    let again = scratch.narrows(["report", "out"]);
    assert!(stdout(&again).contains("Measured, mm link.log"));
    assert!(scratch.read("out/report.html") == report.into_bytes());
    let remake = [
        "run",
        "out/scenario.toml",
        "--seeds",
        "1",
        "--overlay",
        "out/overlay-iperf3.json",
        "--overlay",
        "out/overlay-mm link.log",
    ];
    let remade = scratch.narrows(remake.into_iter().chain(["--out", "twice"]));
    assert_eq!(code(&remade), 0, "{}", stderr(&remade));
    assert!(scratch.read("out/summary.json") == scratch.read("twice/summary.json"));
    assert!(scratch.read("out/report.html") == scratch.read("twice/report.html"));
}

/// A qlog that Narrows writes of a sender is like the qlogs of other stacks: it can be laid over
/// its own run.
#[test]
fn a_qlog_is_drawn_over_the_run_that_it_is_of() {
    let scratch = Scratch::new("overlay-qlog");
    scratch.write("net.toml", SCENARIO);
    let run = scratch.narrows(["run", "net.toml", "--qlog", "all", "--out", "out"]);
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    let logs = scratch.files_of("out");
    let log = logs.iter().find(|name| name.ends_with(".sqlog")).expect("a log").clone();
    let shown = scratch.narrows([
        "report",
        "out",
        "--overlay",
        &format!("out/{log}"),
        "--out",
        "page.html",
    ]);
    assert_eq!(code(&shown), 0, "{}", stderr(&shown));
    assert!(
        stdout(&shown).contains(&format!("Measured, {log}: window p50 ")),
        "{}",
        stdout(&shown)
    );
    let data =
        page::data(&String::from_utf8(scratch.read("page.html")).expect("text")).expect("data");
    let title = |at: &serde_json::Value| {
        data["panels"][at["panel"].as_u64().expect("a panel") as usize]["title"].clone()
    };
    let drawn: Vec<_> = data["overlays"].as_array().expect("overlays").iter().map(title).collect();
    assert_eq!(drawn.len(), 3, "{drawn:?}");
    let in_flight =
        drawn.iter().find(|title| title.as_str().is_some_and(|text| text.starts_with("In flight")));
    let own =
        data["lines"].as_array().expect("lines").iter().any(|line| Some(&title(line)) == in_flight);
    assert!(own, "the simulated flight is missing: {drawn:?}");
}

#[test]
fn a_report_can_show_a_measurement_once() {
    let scratch = Scratch::new("overlay-once");
    scratch.write("net.toml", SCENARIO);
    scratch.write("iperf3.json", IPERF3);
    assert_eq!(code(&scratch.narrows(["run", "net.toml", "--out", "out"])), 0);
    let before = scratch.files_of("out");
    let shown =
        scratch.narrows(["report", "out", "--overlay", "iperf3.json", "--out", "laid.html"]);
    assert!(stdout(&shown).contains("Measured, iperf3.json"), "{}", stderr(&shown));
    assert!(String::from_utf8_lossy(&scratch.read("laid.html")).contains("Measured, iperf3.json"));
    assert_eq!(scratch.files_of("out"), before);
}

#[test]
fn what_is_no_measurement_is_refused_at_its_line() {
    let scratch = Scratch::new("overlay-refused");
    scratch.write("net.toml", SCENARIO);
    for (text, expected) in [
        (
            MM_LINK.replace("- 1500 9", "- 1500"),
            "bad, line 4: \"15 - 1500\" lacks the delay of a departure; a line is a time",
        ),
        (IPERF3.replace("\"end\": 2,", ""), "bad, line 3: missing field `end`"),
        (String::new(), "bad, line 1: no packet departed"),
    ] {
        scratch.write("bad", &text);
        let output = scratch.narrows(["run", "net.toml", "--overlay", "bad"]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(scratch.listing(), ["bad", "net.toml"]);
    }
}
