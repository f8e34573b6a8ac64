//! Many small networks with a flow each, which run live at once.

use narrows_measure::{FlowRecord, Record};
use narrows_scenario::Scenario;
use narrows_units::Span;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a lock under which one live run goes on at a time, because each needs a core.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A flow with a network of its own: one link in each direction with 10 Mbit/s, 10 ms and 200 kB,
/// unless `link` differs.
pub struct Case {
    pub name: &'static str,
    pub flow: &'static str,
    pub link: &'static str,
}

/// A link with 10 Mbit/s, 10 ms and a buffer of 200 kB.
pub const LINK: &str = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"200 kB\"";

/// Packets that the emulator hands over later than this make a run useless for assertions on times.
/// A busy machine stays below it.
const STANDSTILL: Span = Span::from_millis(100);

/// Packets that the emulator hands over later than this make a run useless for every assertion.
const LOST: Span = Span::from_secs(1);

/// Record of a live scenario.
pub struct Ran {
    pub record: Record,
    /// True if times, and counts that depend on them, can be asserted.
    pub timely: bool,
}

/// Returns all cases as one scenario of `seconds`.
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

/// Runs a scenario on the kernel, up to three times if the machine stood still. Returns `None` and
/// prints the reason if nothing can run live here.
///
/// # Panics
///
/// If the machine stood still in each run for so long that nothing can be asserted.
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

/// Returns the largest lateness of a packet.
fn late(record: &Record) -> Span {
    record.emulation.as_ref().expect("a live run").late_max
}

/// Prints a line, although the test may pass: the harness hides the output of `eprintln!` then.
fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

/// Returns the flow with this name.
pub fn flow<'a>(record: &'a Record, name: &str) -> &'a FlowRecord {
    record.flows.iter().find(|flow| flow.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}
