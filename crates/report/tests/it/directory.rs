//! The result directory: one owner, complete or absent, and readable again while it is as it was
//! written.

use narrows_measure::{Change, Changed, Emulation, Limit, Replayed, Transfer, Transfers};
use narrows_report::{
    Comparison, Group, Input, ReportError, Reserved, RunInfo, html, redraw, summary_json,
};
use narrows_units::{Bytes, Span, Time};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A directory of the test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path =
            std::env::temp_dir().join(format!("narrows-report-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn info(command: &str) -> RunInfo {
    RunInfo {
        build: "0.1.0 (0123456789)".to_owned(),
        command: vec![command.to_owned()],
        host: "here".to_owned(),
        started_unix_s: None,
        wall: Duration::from_millis(1234),
        peak_memory_mib: None,
        inputs: Vec::new(),
        controllers: Vec::new(),
        stacks: Vec::new(),
    }
}

fn write(dir: &Path, comparison: &Comparison, info: &RunInfo) -> Result<(), ReportError> {
    narrows_report::write(Reserved::new(dir)?, comparison, info)
}

fn read(dir: &Path) -> Result<Comparison, ReportError> {
    narrows_report::read(&narrows_report::open(dir)?)
}

fn bytes(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn what_was_written_is_read_back() {
    let scratch = Scratch::new("round-trip");
    let icn = crate::common::icn::comparison();
    // As kernel and simulator share one.
    let mut shared = crate::common::three_by_three();
    let scenario = shared.cases[0].scenario_toml.clone();
    shared.cases.iter_mut().for_each(|case| case.scenario_toml.clone_from(&scenario));
    let group = |cases| Group { title: "g".to_owned(), notes: vec!["n".to_owned()], cases };
    shared.groups = vec![group(2), group(1)];
    for (name, made) in [
        ("many", crate::common::three_by_three()),
        ("shared", shared),
        ("one", crate::common::single()),
        ("trace", crate::common::varying()),
        ("icn", icn),
    ] {
        let dir = scratch.0.join(name);
        write(&dir, &made, &info("first")).unwrap();
        let back = read(&dir).unwrap();
        assert_eq!(format!("{back:?}"), format!("{made:?}"));
        assert_eq!(summary_json(&back), summary_json(&made));
        assert!(html(&back) == html(&made), "the page drawn from files differs");
        let before = fs::read(dir.join("report.html")).unwrap();
        assert_eq!(redraw(&dir, &html(&read(&dir).unwrap())).unwrap(), dir.join("report.html"));
        assert!(fs::read(dir.join("report.html")).unwrap() == before);
    }
}

#[test]
fn only_information_centric_networks_have_tables_of_consumers() {
    let scratch = Scratch::new("icn-tables");
    let tables = [
        "consumer_samples.parquet",
        "consumers.parquet",
        "interests.parquet",
        "rate_samples.parquet",
        "subflow_samples.parquet",
    ];
    for (name, made, there) in
        [("icn", crate::common::icn::comparison(), true), ("ip", crate::common::single(), false)]
    {
        let dir = scratch.0.join(name);
        write(&dir, &made, &info("x")).unwrap();
        assert!(tables.iter().all(|table| dir.join(table).exists() == there), "{name}");
        assert_eq!(summary_json(&made).contains("\"law\": \"mircc?eta=0.9\""), there, "{name}");
    }
}

#[test]
fn transfers_changes_and_packet_buffers_survive() {
    let scratch = Scratch::new("odd");
    let mut made = crate::common::single();
    let run = &mut made.cases[0].runs[0];
    run.seed = i64::MAX as u64;
    let mut transfers = Transfers { begun: 4, ..Transfers::default() };
    for (bytes, us) in [(12_345, 20_001), (300, 15_000), (12_346, 1)] {
        let (start, ideal) = (Time::from_nanos(us), Span::from_micros(7_001));
        let transfer =
            Transfer { start, size: Bytes::new(bytes), took: Span::from_micros(us), ideal };
        transfers.count(&transfer);
        transfers.list.push(transfer);
    }
    run.flows[0].transfers = Some(transfers);
    run.flows[0].end = Some(Time::from_nanos(1_234_567_891));
    run.flows[0].completed = true;
    run.flows[1].route = vec![0, 1];
    run.flows[1].samples.clear();
    run.links[1].buffer_packets = Some(100);
    let change = |(index, what)| Change {
        at: Time::ZERO + Span::from_millis(1_000 * (index as u64 + 1)),
        of: "bottleneck".to_owned(),
        what,
        to: format!("something {index}"),
    };
    let (late_p50, late_p99, late_max) =
        (Span::from_nanos(257), Span::from_micros(36), Span::from_millis(1));
    let limits = vec![Limit { flow: "cubic".to_owned(), send_buffer: 0.125, receive_window: 0.25 }];
    let counts = Emulation {
        packets: 1,
        crossings: 2,
        unknown: 3,
        overrun: 4,
        refused: 5,
        spoiled: 6,
        turns: 7,
        ..Emulation::default()
    };
    let (gap_max, overlooked, waited) =
        (Span::from_millis(4), Span::from_millis(5), Span::from_millis(6));
    let (wake_p99, wake_max) = (Span::from_millis(7), Span::from_millis(8));
    let replays = vec![Replayed {
        controller: "pcc_vivace".to_owned(),
        calls: 1,
        connections: 2,
        missed: 3,
        unequal: 4,
        first: "call 5".to_owned(),
        beside: "init".to_owned(),
    }];
    let counts = Emulation { gap_max, overlooked, waited, wake_p99, wake_max, replays, ..counts };
    let (busy, talking, wall, base_rtt) =
        (Span::from_secs(1), Span::from_secs(2), Span::from_secs(3), Span::from_millis(30));
    run.emulation = Some(Emulation {
        late_p50,
        late_p99,
        late_max,
        busy,
        talking,
        wall,
        base_rtt,
        idle: 0.5,
        limits,
        ..counts
    });
    run.changes = Changed::ALL.into_iter().enumerate().map(change).collect();
    write(&scratch.0.join("out"), &made, &info("x")).unwrap();
    let back = read(&scratch.0.join("out")).unwrap();
    assert_eq!(format!("{back:?}"), format!("{made:?}"));
    assert!(html(&back) == html(&made), "the page drawn from files differs");
}

#[test]
fn nothing_run_is_still_a_result() {
    let scratch = Scratch::new("empty");
    let mut made = crate::common::single();
    made.cases.clear();
    write(&scratch.0.join("out"), &made, &info("x")).unwrap();
    assert_eq!(format!("{:?}", read(&scratch.0.join("out")).unwrap()), format!("{made:?}"));
}

#[test]
fn only_run_json_differs_between_two_runs() {
    let scratch = Scratch::new("same");
    let (a, b) = (scratch.0.join("a"), scratch.0.join("b"));
    write(&a, &crate::common::three_by_three(), &info("first")).unwrap();
    write(&b, &crate::common::three_by_three(), &info("second")).unwrap();
    let different: Vec<String> =
        bytes(&a).into_iter().zip(bytes(&b)).filter(|(a, b)| a != b).map(|(a, _)| a.0).collect();
    assert_eq!(different, ["run.json"]);
    let names: Vec<String> = bytes(&a).into_iter().map(|(name, _)| name).collect();
    insta::assert_snapshot!(names.join("\n"));
}

#[test]
fn an_existing_directory_is_left_alone() {
    let scratch = Scratch::new("exists");
    let dir = scratch.0.join("out");
    fs::create_dir(&dir).unwrap();
    let error = write(&dir, &crate::common::single(), &info("x")).unwrap_err();
    assert!(matches!(error, ReportError::Exists(_)));
    assert!(error.to_string().contains("--out"), "{error}");
    assert_eq!(scratch.entries(), ["out"]);
}

#[test]
fn an_error_half_way_leaves_nothing() {
    let scratch = Scratch::new("half");
    let mut made = crate::common::single();
    let twice = made.cases[0].runs[0].clone();
    made.cases[0].runs.push(twice);
    let error = write(&scratch.0.join("out"), &made, &info("x")).unwrap_err();
    assert!(matches!(error, ReportError::Repeated(..)), "{error}");
    assert!(scratch.entries().is_empty());

    fs::write(scratch.0.join("file"), "").unwrap();
    let error =
        write(&scratch.0.join("file/out"), &crate::common::single(), &info("x")).unwrap_err();
    assert!(error.to_string().contains("file") && error.to_string().contains("--out"), "{error}");
    assert_eq!(scratch.entries(), ["file"]);
}

#[test]
fn a_directory_has_one_owner() {
    let scratch = Scratch::new("owner");
    let dir = scratch.0.join("new/out");
    let first = Reserved::new(&dir).unwrap();
    assert!(matches!(Reserved::new(&dir), Err(ReportError::Busy(_))));
    drop(first);
    assert!(scratch.entries().is_empty(), "what was made for it is gone: {:?}", scratch.entries());
    let again = Reserved::new(&dir).unwrap();
    narrows_report::write(again, &crate::common::single(), &info("x")).unwrap();
    assert!(matches!(Reserved::new(&dir), Err(ReportError::Exists(_))));
    assert!(fs::read_dir(scratch.0.join("new")).unwrap().count() == 1);
}

#[test]
fn only_one_of_many_at_once_gets_a_directory() {
    let scratch = Scratch::new("race");
    for round in 0..20 {
        let dir = scratch.0.join(format!("out-{round}"));
        let reserved = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Reserved::new(&dir).ok())).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(reserved.len(), 1);
    }
}

