//! The search: populations that breed on islands, or random draws for comparison.

use super::genome::Genome;
use super::genomes::GenomeKind;
use super::steady::{RUNS, SEEDS, steady};
use super::text::Variant;
use super::trial::{Evaluate, Trial};
use narrows_units::Random;
use serde::{Deserialize, Serialize};

/// The way in which genomes are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// By breeding.
    Evolve,
    /// By independent random draws, for comparison.
    Random,
}

/// The parameters of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Kinds of networks. Each gets an equal part of the budget.
    pub kinds: Vec<GenomeKind>,
    /// Seed of all random draws.
    pub seed: u64,
    /// Number of genomes to evaluate.
    pub budget: usize,
    /// The way in which genomes are generated.
    pub strategy: Strategy,
    /// Additional genomes in the first generation.
    pub kept: Vec<Genome>,
}

/// The result of searching one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The kind of network.
    pub kind: GenomeKind,
    /// The best genomes, without similar ones, the best first. Each has the lower bound of its
    /// score over [`SEEDS`] and over copies with changed numbers, reduced by [`OF_EVENT`] for each
    /// event beyond two. Genomes with a bound of at most zero are left out.
    pub best: Vec<(Genome, f64)>,
    /// Number of evaluated genomes.
    pub evaluated: usize,
    /// Highest score with a single seed.
    pub highest: f64,
    /// Number of genomes on which the controller could not continue.
    pub faulty: usize,
    /// The first genome on which the controller could not continue.
    pub first_faulty: Option<Genome>,
}

/// Number of genomes on an island.
const POPULATION: usize = 48;
/// Number of islands: populations that exchange genomes rarely. It is fixed, so that a seed gives
/// the same result with any number of threads. The value is our choice.
const ISLANDS: usize = 2;
/// Number of genomes that survive unchanged.
const ELITE: usize = 4;
/// Probability that a child has two parents.
const CROSSED: f64 = 0.5;
/// Number of generations without gain after which a quarter is drawn anew, and number of
/// generations between migrations.
const STALE: usize = 5;
/// Number of genomes that migrate.
const MIGRANTS: usize = 2;
/// Inverse of the part of the budget for the final selection, in which the best distinct genomes
/// run with more seeds and changed numbers. AdvNet (CoNEXT 2026) also selects in the last tenth of
/// its time.
const SELECTION: usize = 10;
/// Smallest number of genomes in the final selection, our choice.
const LEAST: usize = 10;
/// Reduction of the score for each event beyond two.
pub const OF_EVENT: f64 = 0.02;

#[derive(Default)]
struct Island {
    /// Genomes with their scores, the best first.
    members: Vec<(Genome, f64)>,
    stale: usize,
}

/// Searches each kind in turn.
///
/// # Errors
///
/// A run fails, or the user stops the search.
pub fn search<E: Evaluate>(search: &Search, by: &mut E) -> Result<Vec<Searched>, E::Error> {
    let part = search.budget / search.kinds.len().max(1);
    search.kinds.iter().map(|kind| of_kind(search, *kind, part, by)).collect()
}

fn of_kind<E: Evaluate>(
    search: &Search,
    kind: GenomeKind,
    budget: usize,
    by: &mut E,
) -> Result<Searched, E::Error> {
    let mut islands: Vec<Island> = (0..ISLANDS).map(|_| Island::default()).collect();
    let mut seen: Vec<(Genome, f64)> = Vec::new();
    let (mut generation, mut faulty, mut first_faulty) = (0, 0, None);
    while seen.len() < budget {
        let mut drawn: Vec<(usize, Genome)> = Vec::new();
        for (place, island) in islands.iter().enumerate() {
            let mut random = Random::stream(
                search.seed,
                &format!("{} island {place} generation {generation}", kind.name()),
            );
            let new = match search.strategy {
                Strategy::Random => {
                    (0..POPULATION).map(|_| Genome::random(kind, &mut random)).collect()
                }
                Strategy::Evolve if generation == 0 => first(search, kind, place, &mut random),
                Strategy::Evolve => island.children(kind, &mut random),
            };
            drawn.extend(new.into_iter().map(|genome| (place, genome)));
        }
        drawn.truncate(budget - seen.len());
        let trials: Vec<Trial> = drawn
            .iter()
            .map(|(_, genome)| Trial {
                genome: genome.clone(),
                seed: SEEDS[0],
                variant: Variant::Plain,
            })
            .collect();
        let scores = by.scores(&trials)?;
        for (trial, _) in trials.iter().zip(&scores).filter(|(_, score)| score.faulty) {
            faulty += 1;
            first_faulty.get_or_insert_with(|| trial.genome.clone());
        }
        let scored: Vec<(usize, (Genome, f64))> = drawn
            .into_iter()
            .zip(&scores)
            .map(|((place, genome), score)| (place, (genome, score.value)))
            .collect();
        for (place, island) in islands.iter_mut().enumerate() {
            let before = island.members.first().map_or(-1.0, |member| member.1);
            // Only the elite survives next to its children.
            island.members.truncate(ELITE);
            island.members.extend(
                scored.iter().filter(|(own, _)| *own == place).map(|(_, member)| member.clone()),
            );
            island.members.sort_by(|a, b| b.1.total_cmp(&a.1));
            island.members.truncate(POPULATION);
            let gained = island.members.first().is_some_and(|member| member.1 > before);
            island.stale = if gained || island.stale >= STALE { 0 } else { island.stale + 1 };
        }
        seen.extend(scored.into_iter().map(|(_, member)| member));
        generation += 1;
        if generation % STALE == 0 {
            migrate(&mut islands);
        }
        let best = seen.iter().map(|member| member.1).fold(0.0, f64::max);
        by.tell(&format!("{}: {} of {budget} networks, best {best:.2}", kind.name(), seen.len()));
    }
    let highest = seen.iter().map(|member| member.1).fold(0.0, f64::max);
    let evaluated = seen.len();
    Ok(Searched {
        kind,
        best: ranked(seen, (budget / SELECTION / RUNS).max(LEAST), by)?,
        evaluated,
        highest,
        faulty,
        first_faulty,
    })
}

