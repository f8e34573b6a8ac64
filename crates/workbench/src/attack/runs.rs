//! The runs of a search, on all cores. Each score is stored on disk as soon as it is computed.

use crate::error::Failure;
use crate::host::Progress;
use crate::request;
use crate::run_store::RunStore;
use crate::runner::pool;
use narrows_evidence::attack::{Aim, Evaluate, Score, Trial, TrialError};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Approximate number of evaluations after the search, for the progress bar.
const AFTER: usize = 1500;

/// Evaluates trials. Evaluations have numbers in the order in which a search requests them. This
/// order is always the same, so a score that is stored under a number is not computed again.
pub struct Runs<'a> {
    aim: &'a Aim,
    kept: &'a RunStore<Score>,
    pool: ThreadPool,
    bar: Progress,
    next: u64,
}

impl<'a> Runs<'a> {
    pub fn new(
        aim: &'a Aim,
        kept: &'a RunStore<Score>,
        budget: usize,
        output: &request::Output,
    ) -> Result<Runs<'a>, Failure> {
        let bar = output.console.progress("attacking", (budget + AFTER) as u64, output.quiet);
        Ok(Runs { aim, kept, pool: pool(output)?, bar, next: 0 })
    }

    /// Returns the scores of trials with this aim.
    pub fn of(&mut self, aim: &Aim, trials: &[Trial]) -> Result<Vec<Score>, Failure> {
        let first = self.next;
        self.next += trials.len() as u64;
        let one = |(place, trial): (usize, &Trial)| {
            let number = first + place as u64;
            if self.kept.has(number) {
                self.bar.inc(1);
                return self.kept.get(number);
            }
            let score = aim.evaluate(trial, self.bar.stop()).map_err(|error| match error {
                TrialError::Stopped => Failure::Interrupted,
                other => {
                    Failure::Other(format!("on a network of {}: {other}", trial.genome.says()))
                }
            })?;
            self.kept.keep(number, &score)?;
            self.bar.inc(1);
            Ok(score)
        };
        self.pool.install(|| trials.par_iter().enumerate().map(one).collect())
    }
}

impl Evaluate for Runs<'_> {
    type Error = Failure;

    fn scores(&mut self, trials: &[Trial]) -> Result<Vec<Score>, Failure> {
        self.of(self.aim, trials)
    }

    fn tell(&mut self, what: &str) {
        self.bar.tell(format!(" {what}, "));
    }
}
