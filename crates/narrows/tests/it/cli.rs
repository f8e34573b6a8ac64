//! The program as a user meets it: exit statuses, what it prints, what it leaves on the disk, and what it refuses.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A scenario that runs in no time.
const SHORT: &str = r#"name = "Short"
duration = "2 s"

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
"#;

/// What an information-centric run leaves beside [`RESULT_FILES`].
const ICN_FILES: [&str; 5] =
    ["consumer_samples.parquet", "consumers.parquet", "interests.parquet", "rate_samples.parquet", "subflow_samples.parquet"];

const RESULT_FILES: [&str; 13] = [
    "SHA256SUMS",
    "changes.parquet",
    "flow_samples.parquet",
    "flows.parquet",
    "histograms.parquet",
    "link_samples.parquet",
    "links.parquet",
    "report.html",
    "run.json",
    "scenario.toml",
    "summary.json",
    "transfer_sizes.parquet",
    "transfers.parquet",
];

fn scenarios() -> Vec<std::path::PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = fs::read_dir(directory).expect("scenarios").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    files
}

#[test]
fn every_scenario_runs_and_is_as_expected() {
    let place = Scratch::new("scenarios");
    let files = scenarios();
    assert!(files.len() >= 9, "{files:?}");
    for file in files {
        let name = file.file_stem().expect("a name").to_str().expect("text");
        let text = fs::read_to_string(&file).expect("a scenario");
        if text.contains("\n[sweep]") {
            let output = place.narrows(["run", file.to_str().expect("text")]);
            assert!(code(&output) == 2 && stderr(&output).contains("narrows sweep"), "{name}: {}", stderr(&output));
            continue;
        }
        let output = place.narrows(["run", file.to_str().expect("text"), "--quiet", "--out", name]);
        assert_eq!(code(&output), 0, "{name}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("Utilisation"), "{name}: {}", stdout(&output));
        let mut expected = RESULT_FILES.to_vec();
        if text.contains("\n[icn]") {
            expected.extend(ICN_FILES);
            expected.sort_unstable();
        }
        assert_eq!(place.files_of(name), expected, "{name}");
    }
}

#[test]
fn a_missed_expectation_is_status_1_and_the_result_is_kept() {
    let place = Scratch::new("expectation");
    let file = place.write("strict.toml", &format!("{SHORT}[expect]\nrtt_p50 = {{ max = 1 }}\nutilisation = {{ min = 10 }}\n"));
    let output = place.narrows(["run", &file, "--out", "result"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let told = stdout(&output);
    assert!(told.contains("missed: rtt_p50 is ") && told.contains("met: utilisation is "), "{told}");
    assert_eq!(place.files_of("result"), RESULT_FILES);
}

/// What is wrong, the file that is wrong, the line shown, what the message and its help must say.
struct Refused {
    what: &'static str,
    text: String,
    line: usize,
    says: &'static [&'static str],
}

fn refused(what: &'static str, text: impl Into<String>, line: usize, says: &'static [&'static str]) -> Refused {
    Refused { what, text: text.into(), line, says }
}

fn without(text: &str, start: &str) -> String {
    text.lines().filter(|line| !line.starts_with(start)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn bad_input_is_refused_with_file_line_and_remedy_and_nothing_is_written() {
    let with = |from: &str, to: &str| SHORT.replacen(from, to, 1);
    let traced = |trace: &str| without(SHORT, "rate").replace("delay", &format!("trace = \"{trace}\"\ndelay"));
    let ring = r#"duration = "2 s"
link = [
    { name = "ab", from = "a", to = "b", rate = "1 Mbit/s" },
    { name = "ba", from = "b", to = "a", rate = "1 Mbit/s" },
    { name = "ac", between = ["a", "c"], rate = "1 Mbit/s" },
]
[[flow]]
from = "a"
to = "c"
controller = "cubic"
route = ["ab", "ba", "ac"]
"#;
    let cases = [
        refused("unknown key", with("delay", "dealy"), 8, &["unknown", "dealy", "delay"]),
        refused("missing unit", with("10 Mbit/s", "10"), 7, &["it has no unit", "write for example \"100 Mbit/s\""]),
        refused("number without quotes", with("\"10 Mbit/s\"", "10"), 7, &["it has no unit", "100 Mbit/s"]),
        refused("negative rate", with("10 Mbit/s", "-10 Mbit/s"), 7, &["it is negative", "write for example"]),
        refused("rate of zero", with("10 Mbit/s", "0 Mbit/s"), 7, &["never sends anything", "above zero"]),
        refused("negative delay", with("5 ms", "-5 ms"), 8, &["it is negative", "write for example"]),
        refused("dangling flow", with("to = \"right\"", "to = \"rihgt\""), 14, &["there is no node \"rihgt\"", "did you mean \"right\"?"]),
        refused("dangling link", with("[[link]]", "[[node]]\nname = \"left\"\n\n[[link]]"), 9, &["there is no node \"right\"", "[[node]]"]),
        refused("link to itself", with("[\"left\", \"right\"]", "[\"left\", \"left\"]"), 6, &["to itself", "two different nodes"]),
        refused("route loop", ring, 11, &["where the route has already been", "loop"]),
        refused("unreadable trace", traced("nowhere.up"), 7, &["nowhere.up", "cannot be read", "give the path"]),
        refused("trace that is a directory", traced("directory"), 7, &["directory", "cannot be read"]),
        refused("empty trace", traced("empty.up"), 7, &["empty.up:1: the trace is empty", "for example"]),
        refused("trace out of order", traced("backwards.up"), 7, &["backwards.up:2:"]),
        refused("buffer of 0", with("1 bdp", "0 kB"), 9, &["holds nothing", "above zero"]),
        refused("buffer smaller than a packet", with("1 bdp", "100 B"), 9, &["cannot hold a packet", "at least one full packet"]),
        refused("no flows", SHORT.split("\n[[flow]]").next().unwrap_or_default(), 1, &["no flows", "add a [[flow]]"]),
        refused("count of 0", format!("{SHORT}count = 0\n"), 16, &["a count of 0 makes no flow", "1 or more"]),
        refused("NaN", with("buffer", "loss = { probability = nan }\nbuffer"), 9, &["not a probability", "from 0 to 1"]),
        refused("NaN in a band", format!("{SHORT}[expect]\nutilisation = {{ min = nan }}\n"), 17, &["finite"]),
        refused(
            "unknown metric",
            format!("{SHORT}[expect]\nutilization = {{ min = 9 }}\n"),
            17,
            &["utilization", "did you mean \"utilisation\"?"],
        ),
        refused(
            "flows of one name",
            format!("{SHORT}{}", &SHORT[SHORT.find("[[flow]]").unwrap_or(0)..]),
            17,
            &["two flows are called \"first\"", "rename"],
        ),
        refused(
            "links of one name",
            SHORT.replace("[[flow]]", "[[link]]\nname = \"bottleneck\"\nbetween = [\"left\", \"right\"]\n[[flow]]"),
            12,
            &["two links are called \"bottleneck\"", "rename"],
        ),
        refused("unknown controller", with("cubic", "qubic"), 15, &["there is no controller \"qubic\"", "cubic"]),
        refused("unknown parameter", with("cubic", "cubic?hzz=250"), 15, &["no parameter \"hzz\"", "hz"]),
        refused("parameter out of range", with("cubic", "cubic?hz=1"), 15, &["hz=1", "100 to 1000"]),
        refused("duration of 0", with("2 s", "0 s"), 2, &["measures nothing", "above zero"]),
        refused("warm-up of everything", with("duration", "warmup = \"2 s\"\nduration"), 2, &["leaves nothing", "shorter"]),
        refused("not TOML", with("[[link]]", "[[link]"), 4, &[]),
    ];
    let place = Scratch::new("refused");
    place.write("empty.up", "");
    place.write("backwards.up", "5\n3\n");
    fs::create_dir(place.path("directory")).expect("a directory");
    for Refused { what, text, line, says } in cases {
        let file = place.write("bad.toml", &text);
        let before = place.listing();
        for command in [vec!["run", &file], vec!["run", &file, "--out", "result"], vec!["compare", "--file", &file]] {
            let output = place.narrows(command);
            let told = stderr(&output);
            assert_eq!(code(&output), 2, "{what}: {}{told}", stdout(&output));
            assert_eq!(stdout(&output), "", "{what}");
            assert!(told.contains(&format!("bad.toml:{line}:")), "{what}: line {line} is not named\n{text}\n{told}");
            // Long lines are broken where they are shown.
            let flat = told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
            assert!(flat.contains("help: "), "{what}: no remedy\n{told}");
            for said in says {
                assert!(flat.contains(said), "{what}: \"{said}\" is not said\n{told}");
            }
            assert!(!told.contains("panicked"), "{what}: {told}");
            assert_eq!(place.listing(), before, "{what} wrote something");
        }
    }
}

#[test]
fn bad_flags_are_refused_and_nothing_is_written() {
    let place = Scratch::new("flags");
    let cases: [(&[&str], &str); 14] = [
        (&["compare", "--rate", "10"], "it has no unit; write for example \"100 Mbit/s\""),
        (&["compare", "--rate=-10 Mbit/s"], "it is negative"),
        (&["compare", "--rate", "nan"], "not a rate"),
        (&["compare", "--loss", "nan"], "not a share of packets"),
        (&["compare", "--loss", "1"], "write \"100 %\" or \"1 %\""),
        (&["compare", "--loss", "150 %"], "not a share of packets"),
        (&["compare", "--flows", "0"], "a count of 0 makes no flow"),
        (&["compare", "--buffer", "0 kB"], "holds nothing"),
        (&["compare", "--duration", "0 s"], "measures nothing"),
        (&["compare", "--trace", "nowhere.up"], "cannot be read"),
        (&["compare", "cubic", "cubic"], "cubic is named twice; name each once"),
        (&["compare", "qubic"], "there is no controller \"qubic\""),
        (&["run", "nowhere.toml"], "nowhere.toml cannot be read"),
        (&["report", "nowhere"], "give the directory of a finished run"),
    ];
    for (arguments, says) in cases {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{arguments:?}: \"{says}\" is not said\n{}", stderr(&output));
        assert_eq!(place.listing(), Vec::<String>::new(), "{arguments:?} wrote something");
    }
}

#[test]
fn what_needs_flows_is_refused_of_information_centric_networks() {
    let place = Scratch::new("icn-refused");
    let file = place.write("icn.toml", include_str!("../../../../scenarios/icn.toml"));
    let before = place.listing();
    for (arguments, says) in [
        (vec!["run", &file, "--pcap", "all"], "leave --pcap out"),
        (vec!["run", &file, "--qlog", "first"], "leave --qlog out"),
        (vec!["compare", "cubic", "--file", &file], "narrows compare --icn cubic --file"),
    ] {
        let output = place.narrows(arguments.clone());
        let told = stderr(&output);
        let flat = told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert_eq!(code(&output), 2, "{arguments:?}: {told}");
        assert!(told.contains("icn.toml:7:") && flat.contains(says) && !told.contains("panicked"), "{arguments:?}: {told}");
        assert_eq!(place.listing(), before, "{arguments:?} wrote something");
    }
}

#[test]
fn an_output_directory_that_exists_is_left_alone() {
    let place = Scratch::new("exists");
    let file = place.write("short.toml", SHORT);
    fs::create_dir(place.path("result")).expect("a directory");
    place.write("result/precious.txt", "mine");
    let before = place.listing();
    for arguments in [vec!["run", &file, "--out", "result"], vec!["compare", "--out", "result"]] {
        let output = place.narrows(arguments);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("result exists already; choose another directory with --out, or remove this one"),
            "{}",
            stderr(&output)
        );
        assert_eq!(place.listing(), before);
        assert_eq!(place.read("result/precious.txt"), b"mine");
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let place = Scratch::new("disk");
    let file = place.write("short.toml", SHORT);
    fs::create_dir(place.path("small")).expect("a directory");
    // A small file system of its own, in a namespace of its own: gone with the shell.
    let script = format!(
        "mount -t tmpfs -o size=64k none small || exit 77; '{}' run '{file}' --out small/result; status=$?; echo left: $(ls -A small); exit $status",
        PROGRAM
    );
    let output = place.command("unshare").args(["--map-root-user", "--mount", "sh", "-c", &script]).output();
    let output = match output {
        Ok(output) if code(&output) != 77 && !stderr(&output).contains("unshare") => output,
        _ => return eprintln!("skipped: no mount namespace can be made here, so no small disk"),
    };
    let told = stderr(&output);
    assert_eq!(code(&output), 2, "{}{told}", stdout(&output));
    assert!(told.contains("cannot write small/") && told.contains("free some space, or choose another place with --out"), "{told}");
    // What was computed is not lost with the disk.
    assert!(stdout(&output).contains("Utilisation"), "{}", stdout(&output));
    assert!(stdout(&output).ends_with("left:\n"), "{}", stdout(&output));
}

#[test]
fn a_killed_run_leaves_nothing_that_looks_complete() {
    let place = Scratch::new("killed");
    let file = place.write("short.toml", &SHORT.replace("2 s", "20 s").replace("10 Mbit/s", "50 Mbit/s"));
    let began = Instant::now();
    assert_eq!(code(&place.narrows(["run", &file, "--seeds", "2", "--quiet", "--out", "whole"])), 0);
    let wall = began.elapsed();
    assert_eq!(place.files_of("whole"), RESULT_FILES);
    let mut killed = 0;
    for percent in [10, 50, 75, 80, 85, 90, 95, 100] {
        let name = format!("killed-{percent}");
        let mut child = place
            .command(PROGRAM)
            .args(["run", &file, "--seeds", "2", "--quiet", "--out", &name])
            .stdout(Stdio::null())
            .spawn()
            .expect("narrows runs");
        std::thread::sleep(wall * percent / 100);
        child.kill().expect("a signal");
        if child.wait().expect("an end").code().is_none() {
            killed += 1;
        }
        if place.path(&name).exists() {
            assert_eq!(place.files_of(&name), RESULT_FILES, "killed after {percent} %");
            assert_eq!(code(&place.narrows(["report", &name])), 0, "killed after {percent} %");
            assert_eq!(place.read(&format!("{name}/summary.json")), place.read("whole/summary.json"));
        }
    }
    assert!(killed > 0, "no run was killed before its end");
}

#[test]
fn ctrl_c_and_sigterm_stop_a_long_run_within_a_second() {
    let place = Scratch::new("interrupted");
    let file = place.write("long.toml", &SHORT.replace("2 s", "100_000 s"));
    let before = place.listing();
    for signal in ["-INT", "-TERM"] {
        let mut command = place.command(PROGRAM);
        let mut child = command.args(["run", &file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("narrows runs");
        std::thread::sleep(Duration::from_millis(700));
        assert!(child.try_wait().expect("a state").is_none(), "it ended by itself");
        let interrupted = Instant::now();
        let sent = place.command("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let output = child.wait_with_output().expect("an end");
        let took = interrupted.elapsed();
        assert_eq!(code(&output), 2, "{signal}: {}", stderr(&output));
        assert!(took < Duration::from_secs(1), "{signal}: it took {took:?}");
        assert!(stderr(&output).contains("stopped; nothing was written"), "{signal}: {}", stderr(&output));
        assert_eq!(place.listing(), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_stops_a_run_unless_nohup_has_it_ignored() {
    let place = Scratch::new("hangup");
    let file = place.write("long.toml", &SHORT.replace("2 s", "100_000 s"));
    for (disposition, hears) in [("--default-signal=HUP", true), ("--ignore-signal=HUP", false)] {
        let mut command = place.command("env");
        let mut child = command.args([disposition, PROGRAM, "run", &file, "--quiet"]).stderr(Stdio::piped()).spawn().expect("narrows runs");
        let number = child.id().to_string();
        let send = |signal: &str| assert!(place.command("kill").args([signal, &number]).status().expect("kill").success());
        std::thread::sleep(Duration::from_millis(700));
        send("-HUP");
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(child.try_wait().expect("a state").is_some(), hears, "{disposition}");
        if !hears {
            send("-TERM");
        }
        let output = child.wait_with_output().expect("an end");
        assert!(code(&output) == 2 && stderr(&output).contains("stopped; nothing was written"), "{disposition}: {}", stderr(&output));
    }
}

#[test]
fn json_is_json_and_says_what_summary_json_says() {
    let place = Scratch::new("json");
    let file = place.write("short.toml", SHORT);
    let output = place.narrows(["run", &file, "--json", "--out", "result"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(output.stdout, place.read("result/summary.json"));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(summary["cases"][0]["metrics"]["utilisation"]["unit"], "%");
    for what in
        [vec!["list", "controllers", "--json"], vec!["list", "metrics", "--json"], vec!["list", "disciplines", "--json"], vec!["schema"]]
    {
        let output = place.narrows(what.iter().copied());
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{what:?}: {error}"));
        assert!(value.is_object() || value.as_array().is_some_and(|items| !items.is_empty()), "{what:?}");
    }
    let run: Value = serde_json::from_slice(&place.read("result/run.json")).expect("JSON");
    assert_eq!(run["command"][1], "run");
    assert!(!cfg!(target_os = "linux") || run["peak_memory_mib"].as_f64().is_some_and(|mib| mib > 1.0), "{run}");
}

#[test]
fn a_comparison_on_a_path_lasts_as_long_as_the_path_says_and_tells_where_nothing_marks() {
    let place = Scratch::new("on-a-path");
    let text = stdout(&place.narrows(["compare", "dctcp", "cubic", "--path", "dial-up", "--seeds", "1", "--quiet"]));
    assert!(text.contains("300 s (first 30 s warm-up)"), "{text}");
    assert!(text.contains("Note: ECN with dctcp: no queue on this network marks packets"), "{text}");
    let marked = ["compare", "dctcp", "--path", "datacenter", "--duration", "20 ms", "--seeds", "1", "--quiet"];
    let text = stdout(&place.narrows(marked)).replace('\n', " ");
    assert!(text.contains("0.02 s (first") && !text.contains("Note"), "{text}");
}

#[test]
fn a_comparison_gives_controllers_that_need_routers_each_its_own() {
    let place = Scratch::new("own-routers");
    let quick = ["--rate", "5 Mbit/s", "--duration", "3 s", "--seeds", "1"];
    let result = place.narrows(["compare", "cubic", "xcp", "rcp", "--out", "flags"].into_iter().chain(quick));
    let text = stdout(&result).split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "Note: each with its own router: xcp over queue = \"xcp\" on bottleneck, bottleneck.back; rcp over queue = \"rcp\" on";
    assert!(text.contains(note), "{text}");
    let queue =
        |file: &str, queue: &str| String::from_utf8(place.read(file)).expect("text").matches(&format!("queue = \"{queue}\"")).count();
    let written = [("flags/scenario-1-cubic.toml", "fifo"), ("flags/scenario-2-xcp.toml", "xcp"), ("flags/scenario-3-rcp.toml", "rcp")];
    assert!(written.iter().all(|(file, name)| queue(file, name) == 2), "{written:?}");
    // On a path, links without a rate keep no router; a file's own router stays.
    let text = stdout(&place.narrows(["compare", "xcp", "--path", "dial-up", "--duration", "2 s", "--seeds", "1", "--quiet"]));
    assert!(text.contains("its own router"), "{text}");
    let file = ["compare", "xcp", "cubic", "--file", "flags/scenario-2-xcp.toml", "--seeds", "1", "--quiet"];
    assert!(!stdout(&place.narrows(file)).contains("its own router"));
    // What is remade is remade from the network as it was given.
    let file = ["compare", "xcp", "cubic", "--file", "flags/scenario-1-cubic.toml", "--seeds", "1", "--out", "remade"];
    assert!(stdout(&place.narrows(file)).contains("its own router"));
    let summary: Value = serde_json::from_slice(&place.read("remade/summary.json")).expect("JSON");
    let remake = summary["remake"].as_str().expect("a command");
    let named = remake.split_whitespace().find(|word| word.ends_with(".toml")).expect("a file");
    assert_eq!(queue(&format!("remade/{named}"), "fifo"), 2, "{remake}");
}

#[test]
fn a_matrix_has_no_place_for_controllers_that_need_routers() {
    let place = Scratch::new("matrix-router");
    let refused = place.narrows(["matrix", "cubic", "rcp"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("rcp needs the rcp router") && stderr(&refused).contains("narrows compare rcp newreno"),
        "{}",
        stderr(&refused)
    );
    assert!(place.listing().is_empty());
}

#[test]
fn quiet_prints_the_table_only() {
    let place = Scratch::new("quiet");
    let file = place.write("short.toml", SHORT);
    let output = place.narrows(["run", &file, "--quiet"]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let told = stdout(&output);
    assert!(told.contains("Utilisation") && !told.contains("Report:") && !told.contains("Try next"), "{told}");
    let chatty = stdout(&place.narrows(["run", &file]));
    assert!(chatty.contains("Report: narrows-results/short-2/report.html") && chatty.contains("Try next"), "{chatty}");
    assert!(chatty.contains("Took "), "{chatty}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_costs_no_result() {
    let place = Scratch::new("pipe");
    let file = place.write("short.toml", SHORT);
    let commands: [&[&str]; 5] =
        [&["list", "metrics"], &["list", "controllers", "--json"], &["schema"], &["run", &file, "--out", "result"], &["report", "result"]];
    for command in commands {
        let mut child = place.command(PROGRAM).args(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("narrows runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("an end");
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{command:?}");
    }
    assert_eq!(place.files_of("result"), RESULT_FILES);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let place = Scratch::new("jobs");
    let run = |jobs: &str| {
        let arguments = ["compare", "newreno", "cubic", "bbr", "--duration", "5 s", "--loss", "0.1 %", "--seeds", "2", "--quiet"];
        let output = place.narrows(arguments.into_iter().chain(["--jobs", jobs, "--out", jobs]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        output.stdout
    };
    assert!(run("1") == run("2"), "the tables differ");
    for file in place.files_of("1").iter().filter(|file| *file != "run.json") {
        assert!(place.read(&format!("1/{file}")) == place.read(&format!("2/{file}")), "{file} differs");
    }
}

#[test]
fn report_makes_the_same_page_again() {
    let place = Scratch::new("report");
    let file = place.write("short.toml", SHORT);
    let ran = place.narrows(["run", &file, "--seeds", "2", "--quiet", "--out", "result"]);
    let page = place.read("result/report.html");
    fs::remove_file(place.path("result/report.html")).expect("a file");
    let output = place.narrows(["report", "result"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(place.read("result/report.html") == page, "report.html differs");
    assert!(stdout(&output).starts_with(&stdout(&ran)), "{}", stdout(&output));
    assert_eq!(code(&place.narrows(["report", "result", "--out", "elsewhere.html"])), 0);
    assert!(place.read("elsewhere.html") == page, "elsewhere.html differs");
    assert_eq!(place.narrows(["report", "result", "--json"]).stdout, place.read("result/summary.json"));
}

#[test]
fn a_report_that_cannot_be_read_is_refused_and_left_as_it_is() {
    let place = Scratch::new("damaged");
    let file = place.write("short.toml", SHORT);
    assert_eq!(code(&place.narrows(["run", &file, "--quiet", "--out", "result"])), 0);
    place.write("result/flows.parquet", "no table");
    let page = place.read("result/report.html");
    let output = place.narrows(["report", "result"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("result/flows.parquet is damaged"), "{}", stderr(&output));
    assert!(place.read("result/report.html") == page);
}

#[test]
fn a_result_is_made_again_from_its_own_directory() {
    let place = Scratch::new("again");
    place.write("short.toml", SHORT);
    fs::create_dir(place.path("traces")).expect("a directory");
    place.write("traces/lte.up", "1\n2\n2\n5\n9\n");
    place.write("traced.toml", &without(SHORT, "rate").replace("delay", "trace = \"traces/lte.up\"\ndelay"));
    let commands: [&[&str]; 4] = [
        &["run", "short.toml", "--seeds", "2"],
        &["run", "traced.toml"],
        &["compare", "newreno", "cubic", "--duration", "2 s", "--loss", "0.1 %", "--flows", "3"],
        &["compare", "cubic", "--duration", "2 s", "--trace", "traces/lte.up", "--trace-back", "traces/lte.up"],
    ];
    for (index, command) in commands.into_iter().enumerate() {
        let (first, second) = (format!("first-{index}"), format!("second-{index}"));
        let output = place.narrows(command.iter().copied().chain(["--quiet", "--out", &first]));
        assert_eq!(code(&output), 0, "{command:?}: {}", stderr(&output));
        let summary: Value = serde_json::from_slice(&place.read(&format!("{first}/summary.json"))).expect("JSON");
        let remake = summary["remake"].as_str().expect("a command").replacen("narrows", PROGRAM, 1);
        let script = format!("cd {first} && {remake} --quiet --out ../{second}");
        let output = place.command("sh").args(["-c", &script]).output().expect("a shell");
        assert_eq!(code(&output), 0, "{script}: {}", stderr(&output));
        assert_eq!(place.files_of(&first), place.files_of(&second), "{script}");
        for file in place.files_of(&first).iter().filter(|file| *file != "run.json") {
            assert!(place.read(&format!("{first}/{file}")) == place.read(&format!("{second}/{file}")), "{script}: {file} differs");
        }
    }
}
