//! Compares BPF controllers in the simulator's kernel TCP with native controllers: on the same
//! connections both must get the same calls, and their windows and thresholds must be equal after
//! each call. The connections lose, reorder and mark packets, have timeouts and outages, undo
//! reductions, and rest.

use crate::loaded::object_of;
use narrows_bpf::files::code;
use narrows_bpf::{Around, Code, Conditions, Settings, SimulatedKernel, link};
use narrows_control::{
    Basis, Build, Built, CaState, Choice, Controller, Decision, Feedback, Open, OwnedEntry, Sent,
    Session, Setup, TWINS, Tag, Timeout,
};
use narrows_params::Need;
use narrows_units::{Span, Time};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// Events on the connections of a pair, and the first difference.
#[derive(Default, Debug)]
struct Seen {
    calls: u64,
    different: u64,
    first: Option<String>,
    losses: u64,
    marks: u64,
    disorder: u64,
    timeouts: u64,
    undone: u64,
    probes: u64,
    rests: u64,
}

/// Two controllers of a connection; the native one decides.
struct Pair {
    native: Box<dyn Controller>,
    program: Around,
    seen: Arc<Mutex<Seen>>,
    sent_at: Option<Time>,
}

/// Returns the decision of a controller: its window, `snd_cwnd` and `snd_ssthresh`.
fn decided(controller: &dyn Controller) -> [f64; 3] {
    let mut all = [controller.decision().window.get(), 0.0, 0.0];
    controller.inspect(&mut |name, value| match name {
        "cwnd" => all[1] = value,
        "ssthresh" => all[2] = value,
        _ => {}
    });
    all
}

impl Pair {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("no test has failed before")
    }

    /// Compares the decisions of both after a call.
    fn compare(&self, call: impl FnOnce() -> String) {
        let (native, program) = (decided(&*self.native), decided(&self.program));
        let mut seen = self.seen();
        seen.calls += 1;
        if native != program {
            seen.different += 1;
            seen.first.get_or_insert_with(|| {
                format!("native {native:?}, program {program:?} after {}", call())
            });
        }
    }
}

impl Controller for Pair {
    fn on_open(&mut self, open: &Open) {
        self.native.on_open(open);
        self.program.on_open(open);
        self.compare(|| format!("{open:?}"));
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        let idle = self.sent_at.replace(sent.now).map_or(Span::ZERO, |at| sent.now.since(at));
        self.seen().rests += (sent.outstanding == 0 && idle > sent.rto) as u64;
        self.program.on_sent(sent);
        let tag = self.native.on_sent(sent);
        self.compare(|| format!("{sent:?}"));
        tag
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        {
            let mut seen = self.seen();
            seen.losses += !feedback.lost.is_empty() as u64;
            seen.marks += feedback.ecn.echo as u64;
            seen.disorder += (feedback.ca_state == CaState::Disorder) as u64;
            seen.undone += feedback.undone as u64;
            seen.probes += feedback.probe_loss as u64;
        }
        self.native.on_feedback(feedback);
        self.program.on_feedback(feedback);
        self.compare(|| format!("{feedback:?}"));
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.seen().timeouts += 1;
        self.native.on_timeout(timeout);
        self.program.on_timeout(timeout);
        self.compare(|| format!("{timeout:?}"));
    }

    fn on_undo(&mut self, now: Time) {
        self.native.on_undo(now);
        self.program.on_undo(now);
    }

    fn decision(&self) -> Decision {
        self.native.decision()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.native.inspect(visit);
    }
}

/// Runs connections of a native controller and a program until both have had `calls` calls. Hosts
/// have `hz` ticks per second. Each seed gives other connections.
fn run(
    name: &'static str,
    (native, code, hz): (&str, Arc<Code>, u32),
    calls: u64,
    network: &str,
) -> Seen {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (kept, choice) =
        (Arc::clone(&seen), format!("{native}ecn").parse::<Choice>().expect("a controller"));
    let conditions = Conditions { hz, isn: 1 << 31, shown: Arc::new([]), set: Arc::new([]) };
    let make = move |setup: &Setup, _: &_| {
        let program = Around::new(Arc::clone(&code), conditions.clone(), setup);
        Ok(Built::new(Pair {
            native: choice.build(setup)?,
            program,
            seen: Arc::clone(&kept),
            sent_at: None,
        }))
    };
    let entry = OwnedEntry {
        name: name.to_owned(),
        summary: "two controllers that must decide alike".to_owned(),
        source: String::new(),
        basis: Basis::Loss,
        needs: vec![Need::Outstanding],
        params: Vec::new(),
        build: Build::Shared(Arc::new(make)),
    };
    let session = Session::default();
    session.register(entry).expect("a name of its own");
    let _session = session.enter();
    for seed in 1.. {
        let text = network.replace("NAME", name).replace("SEED", &seed.to_string());
        let scenario =
            narrows_scenario::parse(&text, "order.toml", &|path| fs::read_to_string(path))
                .unwrap_or_else(|error| panic!("{error}"));
        narrows_sim::run(&scenario).unwrap_or_else(|error| panic!("{error}"));
        if seen.lock().expect("nothing panicked").calls >= calls {
            break;
        }
    }
    let seen = std::mem::take(&mut *seen.lock().expect("nothing panicked"));
    eprintln!("{name}: {seen:?}");
    seen
}

