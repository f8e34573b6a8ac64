//! The examination of candidates: confirmed findings, and candidates that fail.

use super::genome::Genome;
use super::goal::Score;
use super::minimise::minimise;
use super::search::alike;
use super::text::Variant;
use super::trial::{Evaluate, Trial, lower, mean};
use narrows_units::Random;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Fresh seeds that must confirm a finding.
const FRESH: RangeInclusive<u64> = 1001..=1030;
/// Smallest lower bound of the score over the fresh seeds.
const LOWEST: f64 = 0.3;
/// Number of copies with all numbers changed, and the share of them that must keep half of the
/// score (AdvNet, CoNEXT 2026, accepts patterns at 80 %).
const COPIES: u64 = 20;
const COPIES_KEEP: f64 = 0.8;
/// Part of the score that copies and variants must keep.
const HALF: f64 = 0.5;
/// Seeds of each variant.
const OF_VARIANT: RangeInclusive<u64> = 1001..=1005;

/// The result of examining a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The candidate is a finding.
    Confirmed,
    /// Fresh seeds do not confirm the score.
    Unconfirmed,
    /// Small changes of the numbers lose the score.
    KnifesEdge,
    /// The score depends on how the simulator sends: it is lost without the random delay of hosts,
    /// or with a little jitter on the return path.
    Fragile,
}

impl Standing {
    /// Returns the result in words.
    pub fn words(self) -> &'static str {
        match self {
            Standing::Confirmed => "confirmed",
            Standing::Unconfirmed => "not confirmed by fresh seeds",
            Standing::KnifesEdge => "a knife's edge: small changes of its numbers lose it",
            Standing::Fragile => "fragile: it rests on how hosts send in the simulator",
        }
    }
}

/// A minimised and examined candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The minimised network.
    pub genome: Genome,
    /// Description of the network.
    pub says: String,
    /// Result of the examination.
    pub standing: Standing,
    /// Mean score over the fresh seeds.
    pub score: f64,
    /// Lower bound of the mean score, two standard errors below it.
    pub low: f64,
    /// Upper bound of the mean score, two standard errors above it.
    pub high: f64,
    /// Mean of the controller's measured number.
    pub subject: f64,
    /// Mean of the reference's measured number.
    pub reference: f64,
    /// Share of the copies with changed numbers that keep half of the score.
    pub copies: f64,
    /// Mean score without the random delay of hosts, with a millisecond of jitter on the return
    /// path, and with twice the duration.
    pub variants: [f64; 3],
    /// True if the score falls below half with twice the duration: the fault is transient.
    pub passes: bool,
    /// Complexity of the network that the search found, and of the minimised network.
    pub complexity: [f64; 2],
}

/// The examined candidates of a search.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Examined {
    /// Confirmed findings and candidates that failed the examination.
    pub findings: Vec<Finding>,
}

/// Minimises and examines candidates, the best first, until `wanted` candidates are examined. A
/// candidate that minimises to a network like an earlier one is left out.
///
/// # Errors
///
/// A run fails, or the user stops the search.
pub fn examine<E: Evaluate>(
    candidates: &[Genome],
    wanted: usize,
    seed: u64,
    by: &mut E,
) -> Result<Examined, E::Error> {
    let mut examined = Examined::default();
    for candidate in candidates {
        if examined.findings.len() == wanted {
            break;
        }
        let least = minimise(candidate, by)?;
        if examined.findings.iter().any(|finding| alike(&finding.genome, &least)) {
            continue;
        }
        examined.findings.push(of(candidate, least, seed, by)?);
    }
    Ok(examined)
}

fn of<E: Evaluate>(
    candidate: &Genome,
    genome: Genome,
    seed: u64,
    by: &mut E,
) -> Result<Finding, E::Error> {
    by.tell("confirming with fresh seeds");
    let mut run = |genomes: &[Genome], seeds: RangeInclusive<u64>, variant| {
        let with = |genome: &Genome, seed: u64| Trial { genome: genome.clone(), seed, variant };
        let trials: Vec<Trial> = genomes
            .iter()
            .flat_map(|genome| seeds.clone().map(move |seed| with(genome, seed)))
            .collect();
        by.scores(&trials)
    };
    let own = std::slice::from_ref(&genome);
    let values = |scores: &[Score]| scores.iter().map(|score| score.value).collect::<Vec<f64>>();
    let fresh = run(own, FRESH, Variant::Plain)?;
    let (score, low) = (mean(&values(&fresh)), lower(&values(&fresh)));
    let mut random = Random::stream(seed, "copies");
    let copies: Vec<Genome> = (0..COPIES).map(|_| genome.shaken(&mut random)).collect();
    let shaken = run(&copies, *FRESH.start()..=*FRESH.start(), Variant::Plain)?;
    let copies =
        shaken.iter().filter(|copy| copy.value >= HALF * score).count() as f64 / COPIES as f64;
    let mut variants = [0.0; 3];
    for (place, variant) in
        [Variant::NoOverhead, Variant::BackJitter, Variant::Longer].into_iter().enumerate()
    {
        variants[place] = mean(&values(&run(own, OF_VARIANT, variant)?));
    }
    let standing = match () {
        () if low < LOWEST => Standing::Unconfirmed,
        () if copies < COPIES_KEEP => Standing::KnifesEdge,
        () if variants[0] < HALF * score || variants[1] < HALF * score => Standing::Fragile,
        () => Standing::Confirmed,
    };
    Ok(Finding {
        says: genome.says(),
        standing,
        score,
        low,
        high: 2.0 * score - low,
        subject: mean(&fresh.iter().map(|score| score.subject).collect::<Vec<f64>>()),
        reference: mean(&fresh.iter().map(|score| score.reference).collect::<Vec<f64>>()),
        copies,
        variants,
        passes: variants[2] < HALF * score,
        complexity: [candidate.complexity(), genome.complexity()],
        genome,
    })
}
