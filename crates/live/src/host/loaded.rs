//! Controllers that are loaded into the kernel for a run, and unloaded at its end. With `replay`,
//! their decisions are recomputed during the run: by native code for controllers of narrows, by the
//! simulator's BPF machine for controllers from files.

use crate::error::LiveError;
use crate::plan::{Plan, Planned, PlannedController};
use narrows_bpf::recording::{MISSED, RING, Recording, Replay};
use narrows_kernel::{KernelError, Loaded, LoadedFile, Replayer, Tally};
use narrows_measure::Replayed;
use rustix::time::{ClockId, clock_getres};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longest time that a record waits to be read after a pause in records.
const READ_INTERVAL: Duration = Duration::from_millis(20);

/// Most attempts to make a plan while other runs take its names.
const ATTEMPTS: usize = 20;

/// Controllers that are loaded until this value is dropped. Each has a thread that replays its
/// calls, if requested.
pub struct LoadedControllers {
    /// Controllers that are not replayed.
    _held: Vec<Box<dyn Send>>,
    replaying: Vec<JoinHandle<Replayed>>,
    over: Arc<AtomicBool>,
}

impl LoadedControllers {
    /// Makes a plan and loads its controllers. If another run takes a name first, makes a new plan,
    /// which avoids this name.
    ///
    /// # Errors
    ///
    /// Errors of the plan, and of [`load`](LoadedControllers::load).
    pub fn load_planned(
        mut plan: impl FnMut() -> Result<Plan, LiveError>,
        replay: bool,
    ) -> Result<(Plan, LoadedControllers), LiveError> {
        let mut attempts = 1..ATTEMPTS;
        loop {
            let plan = plan()?;
            match LoadedControllers::load(&plan.controllers, replay) {
                Err(LiveError::Kernel(KernelError::NameTaken { .. }))
                    if attempts.next().is_some() => {}
                loaded => return Ok((plan, loaded?)),
            }
        }
    }

    /// Loads controllers.
    ///
    /// # Errors
    ///
    /// The kernel refuses a controller, or no controller can be replayed.
    pub fn load(
        controllers: &[PlannedController],
        replay: bool,
    ) -> Result<LoadedControllers, LiveError> {
        if replay && controllers.is_empty() {
            return Err(LiveError::NothingToReplay);
        }
        let mut all =
            LoadedControllers { _held: Vec::new(), replaying: Vec::new(), over: Arc::default() };
        for PlannedController { what, name } in controllers {
            match (what, replay) {
                (Planned::Core { twin, constants }, false) => {
                    all.hold(Loaded::new(twin, constants, name)?)
                }
                (Planned::File { program, .. }, false) => all.hold(LoadedFile::new(program, name)?),
                (Planned::Core { twin, constants }, true) => {
                    let (loaded, replayer) =
                        (Loaded::new(twin, constants, name)?, Replayer::new(twin, constants));
                    all.spawn(move |over| replay_all(&loaded, replayer, over));
                }
                (Planned::File { choice, .. }, true) => {
                    let Recording { program, replay } = Recording::of(choice, ticks_per_second())
                        .map_err(LiveError::NotRecorded)?;
                    let loaded = LoadedFile::new(&program, name)?;
                    all.spawn(move |over| replay_file(&loaded, replay, over));
                }
            }
        }
        Ok(all)
    }

    fn hold(&mut self, loaded: impl Send + 'static) {
        self._held.push(Box::new(loaded));
    }

    fn spawn(&mut self, work: impl FnOnce(&AtomicBool) -> Replayed + Send + 'static) {
        let over = self.over.clone();
        self.replaying.push(std::thread::spawn(move || work(&over)));
    }

    /// Returns the results of the replay after the last connection; empty without replay.
    pub fn finish(mut self) -> Vec<Replayed> {
        self.join()
    }

    fn join(&mut self) -> Vec<Replayed> {
        self.over.store(true, Ordering::Relaxed);
        let joined = self.replaying.drain(..).map(JoinHandle::join);
        joined
            .map(|joined| joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    }
}

impl Drop for LoadedControllers {
    fn drop(&mut self) {
        self.join();
    }
}

fn replay_all(loaded: &Loaded, mut replayer: Replayer, over: &AtomicBool) -> Replayed {
    loaded.record(true);
    loop {
        // Read the flag before the last records, which then include all up to the end.
        let last = over.load(Ordering::Relaxed);
        loaded.records(READ_INTERVAL, |record| replayer.feed(record));
        if last {
            return replayed(loaded.name().to_owned(), replayer.tally());
        }
    }
}

fn replayed(controller: String, tally: &Tally) -> Replayed {
    let first = tally.first.as_ref().map_or(String::new(), ToString::to_string);
    let Tally { replayed, connections, missed, unequal, .. } = *tally;
    Replayed {
        controller,
        calls: replayed,
        connections,
        missed,
        unequal,
        first,
        beside: String::new(),
    }
}

fn replay_file(loaded: &LoadedFile, mut replay: Replay, over: &AtomicBool) -> Replayed {
    replay.section(".kconfig", &loaded.data(".kconfig"));
    loop {
        // Read the flag before the last records, as in `replay_all`.
        let last = over.load(Ordering::Relaxed);
        loaded.read(RING, READ_INTERVAL, |record| replay.feed(record));
        if last {
            break;
        }
    }
    let missed = loaded.data(MISSED).first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
    let tally = replay.finish(missed);
    let beside = tally.beside();
    let narrows_bpf::recording::Tally { calls, connections, missed, unequal, first, .. } = tally;
    Replayed {
        controller: loaded.name().to_owned(),
        calls,
        connections,
        missed,
        unequal,
        first: first.unwrap_or_default(),
        beside,
    }
}

/// Returns `CONFIG_HZ` of the running kernel, whose coarse clocks advance once per tick.
fn ticks_per_second() -> u32 {
    let tick = clock_getres(ClockId::MonotonicCoarse);
    (1_000_000_000_u64 / (tick.tv_nsec as u64).max(1)) as u32
}
