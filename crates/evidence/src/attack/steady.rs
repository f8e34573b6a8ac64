//! How well a score stands other seeds and other numbers.

use super::genome::Genome;
use super::text::Variant;
use super::trial::{Evaluate, Trial, lower};
use narrows_units::Random;

/// The seeds of candidates. The search itself has the first.
pub const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// Copies with every number up to ten per cent away, as many as there are seeds: a score that they lose is a knife's edge.
const COPIES: usize = SEEDS.len();
/// Runs of a genome.
pub(super) const RUNS: usize = SEEDS.len() + COPIES;

/// For each genome the lower bound of its score over five seeds and, with the first of them, five copies with other numbers. Ranked by their score of one seed,
/// networks whose score no neighbour has would come first.
///
/// # Errors
/// A run cannot be made, or someone wants to stop.
pub(super) fn steady<E: Evaluate>(genomes: &[Genome], by: &mut E) -> Result<Vec<f64>, E::Error> {
    let trial = |genome: Genome, seed: u64| Trial { genome, seed, variant: Variant::Plain };
    let of_genome = |genome: &Genome| {
        let mut random = Random::stream(SEEDS[0], "steady");
        let copies: Vec<Trial> =
            (0..COPIES).map(|_| trial(genome.shaken(&mut random), SEEDS[0])).collect();
        SEEDS.map(|seed| trial(genome.clone(), seed)).into_iter().chain(copies)
    };
    let trials: Vec<Trial> = genomes.iter().flat_map(of_genome).collect();
    let scores: Vec<f64> = by.scores(&trials)?.iter().map(|score| score.value).collect();
    Ok(scores.chunks(RUNS).map(lower).collect())
}
