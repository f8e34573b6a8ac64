//! The minimiser: the least network that still shows a finding.

use super::genome::Genome;
use super::steady::{SEEDS, steady};
use super::text::Variant;
use super::trial::{Evaluate, Trial};

/// The part of the finding's lower bound that a simpler network must keep.
const KEPT: f64 = 0.8;
/// Candidates that run at once, the first of which that passes is taken.
const AT_ONCE: usize = 8;

/// Takes the first simpler network that keeps four fifths of the lower bound over five seeds and five copies with other numbers, again and again, until none
/// does: the result is 1-minimal, but for candidates that the first seed alone ruled out.
///
/// # Errors
/// A run cannot be made, or someone wants to stop.
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
