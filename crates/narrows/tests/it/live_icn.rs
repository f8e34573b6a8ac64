//! Live runs of information-centric scenarios: real forwarders in namespaces, over emulated links.

use crate::host::{alone, capable, live, told};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use serde_json::Value;

/// One consumer with two ways, and one with one of them, for a while.
const FORK: &str = r#"name = "Fork"
duration = "6 s"
warmup = "2 s"

[icn]
law = "mircc"

[[link]]
name = "la"
between = ["home", "middle"]
rate = "4 Mbit/s"
delay = "5 ms"
buffer = "50 ms"

[[link]]
name = "lb"
between = ["middle", "near"]
rate = "3 Mbit/s"
delay = "5 ms"
buffer = "50 ms"

[[link]]
name = "lc"
between = ["middle", "far"]
rate = "2 Mbit/s"
delay = "5 ms"
buffer = "50 ms"

[[prefix]]
name = "/one"
at = ["near", "far"]

[[prefix]]
name = "/two"
at = "far"

[[consumer]]
name = "C1"
at = "home"
prefix = "/one"

[[consumer]]
name = "C2"
at = "home"
prefix = "/two"
segments = 200
start = "2500 ms"
"#;

#[test]
fn forwarders_in_namespaces_do_what_simulated_ones_do() {
    let test = "forwarders_in_namespaces_do_what_simulated_ones_do";
    if !capable(test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-icn"));
    let file = place.write("fork.toml", FORK);
    let output = live(&place, &[&file, "--beside-sim", "--out", "result"]);
    // A busy machine makes the run invalid, and nothing else.
    assert!(matches!(code(&output), 0 | 3), "{}", told(&output));
    let names = place.files_of("result");
    for table in ["consumer_samples", "consumers", "interests", "rate_samples", "subflow_samples"] {
        assert!(names.contains(&format!("{table}.parquet")), "no {table} among {names:?}");
    }
    let summary: Value = serde_json::from_slice(&place.read("result/summary.json")).expect("JSON");
    let goodput = |case: usize| summary["cases"][case]["metrics"]["goodput"]["median"].as_f64().expect("a goodput");
    let (live, simulated) = (goodput(0), goodput(1));
    // 4 Mbit/s is what the link of both has, headers of IP and UDP included.
    assert!(live > 0.0 && live < 4.0, "{live} Mbit/s");
    if code(&output) == 0 {
        assert!((live / simulated - 1.0).abs() < 0.1, "{live} live, {simulated} Mbit/s simulated");
    } else {
        assert!(stdout(&output).contains("INVALID"), "{}", told(&output));
    }
}

#[test]
fn data_of_two_sizes_share_a_link_as_simulated() {
    let test = "data_of_two_sizes_share_a_link_as_simulated";
    if !capable(test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-icn-sizes"));
    let both = FORK.replace("at = \"far\"\n\n[[consumer]]", "at = \"far\"\ndata = \"500 B\"\n\n[[consumer]]");
    let file = place.write("sizes.toml", &both.replace("segments = 200\nstart = \"2500 ms\"\n", ""));
    let output = live(&place, &[&file, "--beside-sim", "--out", "result"]);
    assert!(matches!(code(&output), 0 | 3), "{}", told(&output));
    let summary: Value = serde_json::from_slice(&place.read("result/summary.json")).expect("JSON");
    let [live, simulated] = [0, 1]
        .map(|case| ["goodput", "jain"].map(|metric| summary["cases"][case]["metrics"][metric]["median"].as_f64().expect("a number")));
    println!("goodput in Mbit/s and Jain's index: {live:?} live, {simulated:?} simulated");
    if code(&output) == 0 {
        live.iter().zip(&simulated).for_each(|(live, simulated)| assert!((live / simulated - 1.0).abs() < 0.1, "{live} {simulated}"));
    } else {
        assert!(stdout(&output).contains("INVALID"), "{}", told(&output));
    }
}

#[test]
fn what_real_forwarders_do_not_do_is_refused_by_name() {
    let test = "what_real_forwarders_do_not_do_is_refused_by_name";
    if !capable(test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-icn-refused"));
    let with = |key: &str| FORK.replace("law = \"mircc\"", &format!("law = \"mircc\"\n{key}"));
    let request = "[[request]]\nname = \"random\"\nat = \"home\"\nprefix = \"/one\"\nevery = \"1 s\"\nsegments = 10\n";
    let change = "[[change]]\nat = \"1 s\"\nlink = \"la\"\nrate = \"2 Mbit/s\"\n";
    let cases = [
        ("icn.shaper_form", with("shaper_form = \"published\"")),
        ("icn.shaped_capacity", with("shaped_capacity = false")),
        ("icn.steering", with("steering = \"hashes\"")),
        (
            "icn.law",
            FORK.replace("law = \"mircc\"", "law = \"none\"")
                .replace("segments = 200", "segments = 200\ncontroller = \"newreno\"")
                .replace("name = \"C1\"", "name = \"C1\"\ncontroller = \"newreno\""),
        ),
        ("icn.interest", with("interest = \"60 B\"")),
        ("prefix \"/two\"", FORK.replace("at = \"far\"\n\n[[consumer]]", "at = \"far\"\ndata = \"200 B\"\n\n[[consumer]]")),
        ("icn.police", with("police = true")),
        ("request \"random\"", format!("{FORK}\n{request}")),
        ("link \"la", format!("{FORK}\n{change}")),
    ];
    for (named, text) in cases {
        let file = place.write("refused.toml", &text);
        let output = live(&place, &[&file, "--out", "refused"]);
        let said = stderr(&output);
        assert!(code(&output) == 2 && said.contains(named) && said.contains("cannot run live"), "{named}: {}", told(&output));
    }
}

#[test]
fn a_node_says_who_it_is_for() {
    let place = Scratch::new("live-icn-node");
    let output = place.command(PROGRAM).arg("node").stdin(std::process::Stdio::null()).output().expect("narrows runs");
    assert!(code(&output) == 2 && stderr(&output).contains("narrows live"), "{}", told(&output));
}