#[test]
fn what_the_dead_left_blocks_nobody_and_is_removed() {
    let scratch = Scratch::new("dead");
    for name in [".out.narrows-unfinished", ".other.narrows-unfinished"] {
        fs::create_dir_all(scratch.0.join(name).join("deep")).unwrap();
        fs::write(scratch.0.join(name).join("summary.json"), "{").unwrap();
        fs::write(scratch.0.join(name).join(".lock"), "").unwrap();
    }
    fs::create_dir(scratch.0.join(".somebody-elses")).unwrap();
    let alive = Reserved::new(&scratch.0.join("alive")).unwrap();
    write(&scratch.0.join("out"), &crate::common::single(), &info("x")).unwrap();
    assert_eq!(scratch.entries(), [".alive.narrows-unfinished", ".somebody-elses", "out"]);
    assert!(!scratch.0.join("out/deep").exists());
    drop(alive);
    assert_eq!(scratch.entries(), [".somebody-elses", "out"]);
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let scratch = Scratch::new("link");
    fs::create_dir(scratch.0.join("precious")).unwrap();
    fs::write(scratch.0.join("precious/file"), "kept").unwrap();
    std::os::unix::fs::symlink(
        scratch.0.join("precious"),
        scratch.0.join(".out.narrows-unfinished"),
    )
    .unwrap();
    let error = Reserved::new(&scratch.0.join("out")).unwrap_err();
    assert!(error.to_string().contains("in the way"), "{error}");
    assert_eq!(fs::read(scratch.0.join("precious/file")).unwrap(), b"kept");
}

