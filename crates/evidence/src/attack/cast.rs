//! The aim of a search: the controller, the goal, and the reference controllers.

use super::genomes::GenomeKind;
use super::goal::Goal;
use super::text::Cast;
use narrows_control::BASELINES;
use serde::{Deserialize, Serialize};

/// The controller that a search attacks, and the criterion for success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aim {
    /// The attacked controller, with its parameters.
    pub subject: String,
    /// The goal of the search.
    pub goal: Goal,
    /// The reference controllers.
    pub references: Vec<String>,
    /// Lines of the `[transport]` table of all runs.
    pub transport: String,
}

impl Aim {
    /// Creates an aim with the standard controllers as references, except the attacked controller.
    pub fn new(subject: &str, goal: Goal) -> Aim {
        let references = BASELINES
            .iter()
            .filter(|name| **name != subject)
            .map(|name| (*name).to_owned())
            .collect();
        Aim { subject: subject.to_owned(), goal, references, transport: String::new() }
    }

    /// Returns the controllers of each run in networks of a kind, in the order in which the goal
    /// expects the records.
    pub fn casts(&self, kind: GenomeKind) -> Vec<Cast> {
        self.goal.casts(kind, &self.subject, &self.references)
    }
}
