//! What a search is about: the controller, the goal, and those it is compared with.

use super::genomes::Kind;
use super::goal::Goal;
use super::text::Cast;
use narrows_control::BASELINES;
use serde::{Deserialize, Serialize};

/// Whom a search attacks, and how it is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aim {
    /// The controller, with its parameters.
    pub subject: String,
    /// What is wanted.
    pub goal: Goal,
    /// The controllers that it is compared with.
    pub references: Vec<String>,
    /// Lines of the `[transport]` of all runs.
    pub transport: String,
}

impl Aim {
    /// An aim with the standard controllers as references, the controller itself left out.
    pub fn new(subject: &str, goal: Goal) -> Aim {
        let references = BASELINES
            .iter()
            .filter(|name| **name != subject)
            .map(|name| (*name).to_owned())
            .collect();
        Aim { subject: subject.to_owned(), goal, references, transport: String::new() }
    }

    /// Who runs in networks of a kind, in the order in which the goal wants the records.
    pub fn casts(&self, kind: Kind) -> Vec<Cast> {
        self.goal.casts(kind, &self.subject, &self.references)
    }
}
