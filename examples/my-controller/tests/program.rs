//! The program, as its user runs it.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs the program in a directory of its own.
fn run(name: &str, arguments: &[&str]) -> Output {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory");
    Command::new(env!("CARGO_BIN_EXE_my-controller"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("the program runs")
}

fn json(name: &str, arguments: &[&str]) -> Value {
    let output = run(name, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn it_fills_the_link_with_a_tenth_of_cubics_queue() {
    let arguments =
        ["compare", "mine", "cubic", "--duration", "20 s", "--seeds", "1", "--quiet", "--json"];
    let summary = json("compare", &arguments);
    let metric = |case: usize, name: &str| {
        summary["cases"][case]["metrics"][name]["median"].as_f64().expect("a metric")
    };
    assert_eq!(summary["cases"].as_array().map(Vec::len), Some(2));
    assert!(metric(0, "utilisation") > 0.9, "{summary:#}");
    assert!(metric(0, "standing_queue") < metric(1, "standing_queue") / 10.0, "{summary:#}");
}

#[test]
fn they_are_listed_last_with_their_parameters() {
    let all = json("list", &["list", "controllers", "--json"]);
    let all = all.as_array().expect("a list");
    let told = |entry: &Value| -> (String, Vec<String>) {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (
            text(&entry["name"]),
            entry["params"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|param| text(&param["name"]))
                .collect(),
        )
    };
    let last: Vec<_> = all[all.len() - 2..].iter().map(told).collect();
    let expected =
        [("mine", vec!["target", "increase", "decrease"]), ("paced", vec!["gain", "target"])];
    assert_eq!(
        last,
        expected.map(|(name, params)| (
            name.to_owned(),
            params.into_iter().map(str::to_owned).collect::<Vec<_>>()
        ))
    );
}

#[test]
fn a_wrong_parameter_is_refused_with_what_would_be_right() {
    let output = run("refused", &["compare", "mine?target=0"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("mine: target=0 is not allowed; it must be a number from 0.1 to 1000 ms"),
        "{told}"
    );
}
