//! Results: the output and the files of a run, and running it again from its files.

use super::{RESULT_FILES, without};
use crate::scratch::{PROGRAM, SHORT, Scratch, code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Files of an information-centric run besides [`RESULT_FILES`].
const ICN_FILES: [&str; 5] = [
    "consumer_samples.parquet",
    "consumers.parquet",
    "interests.parquet",
    "rate_samples.parquet",
    "subflow_samples.parquet",
];

fn scenarios() -> Vec<std::path::PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries =
        fs::read_dir(directory).expect("scenarios").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
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
            assert!(
                code(&output) == 2 && stderr(&output).contains("narrows sweep"),
                "{name}: {}",
                stderr(&output)
            );
            continue;
        }
        let output = place.narrows(["run", file.to_str().expect("text"), "--quiet", "--out", name]);
        assert_eq!(code(&output), 0, "{name}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("Utilisation"), "{name}: {}", stdout(&output));
        let mut expected = RESULT_FILES.to_vec();
        if text.contains("\n[icn]") {
            expected.extend(ICN_FILES);
        }
        let trace = text
            .lines()
            .find_map(|line| line.strip_prefix("trace = "))
            .map(|trace| format!("trace-{}", trace.trim_matches('"')));
        expected.extend(trace.as_deref());
        expected.sort_unstable();
        assert_eq!(place.files_of(name), expected, "{name}");
    }
}

