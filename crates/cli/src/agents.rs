//! Simulations some of whose connections are steered from outside, step by step: environments for learning.

use crate::error::Failure;
use crate::within::Refused;
use narrows_control::learned::{Chooser, Guided, LearnedPreset, Steering};
use narrows_control::{
    Basis, Build, Built, ByInterval, Course, Entry, Fault, Feedback, Interval, Open, Policy, Reduction, SHORTEST_INTERVAL, Sent, Setup,
    Timeout, register,
};
use narrows_params::{Kind, Need, Params, Spec};
use narrows_path::Trace;
use narrows_scenario::{ReadFile, Scenario};
use narrows_units::{Rate, Span, Time};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, JoinHandle};

/// The name by which scenarios have a flow steered: `agent?simulation=N&seat=0`, where N is the number of [`Steered`] and the seats are those of its agents.
pub const AGENT: &str = "agent";
const SIMULATION: &str = "simulation";
const SEAT: &str = "seat";
/// How long agents that decide together wait for each other: all see the same moment, and each decision holds from this much later. The least there is.
const TOGETHER: Span = Span::from_nanos(1);

const fn number(name: &'static str, help: &'static str) -> Spec {
    Spec { name, kind: Kind::Number { default: 0.0, min: 0.0, max: 9e15, unit: "", whole: true }, help, need: None }
}

static ENTRY: Entry = Entry {
    name: AGENT,
    kernel: None,
    summary: "steered from outside",
    source: "narrows::agents",
    basis: Basis::Model,
    needs: &[Need::Pacing, Need::Outstanding, Need::RateSample],
    numbered: false,
    params: &[number(SIMULATION, "which simulation steers it"), number(SEAT, "which of its agents steers it")],
    build: Build::Function(|setup, params| Ok(Built::new(ByInterval::new(setup, Remote::new(setup, params))))),
};

/// What an agent sees at the end of an interval.
#[derive(Clone, Debug)]
pub struct Step {
    /// As many numbers as the preset has inputs.
    pub observation: Vec<f32>,
    /// The reward of the interval.
    pub reward: f64,
    /// The pacing rate that was in force, if the agent paces.
    pub rate: Option<Rate>,
    /// The window that was in force, in segments.
    pub window: f64,
    /// When the interval ended, since the simulation began.
    pub now: Time,
}

/// Where the agents of a simulation meet who steers them.
struct Table {
    preset: &'static LearnedPreset,
    /// The first rate of each agent.
    first: Vec<Option<Rate>>,
    /// Several agents decide together at multiples of this time.
    together: Option<Span>,
    /// What each shows, and the actions that came for it.
    shown: Vec<Option<Step>>,
    actions: Vec<f32>,
    /// All have been asked once: from then on all are asked each time.
    begun: bool,
    /// When all were asked last.
    asked: Option<Time>,
    told: Sender<Vec<Step>>,
    answered: Receiver<Vec<f32>>,
}

type Shared = Arc<Mutex<Table>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone() -> Fault {
    Fault::new("nobody steers it")
}

impl Table {
    /// Tells what all show, and waits for their actions.
    fn ask(&mut self) -> Result<(), Fault> {
        let steps = self.shown.iter_mut().filter_map(Option::take).collect();
        self.told.send(steps).map_err(|_| gone())?;
        self.actions = self.answered.recv().map_err(|_| gone())?;
        self.begun = true;
        Ok(())
    }

    /// The same for agents that have shown what they saw at `at`; false if some have not begun.
    fn ask_all(&mut self, at: Time) -> Result<bool, Fault> {
        if self.asked == Some(at) {
            return Ok(true);
        }
        if self.shown.iter().any(Option::is_none) {
            self.shown.fill(None);
            return Ok(false);
        }
        self.asked = Some(at);
        self.ask().map(|()| true)
    }
}

/// The tables at which agents have not sat down.
static TABLES: Mutex<BTreeMap<u64, Shared>> = Mutex::new(BTreeMap::new());

/// The policy of a steered connection. It sits down when its connection begins: controllers are also made to see whether they can be.
enum Remote {
    Standing { simulation: u64, seat: usize, setup: Setup },
    Alone(Guided<Seat>),
    Together(Member),
    Nobody,
}

/// An agent that decides for itself.
struct Seat {
    table: Shared,
    /// What was in force in the interval.
    window: f64,
    now: Time,
}

/// An agent that decides at the same time as others.
struct Member {
    table: Shared,
    seat: usize,
    steering: Box<dyn Steering>,
    every: Span,
    /// When it showed what it saw, if its action has not come yet.
    shown: Option<Time>,
}

fn step(steering: &dyn Steering, reward: f64, window: f64, now: Time) -> Step {
    Step { observation: steering.observation().to_vec(), reward, rate: steering.rate(), window, now }
}

impl Chooser for Seat {
    fn choose(&mut self, steering: &dyn Steering) -> Result<f32, Fault> {
        let mut table = locked(&self.table);
        table.shown[0] = Some(step(steering, steering.reward(), self.window, self.now));
        table.ask()?;
        table.actions.first().copied().ok_or_else(gone)
    }
}

