//! The kernel's CUBIC as functions that a BPF program calls, beside our own: both hear of the same
//! connection, which obeys ours.

use crate::common::{one_link, scenario};
use narrows_bpf::files;
use narrows_control::{
    Basis, Build, Built, Choice, Controller, Decision, Entry, Fault, Feedback, Open, Sent, Session,
    Setup, Tag, Timeout,
};
use narrows_params::{Need, ParamError, Params};
use narrows_units::Time;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A controller that is obeyed, and one beside it.
struct Both {
    obeyed: Box<dyn Controller>,
    beside: Box<dyn Controller>,
    seen: Seen,
}

/// The result of the latest run.
static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

/// How far two controllers were apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Calls after which both were asked for their window.
    calls: u64,
    /// Those after which the windows differed.
    windows: u64,
    /// Those after which the thresholds differed.
    thresholds: u64,
}

static ENTRY: Entry = Entry {
    name: "both",
    kernel: None,
    summary: "CUBIC and the kernel's functions of it",
    source: "this file",
    basis: Basis::Loss,
    needs: &[Need::Outstanding, Need::RateSample, Need::Pacing],
    numbered: false,
    params: &[],
    build: Build::Function(build),
};

fn build(setup: &Setup, _params: &Params) -> Result<Built, ParamError> {
    let object = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects/forward.bpf.o");
    let entry = files::entry(&Session::current(), &object.display().to_string())
        .unwrap_or_else(|error| panic!("{error}"));
    let choice = |text: &str| text.parse::<Choice>()?.build(setup);
    let obeyed = choice("cubic")?;
    let beside = choice(&format!("{}?ops=cubic_again", entry.name()))?;
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

/// Runs CUBIC and the kernel's functions of it beside each other.
fn beside(link: &str) -> Seen {
    static ALONE: Mutex<()> = Mutex::new(());
    let session = Session::default();
    session.register(&ENTRY).unwrap();
    let _session = session.enter();
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    narrows_sim::run(&scenario(&one_link("both", 30, 0, link, "")))
        .unwrap_or_else(|error| panic!("{error}"));
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).expect("a run")
}

const DEEP: &str = "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"2 bdp\"";
const LOSSY: &str =
    "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"\nloss = \"0.01 %\"";
const SHORT: &str = "rate = \"20 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"100 packets\"";

/// Both have one curve and one HyStart, which finds the same with the kernel's pacing rate as with
/// the one that we derive.
#[test]
fn cubic_decides_the_same_to_the_last_segment() {
    for link in [DEEP, LOSSY, SHORT] {
        let seen = beside(link);
        assert!(seen.calls > 20_000, "{seen:?}");
        assert_eq!(Seen { calls: 0, ..seen }, Seen::default(), "{link}");
    }
}
