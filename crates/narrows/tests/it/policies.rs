//! Learned policies from files, as a user meets them.

use crate::scratch::{Scratch, code, same, stderr, stdout};
use narrows_control::{Choice, EntryRef, OwnedEntry};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Weak};

/// Returns a policy with a constant action.
fn constant(action: f64) -> Value {
    json!({
        "format": "narrows-policy", "version": 1, "preset": "aurora", "note": "always the same",
        "layers": [{ "weights": [vec![0.0; 30]], "biases": [action], "activation": "none" }],
    })
}

fn put(place: &Scratch, name: &str, policy: &Value) {
    place.write(name, &policy.to_string());
}

const NETWORK: [&str; 8] =
    ["--rate", "2 Mbit/s", "--rtt", "50 ms", "--duration", "10 s", "--seeds", "1"];

#[test]
fn a_policy_is_compared_with_other_controllers_and_kept_with_the_result() {
    let place = Scratch::new("policies-compare");
    put(&place, "mine.policy.json", &constant(0.0));
    for jobs in ["1", "2"] {
        let words = [
            "compare",
            "mine.policy.json",
            "mine.policy.json?first_mbps=1",
            "cubic",
            "--jobs",
            jobs,
            "--out",
            jobs,
        ];
        let output = place.narrows([&words[..], &NETWORK].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            stdout(&output).starts_with("mine, mine?first_mbps=1 and cubic compared"),
            "{}",
            stdout(&output)
        );
        assert!(!stdout(&output).contains("verifier"), "{}", stdout(&output));
    }
    same(&place, "1", "2");
    let summary: Value = serde_json::from_slice(&place.read("1/summary.json")).expect("JSON");
    let goodput = |case: usize| {
        summary["cases"][case]["metrics"]["goodput"]["values"][0].as_f64().expect("a goodput")
    };
    // Two flows with a constant rate of 1 Mbit/s. A packet has 1500 bytes, of which 1448 are
    // payload.
    assert!((goodput(1) - 2.0 * 1448.0 / 1500.0).abs() < 0.03, "{}", goodput(1));
    assert_eq!(
        place.read("1/mine.policy.json"),
        place.read("mine.policy.json"),
        "the file is kept"
    );
    let told: Value = serde_json::from_slice(&place.read("1/run.json")).expect("JSON");
    assert_eq!(
        (&told["controllers"][0]["name"], &told["controllers"][0]["object"]),
        (&json!("mine"), &json!("mine.policy.json"))
    );
    // If the file is gone, the scenario in the result finds the copy beside it.
    fs::remove_file(place.path("mine.policy.json")).expect("the file");
    let output =
        place.narrows(["run", "1/scenario-2-mine-first_mbps-1.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let again: Value = serde_json::from_slice(&place.read("again/summary.json")).expect("JSON");
    assert_eq!(again["cases"][0]["runs"][0], summary["cases"][1]["runs"][0]);
}

/// Chooses the controller of a file as a command does, in a session of its own.
fn loaded(file: &Path) -> Weak<OwnedEntry> {
    let session = narrows::workbench::session(&[]).expect("no controllers but those of the stacks");
    let _session = session.enter();
    let path = file.display().to_string();
    let chosen = narrows_scenario::load_controller(&path, Path::new(""))
        .unwrap_or_else(|error| panic!("{error}"));
    let choice: Choice = chosen.parse().unwrap_or_else(|error| panic!("{error}"));
    let EntryRef::Owned(entry) = choice.entry() else { panic!("{chosen} is of a file") };
    Arc::downgrade(entry)
}

/// A search loads thousands of files in one process.
#[test]
fn files_under_many_names_are_freed_with_their_commands() {
    let place = Scratch::new("policies-freed");
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/../bpf/tests/objects/reno.bpf.o");
    let mut entries = Vec::new();
    for number in 0..1000 {
        let name = format!("policy-{number}.policy.json");
        put(&place, &name, &constant(0.0));
        entries.push(loaded(&place.path(&name)));
    }
    for number in 0..20 {
        let file = place.path(&format!("object-{number}.bpf.o"));
        fs::copy(object, &file).expect("it is copied");
        entries.push(loaded(&file));
    }
    assert!(entries.iter().all(|entry| entry.upgrade().is_none()));
}

#[test]
fn inspect_says_what_a_policy_is() {
    let place = Scratch::new("policies-inspect");
    put(&place, "mine.policy.json", &constant(0.5));
    let output = place.narrows(["inspect", "./mine.policy.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "from ./mine.policy.json",
        "preset        aurora: Jay et al.",
        "30 inputs, 1 outputs, activation none",
        "31, weights and biases",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.ends_with("note          always the same\n"), "{text}");
    let output = place.narrows(["inspect", "./mine.policy.json", "--kernel"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output)
            .contains("--kernel judges BPF programs, and this is a learned policy; leave it out"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_is_no_policy_is_refused_with_place_value_and_remedy() {
    let place = Scratch::new("policies-refused");
    let refused = |parts: &[&str]| {
        let output = place.narrows(["compare", "./bad.policy.json", "--quiet", "--out", "out"]);
        assert_eq!(code(&output), 2, "{}", stdout(&output));
        // Messages are broken into lines.
        let said = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        for part in parts {
            assert!(said.contains(part), "{part} is not in: {said}");
        }
    };
    refused(&[
        "./bad.policy.json: it cannot be read",
        "give the path of a learned policy (.policy.json)",
    ]);
    for (change, parts) in [
        (("/format", json!("onnx")), ["format: it is \"onnx\"", "write \"narrows-policy\""]),
        (("/version", json!(2)), ["version: it is 2", "write 1, the only one"]),
        (("/preset", json!("sprout")), ["preset: it is \"sprout\"", "write \"aurora\""]),
        (("/note", json!("a\nb")), ["note: it has 3 characters", "in one line"]),
        (
            ("/layers/0/activation", json!("gelu")),
            ["layers[0].activation: it is \"gelu\"", "write \"none\" or \"tanh\" or \"relu\""],
        ),
        (
            ("/layers/0/weights/0", json!([1.0])),
            [
                "layers[0].weights[0]: it has 1 numbers",
                "give 30, one for each number of an observation",
            ],
        ),
        (
            ("/layers/0/biases", json!([])),
            ["layers[0].biases: there are 0", "give 1, one for each row"],
        ),
        (("/layers", json!([])), ["layers: there are 0", "give 1 to 16"]),
        (
            ("/layers/0/biases/0", Value::Null),
            ["invalid type: null, expected f64 at line 1", "with finite numbers"],
        ),
    ] {
        let mut policy = constant(0.0);
        *policy.pointer_mut(change.0).expect("a place in a policy") = change.1;
        put(&place, "bad.policy.json", &policy);
        refused(&parts);
    }
    place.write(
        "bad.policy.json",
        &constant(0.0).to_string().replace("\"version\":1", "\"version\":1,\"extra\":2"),
    );
    refused(&["unknown field `extra`", "docs/how-to/learn.md"]);
    // Finite weights whose sums are infinite.
    let mut huge = constant(0.0);
    huge["layers"] = json!([
        { "weights": [vec![1e308; 30], vec![1e308; 30]], "biases": [1e308, 1e308], "activation": "none" },
        { "weights": [[1.0, -1.0]], "biases": [0.0], "activation": "none" },
    ]);
    put(&place, "bad.policy.json", &huge);
    refused(&["its network gives NaN for what it sees", "train it with smaller weights"]);
}
