//! The table at which the agents of a simulation meet who steers them.

use narrows_control::Fault;
use narrows_control::learned::LearnedPreset;
use narrows_units::{Rate, Span, Time};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An agent's observation at the end of an interval.
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
pub(crate) struct Table {
    pub(crate) preset: &'static LearnedPreset,
    /// The first rate of each agent.
    pub(crate) first: Vec<Option<Rate>>,
    /// Several agents decide together at multiples of this time.
    pub(crate) together: Option<Span>,
    /// The observation of each agent, and the actions that came for it.
    pub(crate) shown: Vec<Option<Step>>,
    pub(crate) actions: Vec<f32>,
    /// All have been asked once: from then on all are asked each time.
    pub(crate) begun: bool,
    /// When all were asked last.
    pub(crate) asked: Option<Time>,
    pub(crate) told: Sender<Vec<Step>>,
    pub(crate) answered: Receiver<Vec<f32>>,
}

pub(crate) type Shared = Arc<Mutex<Table>>;

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn gone() -> Fault {
    Fault::new("nobody steers it")
}

impl Table {
    /// Tells what all show, and waits for their actions.
    pub(crate) fn ask(&mut self) -> Result<(), Fault> {
        let steps = self.shown.iter_mut().filter_map(Option::take).collect();
        self.told.send(steps).map_err(|_| gone())?;
        self.actions = self.answered.recv().map_err(|_| gone())?;
        self.begun = true;
        Ok(())
    }

    /// The same for agents that have shown what they saw at `at`; false if some have not begun.
    pub(crate) fn ask_all(&mut self, at: Time) -> Result<bool, Fault> {
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
pub(crate) static TABLES: Mutex<BTreeMap<u64, Shared>> = Mutex::new(BTreeMap::new());
