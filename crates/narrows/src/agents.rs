//! Simulations that somebody steers from outside, interval by interval: environments for learning.

use crate::error::Failure;
use crate::within::Refused;
use narrows_control::{Basis, Build, Built, ByInterval, Course, Entry, Fault, Interval, Policy, register};
use narrows_params::{Kind, Need, Params, Spec};
use narrows_scenario::Scenario;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{self, JoinHandle};

/// The name by which scenarios have a flow steered: `agent?number=N`, where N is that of [`Steered`].
pub const AGENT: &str = "agent";
const NUMBER: &str = "number";

static ENTRY: Entry = Entry {
    name: AGENT,
    kernel: None,
    summary: "steered from outside, once per round trip",
    source: "narrows::agents",
    basis: Basis::Model,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[Spec {
        name: NUMBER,
        kind: Kind::Number { default: 0.0, min: 0.0, max: 9e15, unit: "", whole: true },
        help: "which simulation steers it",
        need: None,
    }],
    build: Build::Function(|setup, params| Ok(Built::new(ByInterval::new(setup, Remote::new(params))))),
};

/// What passes between a simulation and who steers it.
struct Line {
    told: Sender<Interval>,
    course: Receiver<Course>,
}

/// The ends that wait for the connection that they are for.
static LINES: Mutex<BTreeMap<u64, Line>> = Mutex::new(BTreeMap::new());

/// The policy of a steered connection: it asks, and waits. It takes its line when it first asks: controllers are also made to see whether they can be.
struct Remote {
    number: u64,
    line: Option<Line>,
}

impl Remote {
    fn new(params: &Params) -> Remote {
        let number = params.text(NUMBER).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() as u64;
        Remote { number, line: None }
    }
}

impl Policy for Remote {
    fn decide(&mut self, interval: &Interval) -> Result<Course, Fault> {
        let gone = || Fault::new("nobody steers it");
        if self.line.is_none() {
            self.line = LINES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
        }
        let line = self.line.as_ref().ok_or_else(gone)?;
        line.told.send(*interval).map_err(|_| gone())?;
        line.course.recv().map_err(|_| gone())
    }
}

/// A simulation that waits at the end of each interval of one of its connections.
pub struct Steered {
    number: u64,
    /// Behind a lock, so that a steered simulation can be shared; only its owner hears.
    told: Mutex<Receiver<Interval>>,
    /// `None` while it is being dropped.
    course: Option<Sender<Course>>,
    simulation: Option<JoinHandle<()>>,
}

impl Steered {
    /// Begins to simulate `scenario` on a thread of its own. One of its flows has the controller `agent?number=NUMBER`, by which no other simulation goes that runs
    /// now; it has one connection.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn begin(scenario: Scenario, number: u64) -> Result<Steered, Refused> {
        let ((told, hear), (answer, course)) = (channel(), channel());
        LINES.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Line { told, course });
        let simulate = move || {
            // Its record is of no use: who steers it sees all, and ends it.
            let _ = narrows_sim::run(&scenario);
        };
        let started = thread::Builder::new().name(format!("agent {number}")).spawn(simulate);
        let simulation =
            started.map_err(|error| Failure::Other(format!("a thread cannot be started: {error}; take fewer environments")))?;
        Ok(Steered { number, told: Mutex::new(hear), course: Some(answer), simulation: Some(simulation) })
    }

    /// Waits for the end of the interval that runs; `None` if the simulation has ended.
    pub fn interval(&mut self) -> Option<Interval> {
        self.told.get_mut().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }

    /// Says what holds in the interval that follows. Whether it has ended tells [`interval`](Steered::interval).
    pub fn steer(&mut self, course: Course) {
        if let Some(answer) = &self.course {
            let _ = answer.send(course);
        }
    }
}

impl Drop for Steered {
    fn drop(&mut self) {
        self.course = None;
        // Nobody has taken it if the scenario has no flow of this number.
        LINES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
        if let Some(simulation) = self.simulation.take() {
            let _ = simulation.join();
        }
    }
}

/// Reads a scenario with steered flows.
///
/// # Errors
///
/// It is no scenario: place, value and remedy.
pub fn scenario(text: &str) -> Result<Scenario, Refused> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| register(&ENTRY).expect("a name of our own"));
    Ok(narrows_scenario::parse(text, "the environment", &narrows_scenario::read_named).map_err(Failure::Scenario)?)
}
