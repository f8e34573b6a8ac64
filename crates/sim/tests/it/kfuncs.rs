//! The kernel's controllers as functions that a BPF program calls, beside our own of the same name: both hear of the same connection, which obeys ours.

use crate::common::{one_link, scenario};
use narrows_bpf::files;
use narrows_control::{Basis, Build, Built, Choice, Controller, Decision, Entry, Fault, Feedback, Open, Sent, Setup, Tag, Timeout, register};
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::Time;
use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};

/// A controller that is obeyed, and one beside it.
struct Both {
    obeyed: Box<dyn Controller>,
    beside: Box<dyn Controller>,
    /// Calls after which both were asked for their window.
    calls: u64,
    /// Those after which the windows differed, and those by more than a segment.
    differed: [u64; 2],
    /// Calls after which the thresholds differed.
    thresholds: u64,
    first: Option<Time>,
}

/// What the latest run came to.
static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

#[derive(Clone, Copy, Debug)]
struct Seen {
    calls: u64,
    differed: [u64; 2],
    thresholds: u64,
    first: Option<Time>,
}

const WHICH: Param<&str> =
    Param::choice("which", "cubic", &[("cubic", "cubic"), ("bbr", "bbr"), ("dctcp", "dctcp")], "the controller that is run twice");

static ENTRY: Entry = Entry {
    name: "both",
    kernel: None,
    summary: "a controller and the kernel's functions of it",
    source: "this file",
    basis: Basis::Loss,
    needs: &[Need::RateSample, Need::Pacing, Need::EcnCounts],
    numbered: false,
    params: &[WHICH.spec],
    build: Build::Function(build),
};

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    let object = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf/tests/objects/forward.bpf.o");
    let entry = files::entry(&object.display().to_string()).unwrap_or_else(|error| panic!("{error}"));
    let which = params.get(&WHICH);
    let choice = |text: String| text.parse::<Choice>()?.build(setup);
    let (obeyed, beside) = (choice(which.to_owned())?, choice(format!("{}?ops={which}_again", entry.name))?);
    Ok(Built::new(Both { obeyed, beside, calls: 0, differed: [0; 2], thresholds: 0, first: None }))
}

impl Both {
    fn compare(&mut self, now: Time) {
        let [ours, theirs] = [&self.obeyed, &self.beside].map(|one| {
            let mut threshold = f64::INFINITY;
            one.inspect(&mut |name, value| {
                if name == "ssthresh" {
                    threshold = value;
                }
            });
            (one.decision().window.get(), threshold)
        });
        self.calls += 1;
        let apart = (ours.0 - theirs.0).abs();
        self.differed[0] += u64::from(apart > 0.0);
        self.differed[1] += u64::from(apart > 1.0);
        self.thresholds += u64::from(ours.1 != theirs.1);
        if apart > 0.0 || ours.1 != theirs.1 {
            self.first.get_or_insert(now);
        }
        let Both { calls, differed, thresholds, first, .. } = *self;
        *SEEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Seen { calls, differed, thresholds, first });
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
        self.compare(feedback.now);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.obeyed.on_timeout(timeout);
        self.beside.on_timeout(timeout);
        self.compare(timeout.now);
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
    narrows_sim::run(&scenario(&one_link(&format!("both?which={which}"), 30, 0, link, ""))).unwrap_or_else(|error| panic!("{error}"));
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).expect("a run")
}

#[test]
fn explore() {
    for which in ["cubic", "dctcp", "bbr"] {
        for link in [
            "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"2 bdp\"",
            "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"\nloss = \"0.01 %\"",
            "rate = \"20 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"100 packets\"\nqueue = \"step?threshold=1\"",
        ] {
            eprintln!("{which} {link:?}: {:?}", beside(which, link));
        }
    }
}
