//! Controllers from files, on paths with losses, marks, short queues and outages. The kernel runs
//! them for the length of a run, and the BPF machine that simulates them must take the same
//! decisions.

use crate::common::turn;
use narrows_kernel::KernelError;
use narrows_live::{Extras, LiveError};
use narrows_measure::{Record, Replayed};
use std::path::Path;

/// Programs, their chosen tables, and their names in the kernel. One program keeps its state in
/// maps and has two tables; two links use one table each.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("aimd", "", "kf_aimd"),
    ("cubical", "", "kf_cubical"),
    ("paces", "", "kf_paces"),
    ("keeps", "?ops=keeps", "kf_keeps"),
    ("keeps", "?ops=halves", "kf_halves"),
];

/// Runs a network for each program. Returns `None` and prints the reason if that is not possible
/// here.
fn run(seconds: u64, rate: &str, replay: bool) -> Option<Record> {
    if let Err(error) = narrows_live::ready() {
        eprintln!("left out: {error}");
        return None;
    }
    if narrows_bpf::compile::Clang::find(Path::new("it.bpf.c")).is_err() {
        eprintln!("left out: there is no clang");
        return None;
    }
    let _session = narrows_control::Session::loading(narrows_bpf::files::entry).enter();
    let mut text = format!("duration = \"{seconds} s\"\nwarmup = \"0 s\"\nseed = 7\n");
    for (program, table, name) in PROGRAMS {
        let ends = format!("\"{name}-from\", \"{name}-to\"");
        text += &format!(
            "[[link]]\nname = \"{name}\"\nbetween = [{ends}]\nrate = \"{rate}\"\ndelay = \"10 ms\"\nbuffer = \"40 packets\"\nqueue = \"step?threshold=20&unit=packets\"\nloss = \"0.3 %\"\n\
             [[flow]]\nname = \"{name}\"\nfrom = \"{name}-from\"\nto = \"{name}-to\"\ncontroller = \"{}/tests/programs/{program}.bpf.c{table}\"\ncount = 2\n\
             [[change]]\nat = \"1 s\"\nlink = \"{name}\"\ndown_for = \"700 ms\"\nevery = \"10 s\"\n",
            env!("CARGO_MANIFEST_DIR")
        );
    }
    let scenario =
        narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
            .unwrap_or_else(|e| panic!("{}", e.short()));
    let _turn = turn();
    match narrows_live::run_with(
        &scenario,
        &Extras { replay, ..Extras::default() },
        &mut |_| true,
        &mut (),
    ) {
        Err(LiveError::Kernel(error @ (KernelError::NotBuilt | KernelError::Unfit { .. }))) => {
            eprintln!("left out: {error}");
            None
        }
        record => Some(record.unwrap_or_else(|error| panic!("{error}")).0),
    }
}

/// Returns the names of this test's controllers that are still in the kernel.
fn left() -> Vec<String> {
    narrows_kernel::available()
        .into_iter()
        .filter(|name| PROGRAMS.iter().any(|(_, _, own)| name.starts_with(own)))
        .collect()
}

fn replayed(seconds: u64, rate: &str, calls: u64) {
    let Some(record) = run(seconds, rate, true) else { return };
    // The amounts that the flows carried explain a low number of calls.
    for flow in &record.flows {
        println!("{}: {:?}", flow.name, flow.total);
    }
    let replays = record.emulation.expect("a live run").replays;
    assert_eq!(replays.len(), PROGRAMS.len());
    for replayed in replays {
        println!("{replayed:?}");
        let Replayed { calls: replayed_calls, connections, missed, unequal, first, .. } = &replayed;
        assert!((*unequal, first.as_str()) == (0, ""), "{replayed:?}");
        assert!(*connections >= 2 && *replayed_calls > calls && *missed < calls, "{replayed:?}");
    }
    assert_eq!(left(), Vec::<String>::new(), "the run takes its controllers with it");
}

/// Each program usually has 3,000 calls or more. In one run of about thirty, one program had only
/// 644.
#[test]
fn each_call_is_decided_as_by_the_machine() {
    replayed(12, "8 Mbit/s", 300);
}

#[test]
#[ignore = "takes some minutes of an idle machine"]
fn a_hundred_thousand_calls_of_each_file() {
    replayed(120, "28 Mbit/s", 100_000);
}

#[test]
fn a_run_without_replay_uses_the_files() {
    let Some(record) = run(3, "8 Mbit/s", false) else { return };
    // A controller that does nothing keeps a window of ten segments, and carries data too.
    assert!(record.flows.iter().all(|flow| flow.total.arrived > 0), "all flows carry data");
    assert!(record.emulation.expect("a live run").replays.is_empty());
    assert_eq!(left(), Vec::<String>::new(), "the run takes its controllers with it");
}