#[test]
fn a_missed_expectation_is_status_1_and_the_result_is_kept() {
    let place = Scratch::new("expectation");
    let file = place.write(
        "strict.toml",
        &format!("{SHORT}[expect]\nrtt_p50 = {{ max = 1 }}\nutilisation = {{ min = 10 }}\n"),
    );
    let output = place.narrows(["run", &file, "--out", "result"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let told = stdout(&output);
    assert!(
        told.contains("missed: rtt_p50 is ") && told.contains("met: utilisation is "),
        "{told}"
    );
    assert_eq!(place.files_of("result"), RESULT_FILES);
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
    for what in [
        vec!["list", "controllers", "--json"],
        vec!["list", "metrics", "--json"],
        vec!["list", "disciplines", "--json"],
        vec!["schema"],
    ] {
        let output = place.narrows(what.iter().copied());
        let value: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{what:?}: {error}"));
        assert!(
            value.is_object() || value.as_array().is_some_and(|items| !items.is_empty()),
            "{what:?}"
        );
    }
    let run: Value = serde_json::from_slice(&place.read("result/run.json")).expect("JSON");
    assert_eq!(run["command"][1], "run");
    assert!(
        !cfg!(target_os = "linux") || run["peak_memory_mib"].as_f64().is_some_and(|mib| mib > 1.0),
        "{run}"
    );
}

#[test]
fn a_comparison_on_a_path_lasts_as_long_as_the_path_says_and_tells_where_nothing_marks() {
    let place = Scratch::new("on-a-path");
    let text =
        stdout(&place.narrows([
            "compare", "dctcp", "cubic", "--path", "dial-up", "--seeds", "1", "--quiet",
        ]));
    assert!(text.contains("300 s (first 30 s warm-up)"), "{text}");
    assert!(
        text.contains("Note: ECN with dctcp: no queue on this network marks packets"),
        "{text}"
    );
    let marked = [
        "compare",
        "dctcp",
        "--path",
        "datacenter",
        "--duration",
        "20 ms",
        "--seeds",
        "1",
        "--quiet",
    ];
    let text = stdout(&place.narrows(marked)).replace('\n', " ");
    assert!(text.contains("0.02 s (first") && !text.contains("Note"), "{text}");
}

#[test]
fn a_comparison_gives_controllers_that_need_routers_each_its_own() {
    let place = Scratch::new("own-routers");
    let quick = ["--rate", "5 Mbit/s", "--duration", "3 s", "--seeds", "1"];
    let result = place
        .narrows(["compare", "cubic", "xcp", "rcp", "--out", "flags"].into_iter().chain(quick));
    let text = stdout(&result).split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "Note: each with its own router: xcp over queue = \"xcp\" on bottleneck, bottleneck.back; rcp over queue = \"rcp\" on";
    assert!(text.contains(note), "{text}");
    let queue = |file: &str, queue: &str| {
        String::from_utf8(place.read(file))
            .expect("text")
            .matches(&format!("queue = \"{queue}\""))
            .count()
    };
    let written = [
        ("flags/scenario-1-cubic.toml", "fifo"),
        ("flags/scenario-2-xcp.toml", "xcp"),
        ("flags/scenario-3-rcp.toml", "rcp"),
    ];
    assert!(written.iter().all(|(file, name)| queue(file, name) == 2), "{written:?}");
    // On a path, links without a rate have no router of the controller. A router that a file names
    // stays.
    let text = stdout(&place.narrows([
        "compare",
        "xcp",
        "--path",
        "dial-up",
        "--duration",
        "2 s",
        "--seeds",
        "1",
        "--quiet",
    ]));
    assert!(text.contains("its own router"), "{text}");
    let file = [
        "compare",
        "xcp",
        "cubic",
        "--file",
        "flags/scenario-2-xcp.toml",
        "--seeds",
        "1",
        "--quiet",
    ];
    assert!(!stdout(&place.narrows(file)).contains("its own router"));
    // A result is made again from the network as the user gave it, without added routers.
    let file = [
        "compare",
        "xcp",
        "cubic",
        "--file",
        "flags/scenario-1-cubic.toml",
        "--seeds",
        "1",
        "--out",
        "remade",
    ];
    assert!(stdout(&place.narrows(file)).contains("its own router"));
    let summary: Value = serde_json::from_slice(&place.read("remade/summary.json")).expect("JSON");
    let remake = summary["remake"].as_str().expect("a command");
    let named = remake.split_whitespace().find(|word| word.ends_with(".toml")).expect("a file");
    assert_eq!(queue(&format!("remade/{named}"), "fifo"), 2, "{remake}");
}

#[test]
fn quiet_prints_the_table_only() {
    let place = Scratch::new("quiet");
    let file = place.write("short.toml", SHORT);
    let output = place.narrows(["run", &file, "--quiet"]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let told = stdout(&output);
    assert!(
        told.contains("Utilisation") && !told.contains("Report:") && !told.contains("Try next"),
        "{told}"
    );
    let chatty = stdout(&place.narrows(["run", &file]));
    assert!(
        chatty.contains("Report: narrows-results/short-2/report.html")
            && chatty.contains("Try next"),
        "{chatty}"
    );
    assert!(chatty.contains("Took "), "{chatty}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let place = Scratch::new("jobs");
    let run = |jobs: &str| {
        let arguments = [
            "compare",
            "newreno",
            "cubic",
            "bbr",
            "--duration",
            "5 s",
            "--loss",
            "0.1 %",
            "--seeds",
            "2",
            "--quiet",
        ];
        let output = place.narrows(arguments.into_iter().chain(["--jobs", jobs, "--out", jobs]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        output.stdout
    };
    assert!(run("1") == run("2"), "the tables differ");
    for file in place.files_of("1").iter().filter(|file| *file != "run.json") {
        assert!(
            place.read(&format!("1/{file}")) == place.read(&format!("2/{file}")),
            "{file} differs"
        );
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
    assert_eq!(
        place.narrows(["report", "result", "--json"]).stdout,
        place.read("result/summary.json")
    );
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
    place.write(
        "traced.toml",
        &without(SHORT, "rate").replace("delay", "trace = \"traces/lte.up\"\ndelay"),
    );
    let commands: [&[&str]; 4] = [
        &["run", "short.toml", "--seeds", "2"],
        &["run", "traced.toml"],
        &["compare", "newreno", "cubic", "--duration", "2 s", "--loss", "0.1 %", "--flows", "3"],
        &[
            "compare",
            "cubic",
            "--duration",
            "2 s",
            "--trace",
            "traces/lte.up",
            "--trace-back",
            "traces/lte.up",
        ],
    ];
    for (index, command) in commands.into_iter().enumerate() {
        let (first, second) = (format!("first-{index}"), format!("second-{index}"));
        let output = place.narrows(command.iter().copied().chain(["--quiet", "--out", &first]));
        assert_eq!(code(&output), 0, "{command:?}: {}", stderr(&output));
        let summary: Value =
            serde_json::from_slice(&place.read(&format!("{first}/summary.json"))).expect("JSON");
        let remake = summary["remake"].as_str().expect("a command").replacen("narrows", PROGRAM, 1);
        let script = format!("cd {first} && {remake} --quiet --out ../{second}");
        let output = place.command("sh").args(["-c", &script]).output().expect("a shell");
        assert_eq!(code(&output), 0, "{script}: {}", stderr(&output));
        assert_eq!(place.files_of(&first), place.files_of(&second), "{script}");
        for file in place.files_of(&first).iter().filter(|file| *file != "run.json") {
            assert!(
                place.read(&format!("{first}/{file}")) == place.read(&format!("{second}/{file}")),
                "{script}: {file} differs"
            );
        }
    }
}

#[test]
fn a_report_is_opened_if_that_is_wanted_and_its_want_of_a_browser_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let place = Scratch::new("open");
    let directory = place.path("bin");
    std::fs::create_dir(&directory).expect("a directory");
    let opener = directory.join("xdg-open");
    std::fs::write(
        &opener,
        format!("#!/bin/sh\necho \"$1\" > {}\n", place.path("opened").display()),
    )
    .expect("a script");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("a script");
    let arguments = [
        "compare",
        "cubic",
        "--duration",
        "2s",
        "--warmup",
        "0s",
        "--seeds",
        "1",
        "--quiet",
        "--open",
        "--out",
    ];
    let run = |out: &str, path: &str| {
        let mut command = place.command(env!("CARGO_BIN_EXE_narrows"));
        command.args(arguments).arg(out).env("PATH", path).output().expect("it runs")
    };
    let shown = run("result", &format!("{}:/usr/bin:/bin", directory.display()));
    assert_eq!(code(&shown), 0, "{}", stderr(&shown));
    let began = std::time::Instant::now();
    while !place.path("opened").exists() {
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "nothing was opened");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(String::from_utf8(place.read("opened")).expect("text").trim(), "result/report.html");
    let alone = run("again", "/nowhere");
    assert_eq!(code(&alone), 0, "{}", stderr(&alone));
    assert!(
        stderr(&alone).contains("cannot open again/report.html in a browser"),
        "{}",
        stderr(&alone)
    );
}