impl Member {
    fn decide(&mut self, interval: &Interval) {
        let shows = self.steering.observe(interval);
        let mut table = locked(&self.table);
        // Once all take part, one that has nothing to show shows what it last did.
        if shows || table.begun {
            let reward = if shows { self.steering.reward() } else { 0.0 };
            table.shown[self.seat] = Some(step(&*self.steering, reward, interval.window, interval.now));
        }
        self.shown = Some(interval.now);
    }

    fn late(&mut self) -> Result<Option<Course>, Fault> {
        let Some(at) = self.shown.take() else { return Ok(None) };
        let action = {
            let mut table = locked(&self.table);
            if !table.ask_all(at)? {
                return Ok(None);
            }
            table.actions.get(self.seat).copied().ok_or_else(gone)?
        };
        Ok(Some(self.steering.act(action)))
    }

    /// The next multiple of its time that is not too close.
    fn next(&self, now: Time) -> Time {
        let (least, every) = ((now + SHORTEST_INTERVAL).as_nanos(), self.every.as_nanos());
        Time::from_nanos(least.div_ceil(every) * every)
    }
}

impl Remote {
    fn new(setup: &Setup, params: &Params) -> Remote {
        let number = |name| params.text(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() as u64;
        Remote::Standing { simulation: number(SIMULATION), seat: number(SEAT) as usize, setup: *setup }
    }

    /// Takes its place at the table.
    fn sit_down(&mut self) {
        let Remote::Standing { simulation, seat, setup } = self else { return };
        let (seat, setup) = (*seat, *setup);
        let table = locked(&TABLES).get(simulation).cloned();
        *self = table.and_then(|table| Remote::at(table, seat, &setup)).unwrap_or(Remote::Nobody);
    }

    fn at(table: Shared, seat: usize, setup: &Setup) -> Option<Remote> {
        let (preset, first, together) = {
            let table = locked(&table);
            (table.preset, *table.first.get(seat)?, table.together)
        };
        let steering = (preset.begin)(setup, first);
        Some(match together {
            Some(every) => Remote::Together(Member { table, seat, steering, every, shown: None }),
            None => Remote::Alone(Guided::new(steering, preset.interval, Seat { table, window: 0.0, now: Time::ZERO })),
        })
    }
}

impl Policy for Remote {
    fn decide(&mut self, interval: &Interval) -> Result<Option<Course>, Fault> {
        match self {
            Remote::Alone(alone) => {
                let seat = alone.chooser();
                (seat.window, seat.now) = (interval.window, interval.now);
                alone.decide(interval)
            }
            Remote::Together(member) => {
                member.decide(interval);
                Ok(None)
            }
            Remote::Standing { .. } | Remote::Nobody => Err(gone()),
        }
    }

    fn next(&self, now: Time, srtt: Span) -> Option<Time> {
        match self {
            Remote::Alone(alone) => alone.next(now, srtt),
            Remote::Together(member) => Some(member.next(now)),
            Remote::Standing { .. } | Remote::Nobody => Some(now + srtt),
        }
    }

