//! `narrows inspect` as a user meets it: with a program that runs, one that cannot run, and a file
//! that is not a BPF object.

use crate::scratch::{Scratch, code, stderr, stdout};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Copies a committed object into the scratch directory.
fn put(place: &Scratch, program: &str) -> String {
    let name = format!("{program}.bpf.o");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects");
    fs::copy(objects.join(&name), place.path(&name)).expect("a committed object");
    name
}

#[test]
fn a_program_that_runs_is_described() {
    let place = Scratch::new("inspect-good");
    for program in ["reno", "kinds"] {
        let output = place.narrows(["inspect", &put(&place, program)]);
        assert_eq!((code(&output), stderr(&output)), (0, String::new()));
        insta::assert_snapshot!(program, stdout(&output));
    }
}

#[test]
fn a_program_that_cannot_run_is_told_all_its_problems() {
    let place = Scratch::new("inspect-refused");
    let file = put(&place, "lacking");
    let output = place.narrows(["inspect", &file]);
    assert_eq!(
        (code(&output), stderr(&output).as_str()),
        (2, "error: lacking.bpf.o: it cannot run, for the 8 problems above\n")
    );
    insta::assert_snapshot!(stdout(&output));
    let output = place.narrows(["compare", "./lacking.bpf.o", "cubic"]);
    let first = "lacking.bpf.o: function lacking_ssthresh: it needs tcp_nowhere of the kernel";
    assert!(code(&output) == 2 && stderr(&output).contains(first), "{}", stderr(&output));
}

#[test]
fn programs_read_the_same_as_json() {
    let place = Scratch::new("inspect-json");
    let told = |file: &str, status: i32| -> Value {
        let output = place.narrows(["inspect", file, "--json"]);
        assert_eq!(code(&output), status, "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let reno = told(&put(&place, "reno"), 0);
    assert_eq!(
        (&reno["format"], &reno["compiler"], &reno["problems"], &reno["kernel"]),
        (&json!(1), &json!(null), &json!([]), &json!(null))
    );
    let program = &reno["program"];
    assert_eq!(program["name"], "own_reno");
    assert_eq!(program["callbacks"], json!(["cong_avoid", "init", "ssthresh", "undo_cwnd"]));
    assert_eq!(program["functions"], json!(["tcp_slow_start", "tcp_cong_avoid_ai"]));
    assert_eq!(
        program["parameters"][1],
        json!({ "name": "gain", "type": "__s32", "default": "100" })
    );
    let lacking = told(&put(&place, "lacking"), 2);
    assert_eq!(
        lacking["program"]["questions"],
        json!([{ "name": "tcp_sock.gone", "there": false }])
    );
    assert_eq!(lacking["problems"][2]["reason"], "it has no undo_cwnd, which the kernel demands");
    place.write("text.o", "not an object");
    let text = told("text.o", 2);
    assert_eq!(
        (&text["program"], text["problems"].as_array().map(Vec::len)),
        (&json!(null), Some(1))
    );
}

#[test]
fn parameters_are_taken_and_misspelt_ones_are_told() {
    let place = Scratch::new("inspect-parameters");
    let file = put(&place, "reno");
    let output = place.narrows(["inspect", &format!("{file}?gain=70&hz=1000")]);
    assert!(stdout(&output).contains("gain=100 (__s32), here 70"), "{}", stdout(&output));
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let output = place.narrows(["inspect", &format!("{file}?gain=x")]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("gain=x is not allowed"), "{}", stderr(&output));
    let output = place.narrows(["inspect", &format!("{file}?gian=70")]);
    assert_eq!(code(&output), 2);
    let expected = "error: reno.bpf.o: it has no parameter \"gian\"; did you mean \"gain\"?\n";
    assert_eq!(stderr(&output), expected);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let place = Scratch::new("inspect-absent");
    let output = place.narrows(["inspect", "none.bpf.o"]);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()));
    assert!(stderr(&output).contains("none.bpf.o: it cannot be read"), "{}", stderr(&output));
}

#[test]
fn the_header_needs_neither_rights_nor_controllers_for_the_kernel() {
    let place = Scratch::new("kernel-header");
    let output = place.narrows(["kernel", "header"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), narrows_bpf::socket::header());
}
