//! Scores over several seeds and over copies with changed numbers.

use super::genome::Genome;
use super::text::Variant;
use super::trial::{Evaluate, Trial, lower};
use narrows_units::Random;

/// Seeds of a candidate. The search itself uses the first.
pub const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// Number of copies with every number changed by at most ten per cent, as many as there are seeds.
/// A finding must keep its score under such changes.
const COPIES: usize = SEEDS.len();
/// Number of runs of a genome.
pub(super) const RUNS: usize = SEEDS.len() + COPIES;

/// Computes for each genome the lower bound of its score over five seeds and, with the first seed,
/// over five copies with changed numbers. Ranking by the score of a single seed would favour
/// networks without any neighbour of similar score.
///
/// # Errors
///
/// A run fails, or the user stops the search.
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