    fn on_open(&mut self, open: &Open) {
        self.sit_down();
        match self {
            Remote::Alone(alone) => alone.on_open(open),
            Remote::Together(member) => member.steering.on_open(open),
            Remote::Standing { .. } | Remote::Nobody => {}
        }
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.sit_down();
        match self {
            Remote::Alone(alone) => alone.on_sent(sent),
            Remote::Together(member) => member.steering.on_sent(sent),
            Remote::Standing { .. } | Remote::Nobody => {}
        }
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>, seen: &Interval) -> Result<Option<Course>, Fault> {
        match self {
            Remote::Alone(alone) => alone.on_feedback(feedback, seen),
            Remote::Together(member) => Ok(member.steering.on_feedback(feedback, seen)),
            Remote::Standing { .. } | Remote::Nobody => Err(gone()),
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Result<Option<Course>, Fault> {
        match self {
            Remote::Alone(alone) => alone.on_timeout(timeout, seen),
            Remote::Together(member) => Ok(member.steering.on_timeout(timeout, seen)),
            Remote::Standing { .. } | Remote::Nobody => Ok(None),
        }
    }

    fn on_undo(&mut self, now: Time, seen: &Interval) -> Result<Option<Course>, Fault> {
        match self {
            Remote::Alone(alone) => alone.on_undo(now, seen),
            Remote::Together(member) => Ok(member.steering.on_undo(now)),
            Remote::Standing { .. } | Remote::Nobody => Ok(None),
        }
    }

    fn due(&self) -> Option<Time> {
        match self {
            Remote::Together(member) => member.shown.map(|shown| shown + TOGETHER),
            _ => None,
        }
    }

    fn late(&mut self) -> Result<Option<Course>, Fault> {
        match self {
            Remote::Together(member) => member.late(),
            _ => Ok(None),
        }
    }

    fn reduction(&self) -> Reduction {
        match self {
            Remote::Alone(alone) => alone.reduction(),
            Remote::Together(member) => member.steering.reduction(),
            Remote::Standing { .. } | Remote::Nobody => Reduction::Immediate,
        }
    }
}

/// A simulation that waits for actions at the end of each interval of its agents.
pub struct Steered {
    number: u64,
    /// Behind a lock, so that a steered simulation can be shared; only its owner hears.
    told: Mutex<Receiver<Vec<Step>>>,
    /// `None` while it is being dropped.
    answer: Option<Sender<Vec<f32>>>,
    simulation: Option<JoinHandle<Result<(), String>>>,
}

/// The agents of a simulation.
pub struct Agents {
    /// How they see and act.
    pub preset: &'static LearnedPreset,
    /// The first rate of each, as [`LearnedPreset::begin`] has it.
    pub first: Vec<Option<Rate>>,
    /// Several agents decide together at multiples of this time, a single one by itself without it.
    pub together: Option<Span>,
}

impl Steered {
    /// Begins to simulate `scenario` on a thread of its own. For each agent one of its flows has the controller `agent?simulation=NUMBER&seat=SEAT`, which has one
    /// connection; no other simulation goes by this number that runs now.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn begin(scenario: Scenario, number: u64, agents: Agents) -> Result<Steered, Refused> {
        let ((told, hear), (answer, answered)) = (channel(), channel());
        let Agents { preset, first, together } = agents;
        let (shown, actions) = (first.iter().map(|_| None).collect(), Vec::new());
        let table = Table { preset, first, together, shown, actions, begun: false, asked: None, told, answered };
        locked(&TABLES).insert(number, Arc::new(Mutex::new(table)));
        let simulate = move || {
            let ended = narrows_sim::run(&scenario);
            // Nobody sits at it any more: whoever waits hears of the end.
            locked(&TABLES).remove(&number);
            // Its record is of no use: who steers it sees all.
            ended.map(drop).map_err(|error| error.to_string())
        };
        let started = thread::Builder::new().name(format!("agents {number}")).spawn(simulate);
        let simulation =
            started.map_err(|error| Failure::Other(format!("a thread cannot be started: {error}; take fewer environments")))?;
        Ok(Steered { number, told: Mutex::new(hear), answer: Some(answer), simulation: Some(simulation) })
    }

    /// Waits until the agents are asked, and returns what each sees; `None` if the simulation has ended.
    ///
    /// # Errors
    ///
    /// It cannot go on, and why.
    pub fn steps(&mut self) -> Result<Option<Vec<Step>>, Refused> {
        if let Ok(steps) = self.told.get_mut().unwrap_or_else(PoisonError::into_inner).recv() {
            return Ok(Some(steps));
        }
        match self.simulation.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => Err(Failure::Other(format!("the environment: {error}")).into()),
            _ => Ok(None),
        }
    }

    /// Says what each agent does. Whether the simulation has ended tells [`steps`](Steered::steps).
    pub fn act(&mut self, actions: Vec<f32>) {
        if let Some(answer) = &self.answer {
            let _ = answer.send(actions);
        }
    }
}

impl Drop for Steered {
    fn drop(&mut self) {
        // It ends when it next waits for an action, and its table goes with it.
        self.answer = None;
        if let Some(simulation) = self.simulation.take() {
            let _ = simulation.join();
        }
        locked(&TABLES).remove(&self.number);
    }
}

/// A file of recorded capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its text.
    pub text: String,
    /// How long it is, until it repeats or its last rate begins.
    pub length: Span,
    /// Its mean rate until then.
    pub mean: Rate,
}

impl Recorded {
    /// Reads a file, in either of the formats that scenarios take.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no such file: the file, the line and a remedy.
    pub fn read(path: &Path) -> Result<Recorded, String> {
        let text = narrows_scenario::read_named(path)
            .map_err(|error| format!("the trace {} cannot be read: {error}; give the path of a text file", path.display()))?;
        let trace =
            Trace::parse(&text).map_err(|error| format!("{}:{}: {}; {}", path.display(), error.line, error.problem, error.remedy))?;
        let length = match &trace {
            Trace::Opportunities { period, .. } => *period,
            Trace::Steps(steps) => steps.last().map_or(Span::ZERO, |(time, _)| time.since(Time::ZERO)),
        };
        // Of a single rate the first second shows it.
        let shown = if length.is_zero() { Span::from_secs(1) } else { length };
        let mean = Rate::of(trace.capacity(Time::ZERO + shown), shown);
        Ok(Recorded { text, length, mean })
    }
}

/// Reads a scenario with steered flows, and the files that it names by `read`.
///
/// # Errors
///
/// It is no scenario: place, value and remedy.
pub fn scenario(text: &str, read: &ReadFile<'_>) -> Result<Scenario, Refused> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| register(&ENTRY).expect("a name of our own"));
    Ok(narrows_scenario::parse(text, "the environment", read).map_err(Failure::Scenario)?)
}
