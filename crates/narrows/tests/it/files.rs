//! Controllers from files as a user meets them: BPF objects in comparisons, sweeps and scenarios.

use crate::scratch::{Scratch, code, same, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Puts a committed object into the scratch directory under a name.
fn put(place: &Scratch, program: &str, name: &str) {
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects");
    fs::copy(objects.join(format!("{program}.bpf.o")), place.path(name)).expect("a committed object");
}

fn summary(place: &Scratch, directory: &str) -> Value {
    serde_json::from_slice(&place.read(&format!("{directory}/summary.json"))).expect("JSON")
}

const SHORT: [&str; 6] = ["--duration", "5 s", "--seeds", "2", "--loss", "0.1 %"];

#[test]
fn an_object_is_compared_with_its_variables_as_parameters_and_the_result_can_be_run_again() {
    let place = Scratch::new("files-compare");
    put(&place, "reno", "mine.bpf.o");
    for jobs in ["1", "2"] {
        let output =
            place.narrows([&["compare", "./mine.bpf.o", "mine.bpf.o?share=230", "--jobs", jobs, "--out", jobs][..], &SHORT].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).starts_with("mine and mine?share=230 compared"), "{}", stdout(&output));
        assert!(
            stdout(&output).contains("\nNote: no kernel's verifier has judged mine: sudo narrows inspect FILE --kernel"),
            "{}",
            stdout(&output)
        );
    }
    same(&place, "1", "2");
    // The second leaves more of a window that was reduced.
    let goodput = |directory: &str, case: usize| {
        summary(&place, directory)["cases"][case]["metrics"]["goodput"]["values"][0].as_f64().expect("a goodput of the first seed")
    };
    let [own, larger] = [0, 1].map(|case| goodput("1", case));
    assert!(larger > 1.1 * own, "{larger} and {own}");
    assert_eq!(place.read("1/mine.o"), place.read("mine.bpf.o"), "the object is kept");
    let told: Value = serde_json::from_slice(&place.read("1/run.json")).expect("JSON");
    assert_eq!(told["controllers"][0]["name"], "mine");
    // Without the object where it was, the scenario in the result finds that beside it.
    fs::remove_file(place.path("mine.bpf.o")).expect("the object");
    let output = place.narrows(["run", "1/scenario-2-mine-share-230.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(summary(&place, "again")["cases"][0]["runs"][0], summary(&place, "1")["cases"][1]["runs"][0]);
    assert_eq!(goodput("again", 0), goodput("1", 1));
}

#[test]
fn a_sweep_notices_that_a_controller_has_changed() {
    let place = Scratch::new("files-sweep");
    put(&place, "reno", "mine.o");
    place.write(
        "swept.toml",
        "duration = \"2 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n[sweep]\n\"flow.f.controller\" = [\"./mine.o\", \"mine.o?share=200\", \"cubic\"]\n",
    );
    let sweep = |out: &str| place.narrows(["sweep", "swept.toml", "--quiet", "--out", out]);
    let output = sweep("one");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let kept = String::from_utf8(place.read("one/mine.o.sha256")).expect("text");
    assert!(kept.ends_with("  mine.o\n") && kept.len() == 64 + 9, "{kept}");
}

#[test]
fn a_fault_ends_the_run_with_the_flow_the_time_the_line_and_what_would_be_right() {
    let place = Scratch::new("files-fault");
    put(&place, "stalls", "stalls.bpf.o");
    let output = place.narrows([&["compare", "./stalls.bpf.o", "cubic", "--out", "out"][..], &SHORT].concat());
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    for part in
        ["flow \"stalls.1\"", "its controller stalls cannot go on at", "stalls.bpf.c:23", "leaves snd_cwnd at 0", "keep it at 1 or more"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn files_that_cannot_be_taken_are_refused_with_place_and_remedy() {
    let place = Scratch::new("files-refused");
    place.write("text.bpf.o", "not an object");
    put(&place, "reno", "mine.bpf.o");
    for (named, told) in [
        ("./none.bpf.o", "./none.bpf.o: it cannot be read: No such file or directory"),
        ("./text.bpf.o", "./text.bpf.o: "),
        ("./mine.bpf.o?gian=3", "did you mean \"gain\""),
        ("./mine.bpf.o?share=300", "0 to 255"),
    ] {
        let output = place.narrows(["compare", named, "--out", "out"]);
        assert_eq!(code(&output), 2, "{named}");
        assert!(stderr(&output).contains(told), "{named}: {}", stderr(&output));
    }
    let scenario = "duration = \"2 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"\n\
                    [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"./text.bpf.o\"\n";
    place.write("refused.toml", scenario);
    let output = place.narrows(["run", "refused.toml"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("refused.toml:11") && stderr(&output).contains("text.bpf.o"), "{}", stderr(&output));
}
