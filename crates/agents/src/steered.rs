//! Simulations that stop at each interval of their agents until they are told how to go on.

use crate::AgentsError;
use crate::table::{Step, TABLES, Table, locked};
use narrows_control::learned::LearnedPreset;
use narrows_scenario::Scenario;
use narrows_sim::SimError;
use narrows_units::{Rate, Span};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{mem, process};

/// Time between two calls of `go_on` while nothing comes.
const LOOK: Duration = Duration::from_millis(50);

/// A simulation that waits for actions at the end of each interval of its agents.
pub struct Steered {
    number: u64,
    /// The process that has its thread: threads do not survive a fork.
    process: u32,
    /// Behind a lock, so that a steered simulation can be shared; only its owner hears.
    told: Mutex<Receiver<Vec<Step>>>,
    /// `None` while it is being dropped.
    answer: Option<Sender<Vec<f32>>>,
    /// Ends the simulation at its next step.
    stop: Arc<AtomicBool>,
    simulation: Option<JoinHandle<Result<(), SimError>>>,
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
    /// Begins to simulate `scenario` on a thread of its own. For each agent one of its flows has
    /// the controller `agent?simulation=NUMBER&seat=SEAT`, which has one connection; no other
    /// simulation goes by this number that runs now.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn begin(scenario: Scenario, number: u64, agents: Agents) -> Result<Steered, AgentsError> {
        let ((told, hear), (answer, answered)) = (channel(), channel());
        let Agents { preset, first, together } = agents;
        let shown = first.iter().map(|_| None).collect();
        let actions = Vec::new();
        let table = Table {
            preset,
            first,
            together,
            shown,
            actions,
            begun: false,
            asked: None,
            told,
            answered,
        };
        locked(&TABLES).insert(number, Arc::new(Mutex::new(table)));
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let simulate = move || {
            let ended = narrows_sim::run_until(&scenario, &stopped);
            // Nobody sits at it any more: whoever waits hears of the end.
            locked(&TABLES).remove(&number);
            // Its record is of no use: who steers it sees all.
            ended.map(drop)
        };
        let simulation = thread::Builder::new()
            .name(format!("agents {number}"))
            .spawn(simulate)
            .map_err(AgentsError::Thread)?;
        Ok(Steered {
            number,
            process: process::id(),
            told: Mutex::new(hear),
            answer: Some(answer),
            stop,
            simulation: Some(simulation),
        })
    }

    /// Waits until the agents are asked, and returns what each sees; `None` if the simulation has
    /// ended.
    ///
    /// # Errors
    ///
    /// It cannot go on, and why; or this process was forked from the one that began it.
    pub fn steps(&mut self) -> Result<Option<Vec<Step>>, AgentsError> {
        self.steps_while(&mut || Ok(()))
    }

    /// Waits as [`steps`](Steered::steps) does, and calls `go_on` every 50 ms meanwhile.
    ///
    /// # Errors
    ///
    /// The simulation cannot go on, or `go_on` has refused to: the simulation then goes on by
    /// itself until it is dropped.
    pub fn steps_while<E: From<AgentsError>>(
        &mut self,
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Option<Vec<Step>>, E> {
        if self.is_elsewhere() {
            return Err(AgentsError::Forked.into());
        }
        let told = self.told.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            match told.recv_timeout(LOOK) {
                Ok(steps) => return Ok(Some(steps)),
                Err(RecvTimeoutError::Timeout) => go_on()?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match self.simulation.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => Err(AgentsError::Simulation(error).into()),
            _ => Ok(None),
        }
    }

    /// Says what each agent does. Whether the simulation has ended tells [`steps`](Steered::steps).
    pub fn act(&mut self, actions: Vec<f32>) {
        if let Some(answer) = self.answer.as_ref().filter(|_| !self.is_elsewhere()) {
            let _ = answer.send(actions);
        }
    }

    /// True if this process was forked from the one that began the simulation, and so has no thread
    /// of it.
    fn is_elsewhere(&self) -> bool {
        self.process != process::id()
    }
}

impl Drop for Steered {
    fn drop(&mut self) {
        if self.is_elsewhere() {
            // To join a thread that this process does not have would wait for ever, and its ends of
            // the channels may be locked. The table is replaced when the number is next used.
            let told = mem::replace(
                self.told.get_mut().unwrap_or_else(PoisonError::into_inner),
                channel().1,
            );
            mem::forget((told, self.answer.take(), self.simulation.take()));
            return;
        }
        // It ends at its next step, or where it waits for an action, and its table goes with it.
        self.stop.store(true, Ordering::Relaxed);
        self.answer = None;
        if let Some(simulation) = self.simulation.take() {
            let _ = simulation.join();
        }
        locked(&TABLES).remove(&self.number);
    }
}
