//! Connection starts as a user compares and checks them.

use crate::host::{alone, capable};
use crate::scratch::{Scratch, code, stderr, stdout};
use serde_json::Value;

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// A transfer of 10 MB over a geostationary satellite takes 0.55 of the time if its path is saved.
#[test]
fn a_saved_path_is_given_on_the_command_line() {
    let place = Scratch::new("starts-saved");
    let words = ["compare", "cubic", "cubic?resume", "--path", "geo-satellite", "--flows", "1"];
    let more = ["--workload", "{ size = \"10 MB\" }", "--saved", "1", "--quiet", "--out", "saved"];
    let output = place.narrows(words.into_iter().chain(more));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(!stdout(&output).contains("warm-up"), "a transfer begins with the run");
    let summary = json(&place.read("saved/summary.json"));
    let took = |case: usize| {
        let metrics = &summary["cases"][case]["metrics"];
        metrics["fct_p50"]["median"].as_f64().unwrap_or_else(|| panic!("{metrics}"))
    };
    assert!((0.4..0.6).contains(&(took(1) / took(0))), "{} s, {} s", took(1), took(0));
    // The result contains the saved path: the base round trip, and the window for 40 Mbit/s over
    // 0.6 s in packets of 1500 B.
    let scenarios: Vec<String> = place.files_of("saved");
    let file = scenarios.iter().find(|name| name.starts_with("scenario-2")).expect("a scenario");
    let text = String::from_utf8(place.read(&format!("saved/{file}"))).expect("text");
    assert!(text.contains("saved = { rtt = \"600 ms\", window = 2000"), "{text}");
}

#[test]
fn a_path_that_cannot_be_saved_is_refused_with_a_remedy() {
    let place = Scratch::new("starts-refused");
    place.write("capacity.csv", "0,10\n1,20\n2,10\n");
    let refused = |more: &[&str]| {
        let words = ["compare", "cubic?resume", "--duration", "5s"];
        let output = place.narrows(words.into_iter().chain(more.iter().copied()));
        assert_eq!(code(&output), 2, "{more:?}");
        stderr(&output)
    };
    let trace = refused(&["--trace", "capacity.csv", "--saved", "1"]);
    assert!(trace.contains("no link with a constant rate") && trace.contains("--set"), "{trace}");
    let words = refused(&["--saved", "right"]);
    assert!(words.contains("bandwidth-delay products from 0.01 to 1000"), "{words}");
    assert!(refused(&["--saved", "1", "--traffic", "bulk"]).contains("--saved"));
}

#[test]
fn a_check_of_starts_has_verdicts_and_a_map_of_exits() {
    let place = Scratch::new("starts-check");
    let words = ["check", "newreno?start=search", "--suite", "startup", "--quick", "--quiet"];
    let output =
        place.narrows(words.into_iter().chain(["--only", "size,exit,app", "--out", "exit"]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let check = json(&place.read("exit/check.json"));
    let ids: Vec<&Value> =
        check["criteria"].as_array().expect("criteria").iter().map(|own| &own["id"]).collect();
    assert_eq!(ids, ["size", "exit", "app"]);
    let figures = place.narrows(["figure", "exit"]);
    for name in ["exit-map-newreno-start-search", "exit-map-cubic", "slowdown-map-newreno"] {
        assert!(stdout(&figures).contains(name), "{}", stdout(&figures));
    }
    let drawn =
        place.narrows(["figure", "exit", "exit-map-newreno", "--svg", "m.svg", "--pdf", "m.pdf"]);
    assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
    let page = String::from_utf8(place.read("exit/report.html")).expect("text");
    assert!(page.contains("Exit map of newreno?start=search") && page.contains("HyStart 1.28"));
}

/// The kernel's CUBIC has HyStart, and its Reno classic slow start: the worst cell of the exit runs
/// there. A start that it lacks is refused by name, and the simulated check stands.
#[test]
fn the_worst_cell_runs_on_the_kernel_or_its_start_is_refused_by_name() {
    let _alone = alone();
    if !capable("the_worst_cell_runs_on_the_kernel_or_its_start_is_refused_by_name") {
        return;
    }
    let place = Scratch::new("starts-live");
    let check = |controller: &str, out: &str| {
        let words = ["check", controller, "--suite", "startup", "--quick", "--quiet", "--live"];
        let output = place.narrows(words.into_iter().chain(["--only", "exit", "--out", out]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        format!("{}{}", stdout(&output), stderr(&output))
    };
    // On a busy machine it says that the machine set a part of the result.
    let kernel = check("cubic?start=hystart", "hystart");
    assert!(kernel.contains("exit, on the kernel: "), "{kernel}");
    let refused = check("newreno?start=search", "search");
    let says = "start=search of newreno is not what the kernel's controller does";
    assert!(refused.contains("Not run on the kernel: ") && refused.contains(says), "{refused}");
    assert!(!refused.contains("exit, on the kernel: "), "{refused}");
}
