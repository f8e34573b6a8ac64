//! A CUBIC with a fault is caught, each fault by the criterion that is about it.

use narrows_control::{
    Awaited, Build, Built, Controller, Decision, ENTRIES, Entry, Feedback, Open, Sent, Session,
    Setup, Tag, Timeout,
};
use narrows_evidence::check::{Check, CriterionVerdict, Kept, Options, Run, Standing, report};
use narrows_evidence::judge::Level;
use narrows_evidence::suite::{Players, Scope, rfc9743};
use narrows_params::{ParamError, Params};
use narrows_units::{Segments, Time};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fault of the controller.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// Its window is never below 150 segments, whatever is lost.
    Stubborn,
    /// It sends as four flows would.
    Greedy,
    /// After a timeout its window stays at two segments.
    Stuck,
    /// Its window is never above 32 segments.
    Capped,
    /// It does not take back reductions that were not called for.
    Unforgiving,
}

/// CUBIC with a fault.
struct Broken {
    inner: Box<dyn Controller>,
    fault: Fault,
    timed_out: bool,
}

impl Controller for Broken {
    fn on_open(&mut self, open: &Open) {
        self.inner.on_open(open);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.inner.on_sent(sent)
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let mut feedback = *feedback;
        if self.fault == Fault::Unforgiving {
            feedback.undone = false;
        }
        self.inner.on_feedback(&feedback);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.timed_out = true;
        self.inner.on_timeout(timeout);
    }

    fn on_undo(&mut self, now: Time) {
        if self.fault != Fault::Unforgiving {
            self.inner.on_undo(now);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn on_timer(&mut self, now: Time) {
        self.inner.on_timer(now);
    }

    fn decision(&self) -> Decision {
        let own = self.inner.decision();
        let window = own.window.get();
        let window = match self.fault {
            Fault::Stubborn => window.max(150.0),
            Fault::Greedy => 4.0 * window,
            Fault::Capped => window.min(32.0),
            Fault::Stuck if self.timed_out => 2.0,
            _ => window,
        };
        Decision { window: Segments::new(window), ..own }
    }

    fn decide(&self, decision: &mut Decision) -> Awaited {
        *decision = self.decision();
        self.next_timer().map_or(Awaited::Event, Awaited::Timer)
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.inner.inspect(visit);
    }
}

fn broken(setup: &Setup, fault: Fault) -> Result<Built, ParamError> {
    let cubic = "cubic".parse::<narrows_control::Choice>()?;
    Ok(Built::new(Broken { inner: cubic.build(setup)?, fault, timed_out: false }))
}

/// The entry of CUBIC with another name and a fault.
macro_rules! entry {
    ($name:literal, $fault:expr) => {{
        static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
        ENTRY.get_or_init(|| {
            let cubic = ENTRIES.iter().find(|entry| entry.name == "cubic").expect("one of ours");
            let build = |setup: &Setup, _: &Params| broken(setup, $fault);
            Entry {
                name: $name,
                kernel: None,
                params: &[],
                build: Build::Function(build),
                ..**cubic
            }
        })
    }};
}

/// The verdict of one criterion on a controller, by the quick grids.
fn verdict(controller: &str, criterion: &str) -> Level {
    let own = judged(controller, criterion);
    match own.standing {
        Standing::Judged(level) => level,
        _ => panic!("{criterion} was not judged"),
    }
}

fn judged(controller: &str, criterion: &str) -> CriterionVerdict {
    let players = Players {
        subject: controller.to_owned(),
        baselines: vec!["newreno".to_owned(), "cubic".to_owned()],
        program: false,
    };
    let options = Options {
        quick: true,
        scope: Scope::Internet,
        only: vec![criterion.to_owned()],
        seeds: None,
        first_seed: 1,
        signals: false,
    };
    let check =
        Check::new(rfc9743().unwrap(), players, options).unwrap_or_else(|error| panic!("{error}"));
    let mut made: BTreeMap<Run, Kept> = BTreeMap::new();
    let mut wanted = check.first();
    while !wanted.is_empty() {
        made.extend(carried_out(&check, &wanted));
        wanted = check.further(&|run| made.get(&run).cloned());
    }
    let mut criteria = report(&check, &|run| made.get(&run).cloned()).criteria;
    assert_eq!(criteria.len(), 1);
    criteria.remove(0)
}

fn carried_out(check: &Check, runs: &[Run]) -> Vec<(Run, Kept)> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let session = Session::current();
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let _session = session.enter();
                while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let scenario = check.scenario(*run).unwrap_or_else(|error| panic!("{error}"));
                    let record = narrows_sim::run(&scenario)
                        .unwrap_or_else(|error| panic!("{}: {error}", check.describe(*run)));
                    made.lock().unwrap().push((*run, check.keep(*run, &record)));
                }
            });
        }
    });
    made.into_inner().unwrap()
}

/// The rate of PCC in the kernel does not depend on feedback while none comes: 198 packets leave in
/// 20 s, where those of a timeout that doubles are 2.
#[test]
fn a_sender_that_goes_on_without_feedback_fails_and_others_do_not() {
    assert_eq!(verdict("pcc-vivace", "collapse"), Level::Fail);
    for controller in ["bbr", "bbr3", "vivace"] {
        assert!(verdict(controller, "collapse") < Level::Fail, "{controller}");
    }
}

/// Vivace numbers its transmissions, so that receivers cannot acknowledge a part of one.
#[test]
fn a_grid_that_a_controller_cannot_run_in_is_named() {
    let own = judged("vivace", "misbehave");
    assert!(matches!(own.standing, Standing::Judged(_)));
    let [grid] = &own.left_out[..] else { panic!("{:?}", own.left_out) };
    assert!(grid.starts_with("misbehave-receivers: vivace cannot run in it: "), "{grid}");
    assert!(judged("newreno", "misbehave").left_out.is_empty());
}

/// Run by `make long`.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn each_fault_is_caught_by_the_criterion_that_is_about_it() {
        let faults = [
            (entry!("stubborn-cubic", Fault::Stubborn), "loss", Level::Fail),
            (entry!("greedy-cubic", Fault::Greedy), "mixed-short", Level::Fail),
            (entry!("stuck-cubic", Fault::Stuck), "transient", Level::Concern),
            (entry!("capped-cubic", Fault::Capped), "wired", Level::Concern),
            (entry!("unforgiving-cubic", Fault::Unforgiving), "reorder", Level::Concern),
        ];
        let session = Session::default();
        let _session = session.enter();
        for (entry, criterion, expected) in faults {
            session.register(entry).unwrap();
            assert_eq!(verdict(entry.name, criterion), expected, "{} by {criterion}", entry.name);
        }
    }
}
