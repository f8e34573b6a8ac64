//! The minimiser: it looks for the simplest network that still shows a finding.

use super::genome::Genome;
use super::steady::{SEEDS, steady};
use super::text::Variant;
use super::trial::{Evaluate, Trial};

/// Part of the finding's lower bound that a simpler network must keep.
const KEPT: f64 = 0.8;
/// Number of candidates that run at once. The first of them that passes is taken.
const AT_ONCE: usize = 8;

/// Replaces a genome by the first simpler one that keeps four fifths of its lower bound over five
/// seeds and five copies with changed numbers, until no simpler one does. The result is 1-minimal,
/// except for candidates that failed with the first seed alone.
///
/// # Errors
///
/// A run fails, or the user stops the search.
pub fn minimise<E: Evaluate>(genome: &Genome, by: &mut E) -> Result<Genome, E::Error> {
    let bound = KEPT * steady(std::slice::from_ref(genome), by)?[0];
    let mut least = genome.clone();
    let mut failed: Vec<Genome> = Vec::new();
    'simpler: loop {
        by.tell(&format!("minimising: {} events, {} digits", least.event_count(), least.size().2));
        let candidates: Vec<Genome> =
            least.simpler().into_iter().filter(|candidate| !failed.contains(candidate)).collect();
        for few in candidates.chunks(AT_ONCE) {
            let first = by.scores(&few.iter().map(first_seed).collect::<Vec<Trial>>())?;
            for (candidate, first) in few.iter().zip(first) {
                if first.value >= bound && steady(std::slice::from_ref(candidate), by)?[0] >= bound
                {
                    least = candidate.clone();
                    continue 'simpler;
                }
                failed.push(candidate.clone());
            }
        }
        return Ok(least);
    }
}

fn first_seed(genome: &Genome) -> Trial {
    Trial { genome: genome.clone(), seed: SEEDS[0], variant: Variant::Plain }
}
