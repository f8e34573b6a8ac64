//! Trials: runs of a genome with the controller and with its references.

use super::cast::Aim;
use super::genome::Genome;
use super::goal::Score;
use super::text::{Cast, Setting, Variant};
use narrows_measure::Record;
use narrows_scenario::{Scenario, ScenarioError};
use narrows_sim::SimError;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A genome to run with one seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The network.
    pub genome: Genome,
    /// The seed of its runs.
    pub seed: u64,
    /// The change of the scenario.
    pub variant: Variant,
}

/// An executor of trials.
pub trait Evaluate {
    /// The error that ends runs early.
    type Error;

    /// Returns the scores of trials, in their order. Equal trials have equal scores.
    ///
    /// # Errors
    ///
    /// A run fails, or the user stops the search.
    fn scores(&mut self, trials: &[Trial]) -> Result<Vec<Score>, Self::Error>;

    /// Receives a short progress message.
    fn tell(&mut self, what: &str);
}

/// The reason why a trial has no score.
#[derive(Debug)]
pub enum TrialError {
    /// The user has stopped the search.
    Stopped,
    /// The scenario is invalid.
    Scenario(ScenarioError),
    /// A run failed.
    Run(SimError),
}

impl fmt::Display for TrialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrialError::Stopped => write!(f, "stopped"),
            TrialError::Scenario(error) => write!(f, "{}", error.short()),
            TrialError::Run(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for TrialError {}

impl Aim {
    /// Runs a trial until it ends or `stop` is set. If the subject or a reference cannot continue,
    /// the score is [`Score::NONE`], marked as faulty for the subject, and the search continues.
    ///
    /// # Errors
    ///
    /// The trial was stopped, a run failed, or the scenario is invalid, for example because a
    /// controller needs signals that the simulator does not have.
    pub fn evaluate(&self, trial: &Trial, stop: &AtomicBool) -> Result<Score, TrialError> {
        let mut runs = Vec::new();
        for (place, cast) in self.casts(trial.genome.kind).iter().enumerate() {
            match self.run(trial, cast, stop) {
                // The first run is the subject's.
                Err(TrialError::Run(error)) if error.is_of_controller() => {
                    return Ok(Score { faulty: place == 0, ..Score::NONE });
                }
                run => runs.push(run?),
            }
        }
        Ok(self.goal.score(&runs))
    }

    /// Returns the records of a trial, in the order of the casts.
    ///
    /// # Errors
    ///
    /// The errors of [`Aim::evaluate`], or a controller cannot continue.
    pub fn runs(&self, trial: &Trial, stop: &AtomicBool) -> Result<Vec<Record>, TrialError> {
        self.casts(trial.genome.kind).iter().map(|cast| self.run(trial, cast, stop)).collect()
    }

    fn run(&self, trial: &Trial, cast: &Cast, stop: &AtomicBool) -> Result<Record, TrialError> {
        // Building a scenario takes time, too.
        if stop.load(Ordering::Relaxed) {
            return Err(TrialError::Stopped);
        }
        let scenario = self.scenario(trial, cast)?;
        narrows_sim::run_until(&scenario, stop).map_err(|error| match error {
            SimError::Stopped => TrialError::Stopped,
            other => TrialError::Run(other),
        })
    }

    /// Builds the scenario of a trial with this cast.
    ///
    /// # Errors
    ///
    /// The scenario is invalid.
    pub fn scenario(&self, trial: &Trial, cast: &Cast) -> Result<Scenario, TrialError> {
        let text = self.text(&trial.genome, cast, trial.variant, "attack");
        let none = |_: &std::path::Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        let scenario =
            narrows_scenario::parse(&text, "attack.toml", &none).map_err(TrialError::Scenario)?;
        Ok(Scenario { seed: trial.seed, ..scenario })
    }

    /// Returns the text of a genome's scenario with this cast.
    pub fn text(&self, genome: &Genome, cast: &Cast, variant: Variant, name: &str) -> String {
        genome.scenario(&Setting {
            name,
            cast,
            transport: &self.transport,
            tail: self.goal.has_tail(),
            variant,
        })
    }
}

/// Returns the mean of scores; 0 for an empty list.
pub fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// Returns the lower bound of a mean, two standard errors below it, as AdvNet (CoNEXT 2026) uses it
/// for ranking. For a single score it returns the score itself.
pub fn lower(scores: &[f64]) -> f64 {
    let (mean, n) = (mean(scores), scores.len() as f64);
    let squares: f64 = scores.iter().map(|score| (score - mean) * (score - mean)).sum();
    if scores.len() < 2 { mean } else { mean - 2.0 * (squares / (n - 1.0)).sqrt() / n.sqrt() }
}
