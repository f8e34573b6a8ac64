//! Scenarios with guests, and numbers of their records.

use narrows_control::{ENTRIES, EntryRef, Session};
use narrows_measure::{FlowRecord, Record};
use narrows_scenario::Scenario;
use narrows_sim::SimError;
use std::sync::LazyLock;

/// The stacks' controllers, each alone and recorded, and one that panics.
static STACKS: LazyLock<Session> = LazyLock::new(|| {
    let session = Session::default();
    let adapted = ENTRIES.iter().copied().flat_map(narrows_guests::adapted).map(EntryRef::from);
    let adapted: Vec<EntryRef> = adapted.collect();
    let unlisted = |entry: EntryRef| session.register_unlisted(entry).expect("a name of its own");
    adapted.iter().cloned().for_each(unlisted);
    let own: Vec<EntryRef> = narrows_guests::entries().into_iter().map(EntryRef::from).collect();
    for entry in &own {
        session.register(entry.clone()).expect("a name of its own");
    }
    own.iter().chain(&adapted).map(crate::datagrams::recorded).for_each(unlisted);
    unlisted(EntryRef::from(&crate::panics::PANICS));
    session
});

/// Lets the calling thread choose the stacks' controllers.
pub fn stacks() {
    STACKS.enter_for_life();
}

/// The scenario of this text.
pub fn scenario(text: &str) -> Scenario {
    stacks();
    narrows_scenario::parse(text, "test.toml", &|path| panic!("no trace is read from {path:?}"))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The record of a run of this text.
pub fn run(text: &str) -> Record {
    tried(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The record of a run of this text, or the reason why it failed.
pub fn tried(text: &str) -> Result<Record, SimError> {
    narrows_sim::run(&scenario(text))
}

/// The standard link, 100 Mbit/s and 30 ms with a drop-tail buffer of 1 bdp, with more keys.
pub fn link(keys: &str) -> String {
    format!(
        "[[link]]\nname = \"bottleneck\"\nbetween = [\"a\", \"b\"]\nrate = \"100 Mbit/s\"\n\
         delay = \"15 ms\"\nbuffer = \"375 kB\"\n{keys}\n"
    )
}

/// A flow over it.
pub fn flow(controller: &str, keys: &str) -> String {
    format!("[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{controller}\"\n{keys}\n")
}

/// A run of so many seconds, of which the first sixth is left out.
pub fn head(seconds: u32, seed: u64) -> String {
    format!("duration = \"{seconds} s\"\nwarmup = \"{} ms\"\nseed = {seed}\n", seconds * 1000 / 6)
}

/// Payload in Mbit/s after the warm-up.
pub fn goodput(record: &Record, flow: usize) -> f64 {
    let seconds = record.duration.as_secs_f64() - record.warmup.as_secs_f64();
    record.flows[flow].steady.goodput.get() as f64 * 8e-6 / seconds
}

/// Share of the link's rate that flows used, in percent, headers included.
pub fn utilisation(record: &Record) -> f64 {
    let seconds = record.duration.as_secs_f64() - record.warmup.as_secs_f64();
    let bytes: u64 = record.flows.iter().map(|flow| flow.steady.arrived_wire.get()).sum();
    bytes as f64 * 8e-6 / seconds
}

/// The median round trip in milliseconds.
pub fn median_rtt(flow: &FlowRecord) -> f64 {
    flow.rtt.quantile(0.5).expect("round trips").as_millis_f64()
}
