//! Many small networks, each with a flow, that run live all at once.

use narrows_measure::{FlowRecord, Record};
use narrows_scenario::Scenario;
use narrows_units::Span;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Live runs go one at a time: each asks for a core.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A flow with a network of its own: one link each way, of 10 Mbit/s, 10 ms and 200 kB unless it says otherwise.
pub struct Case {
    pub name: &'static str,
    pub flow: &'static str,
    pub link: &'static str,
}

/// 10 Mbit/s, 10 ms, room for 200 kB.
pub const LINK: &str = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"200 kB\"";

/// What can be asserted of times bears a busy machine, but not one that stands still.
const STANDSTILL: Span = Span::from_millis(100);

/// What can be asserted whatever the time still needs a run that took place.
const LOST: Span = Span::from_secs(1);

/// What came of a scenario.
pub struct Ran {
    pub record: Record,
    /// Whether times, and counts that depend on them, can be asserted.
    pub timely: bool,
}

/// All of them as one scenario of so many seconds.
pub fn scenario(seconds: u64, cases: &[Case]) -> Scenario {
    let mut text = format!("duration = \"{seconds} s\"\nwarmup = \"0 s\"\nseed = 3\n");
    for Case { name, flow, link } in cases {
        text += &format!(
            "[[link]]\nname = \"{name}\"\nbetween = [\"{name}-from\", \"{name}-to\"]\n{link}\n"
        );
        text += &format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"{name}-from\"\nto = \"{name}-to\"\n{flow}\n"
        );
    }
    narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

/// Runs it on the kernel, again if the machine stood still; `None`, with a printed reason, where nothing runs live.
///
/// # Panics
///
/// The machine stood still for so long each time that nothing can be asserted.
pub fn run(scenario: &Scenario) -> Option<Ran> {
    if let Err(error) = narrows_live::ready() {
        assert!(
            !rustix::process::geteuid().is_root() || !std::path::Path::new("/dev/net/tun").exists(),
            "{error}"
        );
        say(&format!("skipped: {error}"));
        return None;
    }
    let _turn = turn();
    let mut runs = Vec::new();
    for _ in 0..3 {
        let record =
            narrows_live::run(scenario, &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
        if late(&record) < STANDSTILL {
            return Some(Ran { record, timely: true });
        }
        say(&format!("a packet was handed over {} late", late(&record)));
        runs.push(record);
    }
    let record = runs.into_iter().min_by_key(late).expect("three runs");
    assert!(
        late(&record) < LOST,
        "the machine stood still for {LOST} and more during each of 3 runs: run the tests when it has time"
    );
    say("skipped what depends on times: this machine does not get to run");
    Some(Ran { record, timely: false })
}

/// How late a packet was at most.
fn late(record: &Record) -> Span {
    record.emulation.as_ref().expect("a live run").late_max
}

/// Tells people. Not by `eprintln!`, which the harness keeps to itself when a test passes.
fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

/// The flow with this name.
pub fn flow<'a>(record: &'a Record, name: &str) -> &'a FlowRecord {
    record.flows.iter().find(|flow| flow.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}