/// A link that marks packets, and a link that loses and reorders packets, changes its delay and
/// goes down. Bulk flows, and two flows with occasional data.
const NETWORK: &str = r#"
duration = "60 s"
seed = SEED
[[link]]
name = "marking"
between = ["a", "b"]
rate = "20 Mbit/s"
delay = "10 ms"
buffer = "1 bdp"
queue = "step?threshold=20&unit=packets"
[[link]]
name = "losing"
between = ["b", "c"]
rate = "30 Mbit/s"
delay = "10 ms"
loss = LOSS
reorder = { share = "0.3 %", delay = "8 ms" }
buffer = "0.3 bdp"
[[flow]]
from = "a"
to = "b"
controller = "NAME"
count = 2
[[flow]]
from = "b"
to = "c"
controller = "NAME"
count = 2
[[flow]]
from = "a"
to = "c"
controller = "NAME"
workload = { rate = "3 Mbit/s", frame = "700 ms" }
[[flow]]
from = "b"
to = "c"
controller = "NAME"
workload = { rate = "1 Mbit/s", frame = "1500 ms" }
[[change]]
at = "20 s"
link = "losing"
delay = "400 ms"
[[change]]
at = "24 s"
link = "losing"
delay = "10 ms"
[[change]]
at = "40 s"
link = "losing"
down_for = "2 s"
"#;

fn network(loss: &str) -> String {
    NETWORK.replace("LOSS", loss)
}

/// Returns the object of a kernel twin, with its constants.
fn twin(kernel: &str) -> Arc<Code> {
    let twin = TWINS.iter().find(|twin| twin.kernel == kernel).expect("a twin");
    let mut program = link(kernel, object_of(twin), &Settings::default(), &SimulatedKernel)
        .unwrap_or_else(|error| panic!("{error}"));
    let constants = twin.constants_of(&twin.choice.parse().expect("a choice")).expect("constants");
    let fixed = program
        .regions
        .iter_mut()
        .find(|region| region.name == ".rodata.constants")
        .expect("every object has constants");
    fixed.bytes.copy_from_slice(&constants);
    Arc::new(Code::new(Arc::new(program)).unwrap_or_else(|refusal| panic!("{refusal}")))
}

fn agree(seen: &Seen, calls: u64) {
    assert_eq!((seen.different, &seen.first), (0, &None), "of {} calls", seen.calls);
    assert!(seen.calls >= calls);
    let happened = [seen.losses, seen.marks, seen.disorder, seen.timeouts, seen.undone, seen.rests];
    assert!(happened.iter().all(|times| *times > 0), "{seen:?}");
}

#[test]
fn highspeed_is_its_native_core() {
    agree(
        &run(
            "order-hstcp",
            ("hstcp?profile=linux&", twin("hstcp"), 250),
            1_000_000,
            &network("\"0.2 %\""),
        ),
        1_000_000,
    );
}

#[test]
fn scalable_is_its_native_core() {
    agree(
        &run(
            "order-scalable",
            ("scalable?profile=linux&", twin("scalable"), 250),
            1_000_000,
            &network("\"0.2 %\""),
        ),
        1_000_000,
    );
}

/// An independent implementation of CUBIC in kernel ticks, at both usual tick rates, with and
/// without random loss.
#[test]
fn cubic_of_another_hand_is_the_native_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects/cubic.bpf.o");
    let object = fs::read(&path).expect("it is committed");
    for (name, hz, loss) in [
        ("order-cubic", 250, "0 %"),
        ("order-cubic-1000", 1000, "0 %"),
        ("order-cubic-losing", 250, "0.2 %"),
    ] {
        let code = code("cubic.bpf.o", &object, hz, None).unwrap_or_else(|error| panic!("{error}"));
        let native = format!("cubic?hz={hz}&");
        agree(
            &run(name, (native.as_str(), code, hz), 300_000, &network(&format!("\"{loss}\""))),
            300_000,
        );
    }
}
