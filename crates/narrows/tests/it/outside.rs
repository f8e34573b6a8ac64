//! Untrusted files, and files that killed programs left: whatever they contain, a command writes
//! only the named result, and refuses with a message.

use crate::scratch::{PROGRAM, SHORT, Scratch, code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Returns `SHORT` with a duration so long that it must be stopped.
fn endless() -> String {
    SHORT.replace("\"2 s\"", "\"10000 h\"")
}

/// Starts a command, and returns when `path` exists.
fn started(place: &Scratch, arguments: &[&str], path: &str) -> Child {
    let mut child = place
        .command(PROGRAM)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("narrows runs");
    let since = Instant::now();
    while !place.path(path).exists() {
        assert!(
            since.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(),
            "{path} never came"
        );
        sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_resumed_sweep_writes_nothing_but_its_result() {
    let place = Scratch::new("resume-outside");
    let sweep = "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"left\", \"right\"]\nrate = \"1 Mbit/s\"\n\
                 [[flow]]\nfrom = \"left\"\nto = \"right\"\ncontroller = \"cubic\"\n[sweep]\n\"link.l.delay\" = [\"1 ms\"]\n";
    let precious = place.write("precious", "kept");
    let absolute = place.path("absolute").display().to_string();
    for name in ["../precious", "precious", absolute.as_str(), "summary.json", "trace-unused"] {
        let inputs = serde_json::json!([{ "name": name, "text": "overwritten" }]);
        let origin = serde_json::json!({ "program": "0.1.0", "remake": "x", "sweep": sweep, "inputs": inputs });
        place.write("out.partial", &format!("{origin}\n"));
        let output = place.narrows(["sweep", "--resume", "out", "--quiet"]);
        assert_eq!(code(&output), 2, "{name}: {}", stdout(&output));
        assert!(
            stderr(&output).contains("out.partial holds files that its sweep does not read"),
            "{name}: {}",
            stderr(&output)
        );
        assert_eq!(place.listing(), ["out.partial", "precious"], "{name}");
        assert_eq!(place.read(&precious), b"kept");
    }
}

#[test]
fn a_sweep_that_no_world_can_run_leaves_nothing() {
    let place = Scratch::new("refused-sweep");
    let routers = SHORT.replace("\"cubic\"", "\"rcp\"");
    let file = place.write(
        "sweep.toml",
        &format!("{routers}[sweep]\n\"link.bottleneck.delay\" = [\"1 ms\", \"2 ms\"]\n"),
    );
    let output = place.narrows(["sweep", &file, "--quiet", "--out", "out"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("rate stamped by routers"),
        "{}",
        stderr(&output)
    );
    assert_eq!(place.listing(), ["sweep.toml"]);
}

#[test]
fn a_killed_predecessor_blocks_nothing_and_leaves_nothing() {
    let place = Scratch::new("killed");
    let (slow, quick) = (place.write("slow.toml", &endless()), place.write("quick.toml", SHORT));
    for _ in 0..2 {
        let mut killed = started(
            &place,
            &["run", &slow, "--out", "out", "--pcap", "all"],
            ".out.narrows-unfinished/sender.pcapng",
        );
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert!(place.path(".out.narrows-unfinished").exists());
    }
    let output = place.narrows(["run", &quick, "--quiet", "--out", "out"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(place.listing(), ["out", "quick.toml", "slow.toml"]);
    assert!(!place.path("out/sender.pcapng").exists());
}

#[test]
fn a_directory_that_is_being_made_is_refused_before_anything_is_run() {
    let place = Scratch::new("busy");
    let slow = place.write("slow.toml", &endless());
    let mut first =
        started(&place, &["run", &slow, "--out", "out"], ".out.narrows-unfinished/.lock");
    let output = place.narrows(["run", &slow, "--out", "out"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("another narrows process is writing out"),
        "{}",
        stderr(&output)
    );
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn commands_at_once_without_a_name_keep_all_results() {
    let place = Scratch::new("at-once");
    let file = place.write("short.toml", SHORT);
    let sweep = place.write(
        "sweep.toml",
        &format!("{SHORT}[sweep]\n\"link.bottleneck.delay\" = [\"1 ms\", \"2 ms\"]\n"),
    );
    for (arguments, name) in
        [(&["run", &file, "--quiet"][..], "short"), (&["sweep", &sweep, "--quiet"], "short")]
    {
        let _ = fs::remove_dir_all(place.path("narrows-results"));
        let children: Vec<Child> = (0..4)
            .map(|_| {
                place
                    .command(PROGRAM)
                    .args(arguments)
                    .stdout(Stdio::null())
                    .spawn()
                    .expect("narrows runs")
            })
            .collect();
        for child in children {
            assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
        }
        let expected: Vec<String> = (1..=4).map(|n| format!("{name}-{n}")).collect();
        assert_eq!(place.files_of("narrows-results"), expected);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_run() {
    let place = Scratch::new("unwritable");
    let slow = place.write("slow.toml", &endless());
    for out in ["slow.toml/out", "/proc/out", "/dev/null/out", ".."] {
        let output = place.narrows(["run", &slow, "--out", out]);
        assert_eq!(code(&output), 2, "{out}");
        assert!(stderr(&output).contains("--out"), "{out}: {}", stderr(&output));
    }
    assert_eq!(place.listing(), ["slow.toml"]);
}

#[test]
fn devices_without_an_end_are_refused() {
    let place = Scratch::new("devices");
    let traced =
        place.write("traced.toml", &SHORT.replace("rate = \"10 Mbit/s\"", "trace = \"/dev/zero\""));
    let file = place.write("short.toml", SHORT);
    for (arguments, says) in [
        (&["run", "/dev/zero"][..], "longer than 16 MiB"),
        (&["sweep", "/dev/zero"], "longer than 16 MiB"),
        (&["run", &traced], "longer than 256 MiB"),
        (&["run", &file, "--overlay", "/dev/zero"], "longer than 256 MiB"),
    ] {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn errors_far_to_the_right_and_control_characters_are_shown() {
    let place = Scratch::new("wide");
    let wide = place.write("wide.toml", &format!("name = \"{}\" wrong\n", "x".repeat(70_000)));
    let output = place.narrows(["run", &wide]);
    assert_eq!(code(&output), 2);
    let told = stderr(&output);
    assert!(told.contains("wrong") && told.len() < 2_000, "{told}");

    let escape =
        place.write("escape.toml", &format!("\u{1b}]0;title\u{7}{SHORT}\"\\u001b[31mred\" = 1\n"));
    let coded = place.write("coded.toml", &format!("\"\\u001b[31mred\" = 1\n{SHORT}"));
    for file in [escape, coded] {
        let output = place.narrows(["run", &file]);
        assert_eq!(code(&output), 2);
        let told = stderr(&output);
        assert!(
            told.contains('\u{241b}') && !told.contains(|c: char| c.is_control() && c != '\n'),
            "{told:?}"
        );
    }
}

#[test]
fn control_characters_of_a_flag_do_not_come_back() {
    let place = Scratch::new("flags-escaped");
    for arguments in [
        ["compare", "--seed", "\r7"],
        ["compare", "--rate", "\u{9b}1"],
        ["compare", "--path", "\u{1b}[31m"],
    ] {
        let output = place.narrows(arguments);
        assert_eq!(code(&output), 2);
        let told = stderr(&output);
        assert!(
            told.contains("error: invalid value")
                && !told.contains(|c: char| c.is_control() && c != '\n'),
            "{told:?}"
        );
    }
}

#[test]
fn samples_that_no_memory_holds_are_refused_with_their_line() {
    let place = Scratch::new("samples");
    let text = SHORT.replace("\"2 s\"", "\"5 min\"\nsample = \"1 us\"");
    let file = place.write("samples.toml", &text);
    let output = place.narrows(["run", &file]);
    assert_eq!(code(&output), 2);
    let told = stderr(&output);
    assert!(
        told.contains("900000000, more than the 24000000")
            && told.contains("samples.toml:3")
            && told.contains("sample = \"50 us\""),
        "{told}"
    );
}

#[test]
fn so_many_jobs_are_refused_at_once() {
    let place = Scratch::new("jobs");
    let file = place.write("short.toml", SHORT);
    let output = place.narrows(["run", &file, "--jobs", "1000000"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("from 1 to 1024"),
        "{}",
        stderr(&output)
    );
    let output = place.narrows(["run", &file, "--jobs", "1024", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_directory_named_like_a_controller_shadows_nothing() {
    let place = Scratch::new("shadow");
    for name in ["cubic", "mircc"] {
        fs::create_dir(place.path(name)).unwrap();
    }
    let output = place.narrows([
        "compare",
        "cubic",
        "newreno",
        "--duration",
        "1 s",
        "--seeds",
        "1",
        "--quiet",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output =
        place.narrows(["compare", "--icn", "mircc", "rcp", "newreno", "--seeds", "1", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = place.narrows(["diff", "cubic", "mircc"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("cubic/SHA256SUMS"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_controller_in_the_place_of_a_files_own_does_as_the_file_had_it() {
    let place = Scratch::new("exchanged");
    let longer = SHORT.replace("\"2 s\"", "\"10 s\"");
    let file = place.write("file.toml", &longer);
    let own = place.write("own.toml", &longer.replace("\"cubic\"", "\"vivace\""));
    let goodputs = [
        ["compare", "vivace", "--file", &file, "--seeds", "1"],
        ["run", &own, "--seeds", "1", "--seed", "1"],
    ]
    .map(|arguments| {
        let output = place.narrows(arguments.into_iter().chain(["--json"]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let summary: Value = serde_json::from_str(&stdout(&output)).unwrap();
        summary["cases"][0]["metrics"]["goodput"]["median"].as_f64().unwrap()
    });
    assert!(goodputs[0] == goodputs[1] && goodputs[0] > 5.0, "{goodputs:?}");
    let scenario = |result: &str| {
        String::from_utf8(place.read(result))
            .unwrap()
            .lines()
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        scenario("narrows-results/compare-1/scenario.toml"),
        scenario("narrows-results/short-1/scenario.toml")
    );
}

#[test]
fn a_table_of_another_run_is_named_by_every_command_that_reads() {
    let place = Scratch::new("foreign");
    let file = place.write("short.toml", SHORT);
    for (out, seed) in [("a", "1"), ("b", "2")] {
        assert_eq!(
            code(&place.narrows(["run", &file, "--seed", seed, "--quiet", "--out", out])),
            0
        );
    }
    let good = place.narrows(["report", "a", "--json"]);
    assert_eq!(good.stdout, place.read("a/summary.json"));
    fs::copy(place.path("b/link_samples.parquet"), place.path("a/link_samples.parquet")).unwrap();
    for arguments in [
        &["report", "a"][..],
        &["diff", "a", "b"],
        &["diff", "./b", "./a"],
        &["export", "a"],
        &["figure", "a"],
    ] {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stdout(&output));
        assert!(
            stderr(&output).contains("a/link_samples.parquet") && stdout(&output).is_empty(),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_comparison_that_loses_everything_is_made_again_by_its_command() {
    let place = Scratch::new("all-lost");
    let output = place.narrows([
        "compare",
        "cubic",
        "--loss",
        "100 %",
        "--duration",
        "1 s",
        "--seeds",
        "1",
        "--json",
        "--quiet",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let summary: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(
        summary["remake"].as_str().unwrap().contains("--loss '100 %'"),
        "{}",
        summary["remake"]
    );
}

#[test]
fn headers_say_loss_queue_bursts_and_path() {
    let place = Scratch::new("headers");
    let header = |arguments: &[&str]| {
        let output = place.narrows(
            ["compare", "cubic", "--duration", "1 s", "--seeds", "1", "--quiet"]
                .into_iter()
                .chain(arguments.iter().copied()),
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output).lines().take(4).collect::<Vec<_>>().join(" ")
    };
    assert!(header(&["--loss", "1 %"]).contains("random loss 1 %"));
    let wifi = header(&["--path", "wifi"]);
    assert!(
        wifi.contains("on the path wifi")
            && wifi.contains("deliveries in bursts every 4 ms")
            && wifi.contains("random loss 0.0999 % in bursts"),
        "{wifi}"
    );
    assert!(!header(&[]).contains("loss"));
    let queued =
        place.write("queued.toml", &SHORT.replace("[[flow]]", "queue = \"codel\"\n\n[[flow]]"));
    let output = place.narrows(["run", &queued, "--quiet"]);
    assert!(stdout(&output).contains("codel queue"), "{}", stdout(&output));
}
