//! Replays of stored findings.

use super::cast::Aim;
use super::genome::Genome;
use super::goal::{Goal, Score};
use super::steady::SEEDS;
use super::text::Variant;
use super::trial::{Trial, lower, mean};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Part of the score at which a finding counts as still present.
const STILL: f64 = 0.5;

/// The function that evaluates trials for an aim.
pub type Scores<'a, E> = dyn FnMut(&Aim, &[Trial]) -> Result<Vec<Score>, E> + 'a;

/// A stored finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptFinding {
    /// The controller that it breaks, the goal, and the references.
    pub aim: Aim,
    /// The network.
    pub genome: Genome,
    /// The score when it was found.
    pub score: f64,
}

/// The result of replaying a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// Description of the network.
    pub says: String,
    /// The goal that it was found for.
    pub goal: Goal,
    /// The controller that it broke.
    pub found_for: String,
    /// The score when it was found.
    pub then: f64,
    /// Mean score of the controller now.
    pub now: f64,
    /// Lower bound of the mean score, two standard errors below it.
    pub low: f64,
    /// Number of seeds with which the controller could not continue, so that there was no score.
    #[serde(default)]
    pub faulty: usize,
    /// True if at least half of the score is left, or the controller could not continue.
    pub still: bool,
}

impl KeptFinding {
    /// Replays the finding with `subject` in the place of the controller that it broke. `scores`
    /// evaluates trials.
    ///
    /// # Errors
    ///
    /// The errors of `scores`.
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
    /// Returns "still there" or "gone"; for another controller than the finding's, "breaks cubic"
    /// or "does not break cubic".
    pub fn verdict(&self, subject: &str) -> String {
        match (self.found_for == subject, self.still) {
            (true, true) => "still there".to_owned(),
            (true, false) => "gone".to_owned(),
            (false, true) => format!("breaks {subject}"),
            (false, false) => format!("does not break {subject}"),
        }
    }

    /// Describes the network, and the number of seeds with which the controller cannot continue.
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

    /// Describes the result in a sentence: "Kept finding, starve: still there, 0.71 then and 0.70
    /// now: ...".
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
