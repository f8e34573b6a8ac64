//! Live runs of information-centric scenarios: real forwarders in namespaces, over emulated links.

use crate::host::{alone, capable, live, live_with_files, told};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use serde_json::Value;

/// One consumer whose prefix has two producers, and one whose prefix has only the far producer and
/// which ends after 200 segments.
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
    // A busy machine can make the run invalid. No other failure is accepted.
    assert!(matches!(code(&output), 0 | 3), "{}", told(&output));
    let names = place.files_of("result");
    for table in ["consumer_samples", "consumers", "interests", "rate_samples", "subflow_samples"] {
        assert!(names.contains(&format!("{table}.parquet")), "no {table} among {names:?}");
    }
    let summary: Value = serde_json::from_slice(&place.read("result/summary.json")).expect("JSON");
    let goodput = |case: usize| {
        summary["cases"][case]["metrics"]["goodput"]["median"].as_f64().expect("a goodput")
    };
    let (live, simulated) = (goodput(0), goodput(1));
    // The link that both paths share has 4 Mbit/s, including headers of IP and UDP.
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
    let both = FORK
        .replace("at = \"far\"\n\n[[consumer]]", "at = \"far\"\ndata = \"500 B\"\n\n[[consumer]]");
    let file =
        place.write("sizes.toml", &both.replace("segments = 200\nstart = \"2500 ms\"\n", ""));
    let output = live(&place, &[&file, "--beside-sim", "--out", "result"]);
    assert!(matches!(code(&output), 0 | 3), "{}", told(&output));
    let summary: Value = serde_json::from_slice(&place.read("result/summary.json")).expect("JSON");
    let [live, simulated] = [0, 1].map(|case| {
        ["goodput", "jain"].map(|metric| {
            summary["cases"][case]["metrics"][metric]["median"].as_f64().expect("a number")
        })
    });
    println!("goodput in Mbit/s and Jain's index: {live:?} live, {simulated:?} simulated");
    if code(&output) == 0 {
        live.iter().zip(&simulated).for_each(|(live, simulated)| {
            assert!((live / simulated - 1.0).abs() < 0.1, "{live} {simulated}")
        });
    } else {
        assert!(stdout(&output).contains("INVALID"), "{}", told(&output));
    }
}

/// Random requests by nodes at different distances, for two prefixes and two sizes of content, some
/// from a catalogue. The run goes on for seven seconds after the last request.
const SHOP: &str = r#"
[[request]]
name = "shop"
at = ["home", "middle"]
prefix = ["/one", "/two"]
every = "100 ms"
segments = [[3, 0.8], [20, 0.2]]
stop = "3 s"

[[request]]
name = "news"
at = "home"
prefix = "/two"
every = "200 ms"
segments = 5
catalogue = 4
controller = "newreno"
stop = "3 s"
"#;

#[test]
fn what_real_forwarders_do_not_do_is_refused_by_name() {
    let test = "what_real_forwarders_do_not_do_is_refused_by_name";
    if !capable(test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-icn-refused"));
    let with = |key: &str| FORK.replace("law = \"mircc\"", &format!("law = \"mircc\"\n{key}"));
    // About 600,000 requests in 6 s.
    let request = "[[request]]\nname = \"random\"\nat = \"home\"\nprefix = \"/one\"\nevery = \"10 us\"\nsegments = 1\n";
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
        (
            "prefix \"/two\"",
            FORK.replace(
                "at = \"far\"\n\n[[consumer]]",
                "at = \"far\"\ndata = \"200 B\"\n\n[[consumer]]",
            ),
        ),
        ("icn.police", with("police = true")),
        ("100000 requests", format!("{FORK}\n{request}")),
        ("link \"la", format!("{FORK}\n{change}")),
    ];
    for (named, text) in cases {
        let file = place.write("refused.toml", &text);
        let output = live(&place, &[&file, "--out", "refused"]);
        let said = stderr(&output);
        assert!(
            code(&output) == 2 && said.contains(named) && said.contains("cannot run live"),
            "{named}: {}",
            told(&output)
        );
    }
}