#[test]
fn only_plain_names_are_written() {
    let scratch = Scratch::new("plain");
    for name in ["../outside", "/tmp/narrows-outside", "a/b", "", "summary.json"] {
        let inputs = vec![Input { name: name.to_owned(), text: "x".to_owned() }];
        let error = write(
            &scratch.0.join("out"),
            &crate::common::single(),
            &RunInfo { inputs, ..info("x") },
        )
        .unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(scratch.entries().is_empty(), "{name}: {:?}", scratch.entries());
    }
}

/// Writes a result, lets `change` change it, and returns why it cannot be read.
fn changed(scratch: &Scratch, change: impl FnOnce(&Path)) -> String {
    let dir = scratch.0.join("out");
    let _ = fs::remove_dir_all(&dir);
    write(&dir, &crate::common::single(), &info("x")).unwrap();
    change(&dir);
    let error = read(&dir).unwrap_err().to_string();
    let _ = fs::remove_dir_all(&dir);
    error
}

#[test]
fn what_is_missing_or_damaged_is_named() {
    let scratch = Scratch::new("damaged");
    let error = read(&scratch.0).unwrap_err();
    assert!(
        matches!(error, ReportError::Read { .. }) && error.to_string().contains("SHA256SUMS"),
        "{error}"
    );
    let files = [
        "changes.parquet",
        "flow_samples.parquet",
        "flows.parquet",
        "histograms.parquet",
        "link_samples.parquet",
        "links.parquet",
    ];
    for name in files.into_iter().chain([
        "transfers.parquet",
        "transfer_sizes.parquet",
        "summary.json",
        "scenario.toml",
    ]) {
        let flipped = changed(&scratch, |dir| {
            let mut bytes = fs::read(dir.join(name)).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(dir.join(name), bytes).unwrap();
        });
        assert!(flipped.contains(name) && flipped.contains("SHA-256"), "{flipped}");
        let lost = changed(&scratch, |dir| fs::remove_file(dir.join(name)).unwrap());
        assert!(lost.contains(name) && lost.contains("No such file"), "{lost}");
    }
}

