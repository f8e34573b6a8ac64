//! Findings that are run again.

use super::cast::Aim;
use super::genome::Genome;
use super::goal::{Goal, Score};
use super::steady::SEEDS;
use super::text::Variant;
use super::trial::{Trial, lower, mean};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Part of the score at which a finding is still there.
const STILL: f64 = 0.5;

/// Who evaluates trials with an aim.
pub type Scores<'a, E> = dyn FnMut(&Aim, &[Trial]) -> Result<Vec<Score>, E> + 'a;

/// A finding that was kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptFinding {
    /// Whom it breaks, how, and beside whom.
    pub aim: Aim,
    /// The network.
    pub genome: Genome,
    /// The score when it was found.
    pub score: f64,
}

/// What became of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// The network in words.
    pub says: String,
    /// What it was found for.
    pub goal: Goal,
    /// Whom it broke then.
    pub found_for: String,
    /// The score when it was found.
    pub then: f64,
    /// The mean score of the controller now.
    pub now: f64,
    /// Two standard errors below it.
    pub low: f64,
    /// With how many of the seeds the controller could not go on, so that there was no score.
    #[serde(default)]
    pub faulty: usize,
    /// Whether half of the score is left, or the controller could not go on.
    pub still: bool,
}

impl KeptFinding {
    /// Runs it again, with `subject` in the place of whom it broke. `scores` evaluates trials.
    ///
    /// # Errors
    ///
    /// Those of `scores`.
    pub fn replay<E>(&self, subject: &str, scores: &mut Scores<'_, E>) -> Result<Replayed, E> {
        let aim = Aim { subject: subject.to_owned(), ..self.aim.clone() };
        let trials =
            SEEDS.map(|seed| Trial { genome: self.genome.clone(), seed, variant: Variant::Plain });
        let scores = scores(&aim, &trials)?;
        let values: Vec<f64> = scores.iter().map(|score| score.value).collect();
        let (now, faulty) = (mean(&values), scores.iter().filter(|score| score.faulty).count());
        Ok(Replayed {
            says: self.genome.says(),
            goal: aim.goal,
            found_for: self.aim.subject.clone(),
            then: self.score,
            now,
            low: lower(&values),
            faulty,
            still: faulty > 0 || now >= STILL * self.score,
        })
    }
}

impl Replayed {
    /// "still there" or "gone"; of a controller that it was not found for, "breaks cubic" or "does not break cubic".
    pub fn verdict(&self, subject: &str) -> String {
        match (self.found_for == subject, self.still) {
            (true, true) => "still there".to_owned(),
            (true, false) => "gone".to_owned(),
            (false, true) => format!("breaks {subject}"),
            (false, false) => format!("does not break {subject}"),
        }
    }

    /// The network in words, and with how many seeds the controller cannot go on there.
    pub fn network(&self) -> String {
        match self.faulty {
            0 => self.says.clone(),
            count => format!(
                "{}; with {count} of {} seeds the controller cannot go on",
                self.says,
                SEEDS.len()
            ),
        }
    }

    /// It in a sentence: "Kept finding, starve: still there, 0.71 then and 0.70 now: ...".
    pub fn text(&self, subject: &str) -> String {
        let Replayed { found_for, then, now, .. } = self;
        let (goal, verdict, network) = (self.goal.name(), self.verdict(subject), self.network());
        if found_for == subject {
            return format!(
                "Kept finding, {goal}: {verdict}, {then:.2} then and {now:.2} now: {network}"
            );
        }
        format!(
            "Kept finding for {found_for}, {goal}: {verdict}, {then:.2} there and {now:.2} here: {network}"
        )
    }
}
