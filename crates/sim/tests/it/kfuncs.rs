//! The kernel's controllers as functions that a BPF program calls, beside our own of the same name:
//! both hear of the same connection, which obeys ours.

use crate::common::{one_link, scenario};
use narrows_bpf::files;
use narrows_control::{
    Basis, Build, Built, Choice, Controller, Decision, Entry, Fault, Feedback, Open, Sent, Setup,
    Tag, Timeout, register,
};
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::Time;
use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};

/// A controller that is obeyed, and one beside it.
struct Both {
    obeyed: Box<dyn Controller>,
    beside: Box<dyn Controller>,
    seen: Seen,
}

/// The result of the latest run.
static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

/// How far two controllers were apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    /// Calls after which both were asked for their window.
    calls: u64,
    /// Those after which the windows differed.
    windows: u64,
    /// Those after which the thresholds differed.
    thresholds: u64,
    /// The sum of the differences of windows, each as a part of the window that was obeyed.
    apart: f64,
}

const WHICH: Param<&str> = Param::choice(
    "which",
    "cubic",
    &[("cubic", "cubic"), ("bbr", "bbr"), ("dctcp", "dctcp")],
    "the controller that is run twice",
);

static ENTRY: Entry = Entry {
    name: "both",
    kernel: None,
    summary: "a controller and the kernel's functions of it",
    source: "this file",
    basis: Basis::Loss,
    needs: &[Need::Outstanding, Need::RateSample, Need::Pacing, Need::EcnCounts],
    numbered: false,
    params: &[WHICH.spec],
    build: Build::Function(build),
};

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    let object = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects/forward.bpf.o");
    let entry =
        files::entry(&object.display().to_string()).unwrap_or_else(|error| panic!("{error}"));
    let which = params.get(&WHICH);
    let choice = |text: String| text.parse::<Choice>()?.build(setup);
    let (obeyed, beside) =
        (choice(which.to_owned())?, choice(format!("{}?ops={which}_again", entry.name))?);
    Ok(Built::new(Both { obeyed, beside, seen: Seen::default() }))
}

impl Both {
    fn compare(&mut self) {
        let [ours, theirs] = [&self.obeyed, &self.beside].map(|one| {
            let mut threshold = f64::INFINITY;
            one.inspect(&mut |name, value| {
                if name == "ssthresh" {
                    threshold = value;
                }
            });
            (one.decision().window.get(), threshold)
        });
        self.seen.calls += 1;
        self.seen.windows += u64::from(ours.0 != theirs.0);
        self.seen.thresholds += u64::from(ours.1 != theirs.1);
        self.seen.apart += (ours.0 - theirs.0).abs() / ours.0;
        *SEEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.seen);
    }
}

impl Controller for Both {
    fn on_open(&mut self, open: &Open) {
        self.obeyed.on_open(open);
        self.beside.on_open(open);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.beside.on_sent(sent);
        self.obeyed.on_sent(sent)
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.obeyed.on_feedback(feedback);
        self.beside.on_feedback(feedback);
        self.compare();
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.obeyed.on_timeout(timeout);
        self.beside.on_timeout(timeout);
        self.compare();
    }

    fn on_undo(&mut self, now: Time) {
        self.obeyed.on_undo(now);
        self.beside.on_undo(now);
    }

    fn decision(&self) -> Decision {
        self.obeyed.decision()
    }

    fn fault(&self) -> Option<Fault> {
        self.beside.fault()
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.obeyed.inspect(visit);
    }
}

/// Runs a controller and its functions of the kernel beside each other.
fn beside(which: &str, link: &str) -> Seen {
    static ADDED: Once = Once::new();
    static ALONE: Mutex<()> = Mutex::new(());
    ADDED.call_once(|| register(&ENTRY).unwrap());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    narrows_sim::run(&scenario(&one_link(&format!("both?which={which}"), 30, 0, link, "")))
        .unwrap_or_else(|error| panic!("{error}"));
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).expect("a run")
}

const DEEP: &str = "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"2 bdp\"";
const LOSSY: &str =
    "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"\nloss = \"0.01 %\"";
const SHORT: &str = "rate = \"20 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"100 packets\"";
const MARKING: &str = "rate = \"100 Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"200 packets\"\nqueue = \"step?threshold=1\"";

/// Both have one curve, and HyStart finds the same with the kernel's cushion as with ours.
#[test]
fn cubic_decides_the_same_to_the_last_segment() {
    for link in [DEEP, LOSSY, SHORT] {
        let seen = beside("cubic", link);
        assert!(seen.calls > 20_000, "{seen:?}");
        assert_eq!(Seen { calls: 0, ..seen }, Seen::default(), "{link}");
    }
}

/// Both are the kernel's arithmetic. The host's part differs: the phase in which a cycle begins
/// is drawn by each from a stream of its own, and ticks begin and end what our controller times to
/// a microsecond. At most one call in a hundred leaves another window.
#[test]
fn bbr_has_the_same_window_in_99_of_100_calls() {
    for link in [DEEP, LOSSY, SHORT] {
        let seen = beside("bbr", link);
        assert!(seen.calls > 20_000 && seen.windows * 100 < seen.calls, "{seen:?}");
    }
}

/// The kernel has whole segments and thousandths of the share that is marked, RFC 8257 fractions;
/// and what is lost of one in rounding, the other does not lose.
#[test]
fn dctcp_differs_by_what_rounding_leaves() {
    for link in [DEEP, LOSSY, MARKING] {
        let seen = beside("dctcp", link);
        assert!(seen.calls > 20_000 && seen.apart < 0.1 * seen.calls as f64, "{seen:?}");
    }
}