/// Each consumer that starts at once uses two files of its node. Together they need more files than
/// the node may open soon after the start.
#[test]
fn a_part_of_a_node_that_fails_ends_the_run_at_once() {
    let test = "a_part_of_a_node_that_fails_ends_the_run_at_once";
    if !capable(test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-icn-failure"));
    let network = FORK
        .split("[[consumer]]")
        .next()
        .expect("a network")
        .replace("\"6 s\"", "\"100 s\"")
        .replace("\"2 s\"", "\"0 s\"");
    let request = "[[request]]\nname = \"shop\"\nat = \"home\"\nprefix = \"/one\"\nevery = \"20 ms\"\nsegments = 100000\n";
    let file = place.write("crowd.toml", &format!("{network}{request}"));
    let began = std::time::Instant::now();
    let output = live_with_files(&place, 200, &[&file, "--out", "result"]);
    let said = stderr(&output);
    assert!(code(&output) == 2, "{}", told(&output));
    for words in [
        "the node \"home\" failed",
        "the request process \"shop\"",
        "consumers of a request process ask at once",
        "ulimit -Hn",
    ] {
        assert!(said.contains(words), "no {words} in {}", told(&output));
    }
    // The run does not wait for its scheduled end.
    assert!(began.elapsed().as_secs() < 100, "{:?}: {}", began.elapsed(), told(&output));
}

#[test]
fn a_node_says_who_it_is_for() {
    let place = Scratch::new("live-icn-node");
    let output = place
        .command(PROGRAM)
        .arg("node")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("narrows runs");
    assert!(code(&output) == 2 && stderr(&output).contains("narrows live"), "{}", told(&output));
}

/// Run by `make long`.
mod long {
    use super::*;

    /// Without rates there is no shaper: only windows limit the consumers.
    #[test]
    #[ignore = "long: make long"]
    fn forwarders_without_a_law_carry_windows() {
        let test = "forwarders_without_a_law_carry_windows";
        if !capable(test) {
            return;
        }
        let (_alone, place) = (alone(), Scratch::new("live-icn-windows"));
        let plain = FORK
            .replace("law = \"mircc\"", "law = \"none\"\nshaper = false\ncontroller = \"newreno\"");
        let file = place.write("plain.toml", &plain);
        let output = live(&place, &[&file, "--out", "result"]);
        assert!(matches!(code(&output), 0 | 3), "{}", told(&output));
        let result =
            narrows_report::read(&narrows_report::open(&place.path("result")).expect("a result"))
                .expect("of a run");
        let flows = &result.cases[0].runs[0].flows;
        assert!(flows.iter().all(|flow| flow.total.goodput.get() > 0), "{}", told(&output));
    }

    #[test]
    #[ignore = "long: make long"]
    fn requests_are_those_of_a_simulation_and_all_are_answered() {
        let test = "requests_are_those_of_a_simulation_and_all_are_answered";
        if !capable(test) {
            return;
        }
        let (_alone, place) = (alone(), Scratch::new("live-icn-requests"));
        let network = FORK
            .split("[[consumer]]")
            .next()
            .expect("a network")
            .replace("\"6 s\"", "\"10 s\"")
            .replace("\"2 s\"", "\"0 s\"");
        let two = network.replace("at = \"far\"\n", "at = \"far\"\ndata = \"500 B\"\n");
        let file = place.write("shop.toml", &format!("{two}{SHOP}"));
        let output = live(&place, &[&file, "--beside-sim", "--out", "result"]);
        assert!(matches!(code(&output), 0 | 3), "{}", told(&output));
        let result =
            narrows_report::read(&narrows_report::open(&place.path("result")).expect("a result"))
                .expect("of a comparison");
        let [live, simulated] = [0, 1].map(|case| &result.cases[case].runs[0].flows);
        let names: Vec<&str> = live.iter().map(|flow| flow.name.as_str()).collect();
        assert_eq!(names, ["shop.home", "shop.middle", "news.home"]);
        for (live, simulated) in live.iter().zip(simulated) {
            let [contents, expected] = [live, simulated].map(|flow| {
                let transfers = flow.transfers.as_ref().expect("contents are transfers");
                let mut contents: Vec<_> = transfers
                    .list
                    .iter()
                    .map(|transfer| (transfer.start, transfer.size, transfer.ideal))
                    .collect();
                contents.sort();
                // All transfers that began are complete, and every byte counts once.
                assert_eq!(transfers.begun, contents.len() as u64, "{}", flow.name);
                let bytes: u64 = contents.iter().map(|(_, size, _)| size.get()).sum();
                assert_eq!(flow.total.goodput.get(), bytes, "{}", flow.name);
                assert_eq!(
                    flow.samples.last().map(|sample| sample.connections),
                    Some(0),
                    "{}: nobody asks any more",
                    flow.name
                );
                contents
            });
            // The expected number is 15 requests of each kind.
            assert!(contents.len() >= 4, "{}: {}", live.name, contents.len());
            assert_eq!(contents, expected, "{}", live.name);
        }
    }
}
