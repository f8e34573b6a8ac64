//! The search for networks that break a controller: `narrows attack`.
//!
//! A [`Genome`] holds the numbers of a network. Its [`GenomeKind`] defines the meaning of its
//! numbers, their ranges, and their conversion into a scenario for `narrows run`. A [`Goal`] gives
//! a score from 0 to 1, computed from the records of the controller's run and of its references'
//! runs. [`search`] breeds genomes with high scores, and [`examine`] finds out which of them are
//! findings. All results are functions of the seed. The caller runs the [`Trial`]s, on as many
//! threads as it likes.

mod cast;
mod finding;
mod gene;
mod genome;
mod genomes;
mod goal;
mod minimise;
mod replay;
mod search;
mod shape;
mod steady;
mod text;
mod trial;

pub use cast::Aim;
pub use finding::{Examined, Finding, Standing, examine};
pub use gene::{Gene, Scale};
pub use genome::Genome;
pub use genomes::GenomeKind;
pub use goal::{Goal, Score};
pub use minimise::minimise;
pub use replay::{KeptFinding, Replayed, Scores};
pub use search::{OF_EVENT, Search, Searched, Strategy, alike, search};
pub use shape::{Shape, View};
pub use steady::SEEDS;
pub use text::{Cast, Setting, Variant};
pub use trial::{Evaluate, Trial, TrialError, lower, mean};

#[cfg(test)]
mod tests;
