//! QUIC stacks as a user meets them: compared, refused, attacked.

use crate::scratch::{Scratch, code, same, stderr, stdout};

const BLACKOUT: &str = r#"duration = "60 s"
seed = 1
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "1 bdp"
[[flow]]
name = "quic"
from = "left"
to = "right"
controller = "noq:cubic"
[[flow]]
name = "tcp"
from = "left"
to = "right"
controller = "cubic"
[[change]]
at = "10 s"
link = "bottleneck"
loss = "100 %"
[[change]]
at = "50 s"
link = "bottleneck"
loss = "0 %"
"#;

#[test]
fn a_comparison_with_stacks_has_the_same_bytes_with_any_threads() {
    let place = Scratch::new("quic");
    for jobs in ["1", "2"] {
        let output = place.narrows([
            "compare",
            "noq:bbr3",
            "quinn:cubic",
            "copa@noq",
            "cubic",
            "--duration",
            "5 s",
            "--seeds",
            "2",
            "--quiet",
            "--jobs",
            jobs,
            "--out",
            jobs,
        ]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    same(&place, "1", "2");
}

#[test]
fn a_connection_that_timed_out_is_named_below_the_result() {
    let place = Scratch::new("quic-blackout");
    place.write("blackout.toml", BLACKOUT);
    let output = place.narrows(["run", "blackout.toml", "--out", "run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = "connections timed out because nothing arrived for 30 s: quic";
    assert!(stdout(&output).contains(said), "{}", stdout(&output));
    assert!(!stdout(&output).contains("tcp with seed"), "{}", stdout(&output));
}

/// One flow over a round trip of 200 ms, with the stacks' own flow-control windows.
const LONG: &str = r#"duration = "6 s"
warmup = "2 s"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "100 Mbit/s"
delay = "100 ms"
buffer = "1 bdp"
[[flow]]
name = "quic"
from = "left"
to = "right"
controller = "quinn:newreno?window=1.25"
"#;

#[test]
fn flow_control_is_told_of_and_the_crate_is_in_the_record() {
    let place = Scratch::new("quic-window");
    place.write("long.toml", LONG);
    let output = place.narrows(["run", "long.toml", "--out", "run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = "for a part of the time: quic of long with seed 1 (";
    assert!(stdout(&output).contains(said), "{}", stdout(&output));
    let record: serde_json::Value =
        serde_json::from_slice(&place.read("run/run.json")).expect("JSON");
    let [stack] = &record["stacks"].as_array().expect("stacks")[..] else { panic!("{record}") };
    assert_eq!(
        (&stack["stack"], &stack["crate"], &stack["version"]),
        (&"quinn".into(), &"quinn-proto".into(), &"0.11.19".into())
    );
    let lock = include_str!("../../../../Cargo.lock");
    let sum = stack["sha256"].as_str().expect("a checksum");
    assert!(lock.contains(&format!("version = \"0.11.19\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{sum}\"")));
    assert!(stack["replaced"][0].as_str().expect("text").starts_with("rand_pcg by "));
}

/// The stacks' own qlog needs a feature that is off in most builds.
#[test]
fn the_log_of_a_stack_needs_a_feature() {
    let place = Scratch::new("quic-qlog");
    place.write("long.toml", LONG);
    let output = place.narrows(["run", "long.toml", "--qlog", "quic", "--out", "run"]);
    if cfg!(feature = "quic-qlog") {
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let again =
            place.narrows(["report", "run", "--overlay", "run/quic.sqlog", "--out", "a.html"]);
        assert!(stdout(&again).contains("Measured, quic.sqlog: window p50"), "{}", stdout(&again));
        return;
    }
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("--features quic-qlog"), "{}", stderr(&output));
}

#[test]
fn the_kernel_has_no_stacks() {
    let place = Scratch::new("quic-live");
    place.write(
        "live.toml",
        &BLACKOUT.replace("controller = \"cubic\"", "controller = \"copa@noq\""),
    );
    let output = place.narrows(["live", "live.toml"]);
    assert_ne!(code(&output), 0);
    let said = stderr(&output);
    // Without root, live runs are refused earlier.
    assert!(said.contains("simulate it with narrows run") || said.contains("root"), "{said}");
}

/// Run by `make long`.
mod long {
    use super::*;

    /// quinn's BBR starves CUBIC, and the coexistence criterion fails.
    #[test]
    #[ignore = "long: make long"]
    fn a_check_finds_that_bbr_of_quinn_is_unfair() {
        let place = Scratch::new("quic-check");
        let output =
            place.narrows(["check", "quinn:bbr", "--quick", "--only", "coexist", "--out", "check"]);
        assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    }
}