#[test]
fn a_table_of_another_run_is_refused() {
    let scratch = Scratch::new("foreign");
    let other = scratch.0.join("other");
    write(&other, &crate::common::varying(), &info("x")).unwrap();
    let error = changed(&scratch, |dir| {
        fs::copy(other.join("link_samples.parquet"), dir.join("link_samples.parquet")).unwrap();
    });
    assert!(error.contains("link_samples.parquet"), "{error}");
}

/// Replaces a part of `summary.json`. A writer of the directory can write its checksums, too.
fn forge(dir: &Path, part: &str, other: &str) {
    let text = fs::read_to_string(dir.join("summary.json")).unwrap();
    assert!(text.contains(part), "{text}");
    fs::write(dir.join("summary.json"), text.replace(part, other)).unwrap();
    let sums = std::process::Command::new("sha256sum")
        .arg("summary.json")
        .current_dir(dir)
        .output()
        .unwrap();
    let sums = String::from_utf8(sums.stdout).unwrap();
    let all = fs::read_to_string(dir.join("SHA256SUMS")).unwrap();
    let kept: String = all
        .lines()
        .filter(|line| !line.ends_with("  summary.json"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(dir.join("SHA256SUMS"), kept + &sums).unwrap();
}

#[test]
fn groups_that_do_not_hold_all_cases_are_refused() {
    let scratch = Scratch::new("groups");
    let error = changed(&scratch, |dir| {
        let groups =
            "\"groups\": [{ \"title\": \"g\", \"notes\": [], \"cases\": 7 }], \"cases\": [";
        forge(dir, "\"cases\": [", groups);
    });
    assert!(error.contains("its groups have 7 cases, and it has"), "{error}");
}

#[test]
fn nothing_outside_the_directory_is_read() {
    let scratch = Scratch::new("outside");
    fs::write(scratch.0.join("secret"), "secret").unwrap();
    for scenario in ["../secret", "/etc/passwd", "run.json"] {
        let error = changed(&scratch, |dir| {
            forge(dir, "\"scenario.toml\"", &format!("\"{scenario}\""));
        });
        assert!(error.contains(scenario) && error.contains("not in SHA256SUMS"), "{error}");
    }
    let link = changed(&scratch, |dir| {
        fs::remove_file(dir.join("scenario.toml")).unwrap();
        std::os::unix::fs::symlink("../secret", dir.join("scenario.toml")).unwrap();
    });
    assert!(link.contains("scenario.toml") && link.contains("not a regular file"), "{link}");
    let list = changed(&scratch, |dir| {
        fs::write(dir.join("SHA256SUMS"), format!("{}  ../secret\n", "0".repeat(64))).unwrap()
    });
    assert!(list.contains("SHA256SUMS"), "{list}");
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused_at_once() {
    let scratch = Scratch::new("pipe");
    for name in ["SHA256SUMS", "summary.json", "flows.parquet"] {
        let error = changed(&scratch, |dir| {
            fs::remove_file(dir.join(name)).unwrap();
            assert!(
                std::process::Command::new("mkfifo")
                    .arg(dir.join(name))
                    .status()
                    .unwrap()
                    .success()
            );
        });
        assert!(error.contains(name) && error.contains("not a regular file"), "{error}");
    }
}

#[test]
fn the_checksums_are_those_of_sha256sum() {
    let scratch = Scratch::new("sums");
    let dir = scratch.0.join("out");
    write(&dir, &crate::common::three_by_three(), &info("x")).unwrap();
    let output = std::process::Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
