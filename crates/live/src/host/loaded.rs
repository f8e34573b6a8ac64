//! What controllers decide in the kernel during a run is decided again by native code.

use crate::loans::Loan;
use narrows_kernel::{Loaded, Replayer, Tally};
use narrows_measure::Replayed;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a record may wait to be read when none came for a while.
const PAUSE: Duration = Duration::from_millis(20);

/// Controllers that the kernel has until this is dropped, each with a thread that replays its calls if that is wanted.
pub struct Lent {
    loaded: Vec<Loaded>,
    replaying: Vec<JoinHandle<(String, Tally)>>,
    over: Arc<AtomicBool>,
}

impl Lent {
    /// Of controllers as they were loaded for these loans.
    pub fn new(loaded: Vec<Loaded>, loans: &[Loan], replay: bool) -> Lent {
        let mut lent = Lent { loaded, replaying: Vec::new(), over: Arc::default() };
        if replay {
            let replaying = lent.loaded.drain(..).zip(loans).map(|(loaded, loan)| {
                let (over, replayer) = (lent.over.clone(), Replayer::new(loan.twin, &loan.constants));
                std::thread::spawn(move || replay_all(&loaded, replayer, &over))
            });
            lent.replaying = replaying.collect();
        }
        lent
    }

    /// What came of it, after the last connection. Nothing if it was not wanted.
    pub fn finish(mut self) -> Vec<Replayed> {
        self.join().into_iter().map(|(controller, tally)| told(controller, &tally)).collect()
    }

    fn join(&mut self) -> Vec<(String, Tally)> {
        self.over.store(true, Ordering::Relaxed);
        let joined = self.replaying.drain(..).map(JoinHandle::join);
        joined.map(|joined| joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.join();
    }
}

fn replay_all(loaded: &Loaded, mut replayer: Replayer, over: &AtomicBool) -> (String, Tally) {
    loaded.record(true);
    loop {
        // Asked before the last look, which then finds all that was recorded until the end.
        let last = over.load(Ordering::Relaxed);
        loaded.records(PAUSE, |record| replayer.feed(record));
        if last {
            return (loaded.name().to_owned(), replayer.tally().clone());
        }
    }
}

fn told(controller: String, tally: &Tally) -> Replayed {
    let first = tally.first.as_ref().map_or(String::new(), ToString::to_string);
    Replayed { controller, calls: tally.replayed, connections: tally.connections, missed: tally.missed, unequal: tally.unequal, first }
}