/// Returns the first generation of an island: stored genomes and extremes, divided among the
/// islands, and random genomes.
fn first(search: &Search, kind: GenomeKind, island: usize, random: &mut Random) -> Vec<Genome> {
    let kept = search.kept.iter().filter(|genome| genome.kind == kind && genome.fits()).cloned();
    // All islands draw the same extremes, and each takes its part of them.
    let extremes = Genome::extremes(
        kind,
        &mut Random::stream(search.seed, &format!("{} extremes", kind.name())),
    );
    let mut all: Vec<Genome> = kept.chain(extremes).skip(island).step_by(ISLANDS).collect();
    all.extend((all.len()..POPULATION).map(|_| Genome::random(kind, random)));
    all
}

impl Island {
    /// Returns the children of the better half, and new random draws after a long time without
    /// gain.
    fn children(&self, kind: GenomeKind, random: &mut Random) -> Vec<Genome> {
        let anew = if self.stale >= STALE { POPULATION / 4 } else { 0 };
        let parents = (self.members.len() / 2).max(1) as u64;
        let mut children: Vec<Genome> = (0..anew).map(|_| Genome::random(kind, random)).collect();
        while children.len() < POPULATION - ELITE {
            let one = &self.members[random.below(parents) as usize].0;
            let child = match random.chance(CROSSED) {
                true => one
                    .crossed(&self.members[random.below(parents) as usize].0, random)
                    .mutated(random),
                false => one.mutated(random),
            };
            children.push(child);
        }
        children
    }
}

/// Replaces the worst genomes of each island by the best ones of the previous island.
fn migrate(islands: &mut [Island]) {
    let best: Vec<Vec<(Genome, f64)>> = islands
        .iter()
        .map(|island| island.members.iter().take(MIGRANTS).cloned().collect())
        .collect();
    for (place, migrants) in best.into_iter().enumerate() {
        let next = (place + 1) % islands.len();
        let members = &mut islands[next].members;
        members.truncate(POPULATION - MIGRANTS);
        members.extend(migrants);
        members.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
}

/// Selects `count` of the best genomes, without similar ones, and ranks them over several seeds and
/// changed numbers.
fn ranked<E: Evaluate>(
    mut seen: Vec<(Genome, f64)>,
    count: usize,
    by: &mut E,
) -> Result<Vec<(Genome, f64)>, E::Error> {
    seen.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut best: Vec<Genome> = Vec::new();
    for (genome, score) in seen {
        if best.len() == count || score <= 0.0 {
            break;
        }
        if !best.iter().any(|other| alike(&genome, other)) {
            best.push(genome);
        }
    }
    by.tell(&format!(
        "running the best {} networks with {} seeds and with other numbers",
        best.len(),
        SEEDS.len()
    ));
    let bounds = steady(&best, by)?;
    // The number of events affects only the order: minimising removes unimportant events later.
    let rank = |genome: &Genome, bound: f64| {
        bound - OF_EVENT * genome.event_count().saturating_sub(2) as f64
    };
    let with_bounds = best.into_iter().zip(bounds).filter(|(_, bound)| *bound > 0.0);
    let mut ranked: Vec<(Genome, f64)> =
        with_bounds.map(|(genome, bound)| (genome.clone(), rank(&genome, bound))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(ranked)
}

/// Largest ratio between corresponding numbers of similar networks, our choice.
const ALIKE: f64 = 1.5;

/// True if two genomes are the same network except for details.
pub fn alike(one: &Genome, other: &Genome) -> bool {
    let numbers = |genome: &Genome| {
        genome.base.iter().chain(genome.events.iter().flatten()).copied().collect::<Vec<f64>>()
    };
    let near = |(a, b): (&f64, &f64)| {
        a == b || (*a > 0.0 && *b > 0.0 && *a <= ALIKE * b && *b <= ALIKE * a)
    };
    let (one_numbers, other_numbers) = (numbers(one), numbers(other));
    one.kind == other.kind
        && one_numbers.len() == other_numbers.len()
        && one_numbers.iter().zip(&other_numbers).all(near)
}
