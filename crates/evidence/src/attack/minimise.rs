//! The minimiser: the least network that still shows a finding.

use super::genome::Genome;
use super::search::SEEDS;
use super::text::Variant;
use super::trial::{Evaluate, Trial, lower};

/// The part of the finding's lower bound that a simpler network must keep.
const KEPT: f64 = 0.8;
/// Candidates that run at once, the first of which that passes is taken.
const AT_ONCE: usize = 8;

/// Takes the first simpler network that keeps four fifths of the lower bound over five seeds, again and again, until none does: the result is
/// 1-minimal, but for candidates that the first seed alone ruled out.
///
/// # Errors
/// A run cannot be made, or someone wants to stop.
pub fn minimise<E: Evaluate>(genome: &Genome, by: &mut E) -> Result<Genome, E::Error> {
    let bound = KEPT * lower(&scores(std::slice::from_ref(genome), &SEEDS, by)?);
    let mut least = genome.clone();
    let mut failed: Vec<Genome> = Vec::new();
    'simpler: loop {
        by.tell(&format!("minimising: {} events, {} digits", least.event_count(), least.size().2));
        let candidates: Vec<Genome> = least.simpler().into_iter().filter(|candidate| !failed.contains(candidate)).collect();
        for few in candidates.chunks(AT_ONCE) {
            let first = scores(few, &SEEDS[..1], by)?;
            for (candidate, first) in few.iter().zip(first) {
                if first >= bound && lower(&scores(std::slice::from_ref(candidate), &SEEDS, by)?) >= bound {
                    least = candidate.clone();
                    continue 'simpler;
                }
                failed.push(candidate.clone());
            }
        }
        return Ok(least);
    }
}

/// The scores of genomes with each of the seeds.
fn scores<E: Evaluate>(genomes: &[Genome], seeds: &[u64], by: &mut E) -> Result<Vec<f64>, E::Error> {
    let with = |genome: &Genome, seed: &u64| Trial { genome: genome.clone(), seed: *seed, variant: Variant::Plain };
    let trials: Vec<Trial> = genomes.iter().flat_map(|genome| seeds.iter().map(move |seed| with(genome, seed))).collect();
    Ok(by.scores(&trials)?.into_iter().map(|score| score.value).collect())
}
