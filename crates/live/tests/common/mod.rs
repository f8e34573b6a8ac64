//! Many small networks, each with a flow, that run live all at once.

use narrows_measure::{FlowRecord, Record};
use narrows_scenario::Scenario;
use narrows_units::Span;
use std::io::Write;

/// A flow with a network of its own: one link each way, of 10 Mbit/s, 10 ms and 200 kB unless it says otherwise.
pub struct Case {
    pub name: &'static str,
    pub flow: &'static str,
    pub link: &'static str,
}

/// 10 Mbit/s, 10 ms, room for 200 kB.
pub const LINK: &str = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"200 kB\"";

/// What can be asserted bears a busy machine, but not one that stands still.
const STANDSTILL: Span = Span::from_millis(100);

/// All of them as one scenario of so many seconds.
pub fn scenario(seconds: u64, cases: &[Case]) -> Scenario {
    let mut text = format!("duration = \"{seconds} s\"\nwarmup = \"0 s\"\nseed = 3\n");
    for Case { name, flow, link } in cases {
        text += &format!("[[link]]\nname = \"{name}\"\nbetween = [\"{name}-from\", \"{name}-to\"]\n{link}\n");
        text += &format!("[[flow]]\nname = \"{name}\"\nfrom = \"{name}-from\"\nto = \"{name}-to\"\n{flow}\n");
    }
    narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap_or_else(|error| panic!("{}", error.short()))
}

/// Runs it on the kernel, again if the machine stood still; `None`, with a printed reason, where nothing runs live.
pub fn run(scenario: &Scenario) -> Option<Record> {
    if let Err(error) = narrows_live::ready() {
        assert!(!rustix::process::geteuid().is_root() || !std::path::Path::new("/dev/net/tun").exists(), "{error}");
        say(&format!("skipped: {error}"));
        return None;
    }
    for _ in 0..3 {
        let record = narrows_live::run(scenario, &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
        let late = record.emulation.as_ref().expect("a live run").late_max;
        if late < STANDSTILL {
            return Some(record);
        }
        say(&format!("a packet was handed over {late} late"));
    }
    say("skipped: this machine does not get to run");
    None
}

/// Tells people. Not by `eprintln!`, which the harness keeps to itself when a test passes.
fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

/// The flow with this name.
pub fn flow<'a>(record: &'a Record, name: &str) -> &'a FlowRecord {
    record.flows.iter().find(|flow| flow.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}
