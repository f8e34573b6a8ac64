//! Controllers that are loaded into the kernel for a run, and unloaded at its end. With `replay` native code decides their calls again
//! during the run.

use crate::error::LiveError;
use crate::plan::{Plan, PlannedController};
use narrows_kernel::{KernelError, Loaded, Replayer, Tally};
use narrows_measure::Replayed;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a record may wait to be read when none came for a while.
const READ_INTERVAL: Duration = Duration::from_millis(20);

/// How often a plan is made anew because another run has taken a name.
const ATTEMPTS: usize = 20;

/// Controllers that are loaded until this is dropped, each with a thread that replays its calls if that is wanted.
pub struct LoadedControllers {
    loaded: Vec<Loaded>,
    replaying: Vec<JoinHandle<(String, Tally)>>,
    over: Arc<AtomicBool>,
}

impl LoadedControllers {
    /// Makes a plan and loads its controllers. If another run is faster to take a name, it makes the plan anew, which then avoids that
    /// name.
    ///
    /// # Errors
    ///
    /// Those of the plan, and those of [`load`](LoadedControllers::load).
    pub fn load_planned(mut plan: impl FnMut() -> Result<Plan, LiveError>, replay: bool) -> Result<(Plan, LoadedControllers), LiveError> {
        let mut attempts = 1..ATTEMPTS;
        loop {
            let plan = plan()?;
            match LoadedControllers::load(&plan.controllers, replay) {
                Err(LiveError::Kernel(KernelError::NameTaken { .. })) if attempts.next().is_some() => {}
                loaded => return Ok((plan, loaded?)),
            }
        }
    }

    /// Loads controllers.
    ///
    /// # Errors
    ///
    /// The kernel refuses one, or there is none to replay.
    pub fn load(controllers: &[PlannedController], replay: bool) -> Result<LoadedControllers, LiveError> {
        if replay && controllers.is_empty() {
            return Err(LiveError::NothingToReplay);
        }
        let loaded = controllers.iter().map(|one| Loaded::new(one.twin, &one.constants, &one.name)).collect::<Result<_, _>>()?;
        let mut all = LoadedControllers { loaded, replaying: Vec::new(), over: Arc::default() };
        if replay {
            let replaying = all.loaded.drain(..).zip(controllers).map(|(loaded, controller)| {
                let (over, replayer) = (all.over.clone(), Replayer::new(controller.twin, &controller.constants));
                std::thread::spawn(move || replay_all(&loaded, replayer, &over))
            });
            all.replaying = replaying.collect();
        }
        Ok(all)
    }

    /// The results of the replay, after the last connection; none if there was no replay.
    pub fn finish(mut self) -> Vec<Replayed> {
        self.join().into_iter().map(|(controller, tally)| replayed(controller, &tally)).collect()
    }

    fn join(&mut self) -> Vec<(String, Tally)> {
        self.over.store(true, Ordering::Relaxed);
        let joined = self.replaying.drain(..).map(JoinHandle::join);
        joined.map(|joined| joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    }
}

impl Drop for LoadedControllers {
    fn drop(&mut self) {
        self.join();
    }
}

fn replay_all(loaded: &Loaded, mut replayer: Replayer, over: &AtomicBool) -> (String, Tally) {
    loaded.record(true);
    loop {
        // Read before the last look, which then finds all that was recorded until the end.
        let last = over.load(Ordering::Relaxed);
        loaded.records(READ_INTERVAL, |record| replayer.feed(record));
        if last {
            return (loaded.name().to_owned(), replayer.tally().clone());
        }
    }
}

fn replayed(controller: String, tally: &Tally) -> Replayed {
    let first = tally.first.as_ref().map_or(String::new(), ToString::to_string);
    Replayed { controller, calls: tally.replayed, connections: tally.connections, missed: tally.missed, unequal: tally.unequal, first }
}
