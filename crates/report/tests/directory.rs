//! The result directory: complete or absent, and readable again.

mod common;

use narrows_measure::{Change, Changed, Emulation, Limit, Replayed, Transfer, Transfers};
use narrows_report::{ReportError, RunInfo, html, read, redraw, summary_json, write};
use narrows_units::{Bytes, Span, Time};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A directory of the test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("narrows-report-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
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
        command: vec![command.to_owned()],
        host: "here".to_owned(),
        started_unix_s: None,
        wall: Duration::from_millis(1234),
        peak_memory_mib: None,
        inputs: Vec::new(),
        made: Vec::new(),
    }
}

fn bytes(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())).collect()
}

#[test]
fn what_was_written_is_read_back() {
    let scratch = Scratch::new("round-trip");
    let icn = common::icn::comparison();
    for (name, made) in [("many", common::three_by_three()), ("one", common::single()), ("trace", common::varying()), ("icn", icn)] {
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
    let tables = ["consumer_samples.parquet", "consumers.parquet", "interests.parquet", "rate_samples.parquet", "subflow_samples.parquet"];
    for (name, made, there) in [("icn", common::icn::comparison(), true), ("ip", common::single(), false)] {
        let dir = scratch.0.join(name);
        write(&dir, &made, &info("x")).unwrap();
        assert!(tables.iter().all(|table| dir.join(table).exists() == there), "{name}");
        assert_eq!(summary_json(&made).contains("\"law\": \"mircc?eta=0.9\""), there, "{name}");
    }
}

#[test]
fn transfers_changes_and_packet_buffers_survive() {
    let scratch = Scratch::new("odd");
    let mut made = common::single();
    let run = &mut made.cases[0].runs[0];
    run.seed = u64::MAX;
    let mut transfers = Transfers { begun: 4, ..Transfers::default() };
    for (bytes, us) in [(12_345, 20_001), (300, 15_000), (12_346, 1)] {
        let (start, ideal) = (Time::from_nanos(us), Span::from_micros(7_001));
        let transfer = Transfer { start, size: Bytes::new(bytes), took: Span::from_micros(us), ideal };
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
    let (late_p50, late_p99, late_max) = (Span::from_nanos(257), Span::from_micros(36), Span::from_millis(1));
    let limits = vec![Limit { flow: "cubic".to_owned(), send_buffer: 0.125, receive_window: 0.25 }];
    let counts = Emulation { packets: 1, crossings: 2, unknown: 3, overrun: 4, refused: 5, spoiled: 6, turns: 7, ..Emulation::default() };
    let (gap_max, overlooked, waited) = (Span::from_millis(4), Span::from_millis(5), Span::from_millis(6));
    let (wake_p99, wake_max) = (Span::from_millis(7), Span::from_millis(8));
    let replays =
        vec![Replayed { controller: "pcc_vivace".to_owned(), calls: 1, connections: 2, missed: 3, unequal: 4, first: "call 5".to_owned() }];
    let counts = Emulation { gap_max, overlooked, waited, wake_p99, wake_max, replays, ..counts };
    let (busy, talking, wall, base_rtt) = (Span::from_secs(1), Span::from_secs(2), Span::from_secs(3), Span::from_millis(30));
    run.emulation = Some(Emulation { late_p50, late_p99, late_max, busy, talking, wall, base_rtt, idle: 0.5, limits, ..counts });
    run.changes = Changed::ALL.into_iter().enumerate().map(change).collect();
    write(&scratch.0.join("out"), &made, &info("x")).unwrap();
    let back = read(&scratch.0.join("out")).unwrap();
    assert_eq!(format!("{back:?}"), format!("{made:?}"));
    assert!(html(&back) == html(&made), "the page drawn from files differs");
}

#[test]
fn nothing_run_is_still_a_result() {
    let scratch = Scratch::new("empty");
    let mut made = common::single();
    made.cases.clear();
    write(&scratch.0.join("out"), &made, &info("x")).unwrap();
    assert_eq!(format!("{:?}", read(&scratch.0.join("out")).unwrap()), format!("{made:?}"));
}

#[test]
fn only_run_json_differs_between_two_runs() {
    let scratch = Scratch::new("same");
    let (a, b) = (scratch.0.join("a"), scratch.0.join("b"));
    write(&a, &common::three_by_three(), &info("first")).unwrap();
    write(&b, &common::three_by_three(), &info("second")).unwrap();
    let different: Vec<String> = bytes(&a).into_iter().zip(bytes(&b)).filter(|(a, b)| a != b).map(|(a, _)| a.0).collect();
    assert_eq!(different, ["run.json"]);
    let names: Vec<String> = bytes(&a).into_iter().map(|(name, _)| name).collect();
    insta::assert_snapshot!(names.join("\n"));
}

#[test]
fn an_existing_directory_is_left_alone() {
    let scratch = Scratch::new("exists");
    let dir = scratch.0.join("out");
    fs::create_dir(&dir).unwrap();
    let error = write(&dir, &common::single(), &info("x")).unwrap_err();
    assert!(matches!(error, ReportError::Exists(_)));
    assert!(error.to_string().contains("--out"), "{error}");
    assert_eq!(scratch.entries(), ["out"]);
}

#[test]
fn an_error_half_way_leaves_nothing() {
    let scratch = Scratch::new("half");
    let mut made = common::single();
    let twice = made.cases[0].runs[0].clone();
    made.cases[0].runs.push(twice);
    let error = write(&scratch.0.join("out"), &made, &info("x")).unwrap_err();
    assert!(matches!(error, ReportError::Repeated(..)), "{error}");
    assert!(scratch.entries().is_empty());

    fs::write(scratch.0.join("file"), "").unwrap();
    let error = write(&scratch.0.join("file/out"), &common::single(), &info("x")).unwrap_err();
    assert!(error.to_string().contains("file") && error.to_string().contains("--out"), "{error}");
    assert_eq!(scratch.entries(), ["file"]);
}

#[test]
fn what_is_missing_or_damaged_is_named() {
    let scratch = Scratch::new("damaged");
    let error = read(&scratch.0).unwrap_err();
    assert!(matches!(error, ReportError::Read { .. }) && error.to_string().contains("summary.json"), "{error}");
    let dir = scratch.0.join("out");
    write(&dir, &common::single(), &info("x")).unwrap();
    fs::write(dir.join("links.parquet"), "PAR1 no PAR1").unwrap();
    let error = read(&dir).unwrap_err();
    assert!(matches!(error, ReportError::Damaged { .. }) && error.to_string().contains("links.parquet"), "{error}");
}
