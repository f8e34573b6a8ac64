//! Genomes: the numbers of a network, and the operations of a search on them.

use super::gene::{DIGITS, Gene, Scale, digits, rounded};
use super::genomes::GenomeKind;
use super::shape::View;
use super::text::Setting;
use narrows_units::Random;
use serde::{Deserialize, Serialize};

/// Number of attempts to draw a realistic genome.
const TRIES: usize = 200;
/// Probability per gene that a mutation draws it anew, and that a mutation changes it by a small
/// step. AdvNet has 0.2; the small step is ours.
const NEW: f64 = 0.2;
const STEPPED: f64 = 0.2;
/// Probability that a mutation adds an event, and that it drops one. The value is our choice.
const GROWN: f64 = 0.15;
/// Buffers that count as round, in bdp.
const ROUND: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// A network as numbers: the numbers of the whole network, and the numbers of each event. The kind
/// defines their meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genome {
    /// The kind of network.
    pub kind: GenomeKind,
    /// Values of the network's genes.
    pub base: Vec<f64>,
    /// Events, each with the values of the event genes.
    pub events: Vec<Vec<f64>>,
}

impl Genome {
    /// Draws a realistic genome from the whole ranges.
    pub fn random(kind: GenomeKind, random: &mut Random) -> Genome {
        Genome::drawn(kind, random, |_| {})
    }

    /// Draws random genomes, each with one gene at its smallest or largest value.
    pub fn extremes(kind: GenomeKind, random: &mut Random) -> Vec<Genome> {
        let shape = kind.shape();
        let (base, events) = (shape.base.len(), shape.events.len());
        let mut all = Vec::new();
        for place in 0..base + events {
            let gene = if place < base { &shape.base[place] } else { &shape.events[place - base] };
            for value in [gene.low, gene.high] {
                all.push(Genome::drawn(kind, random, |genome| match place.checked_sub(base) {
                    None => genome.base[place] = value,
                    Some(place) => genome.events.iter_mut().for_each(|event| event[place] = value),
                }));
            }
        }
        all.into_iter().filter(Genome::fits).collect()
    }

    /// Draws genomes until one is realistic after `change`. If no attempt is, a realistic genome
    /// without the change is returned.
    fn drawn(kind: GenomeKind, random: &mut Random, change: impl Fn(&mut Genome)) -> Genome {
        let shape = kind.shape();
        let mut last = None;
        for tries in 0.. {
            let count = shape.least + random.below((shape.most - shape.least + 1) as u64) as usize;
            let base = shape.base.iter().map(|gene| gene.draw(random)).collect();
            let event =
                |random: &mut Random| shape.events.iter().map(|gene| gene.draw(random)).collect();
            let mut genome =
                Genome { kind, base, events: (0..count).map(|_| event(random)).collect() };
            genome.sort();
            let plain = genome.clone();
            change(&mut genome);
            genome.sort();
            if genome.fits() {
                return genome;
            }
            last = last.or(plain.fits().then_some(plain));
            if tries >= TRIES
                && let Some(plain) = last
            {
                return plain;
            }
        }
        unreachable!("the loop has no end")
    }

    /// Returns a realistic mutation, or the genome itself if no attempt is realistic.
    pub fn mutated(&self, random: &mut Random) -> Genome {
        let shape = self.kind.shape();
        self.tried(|| {
            let mut child = self.clone();
            let mut change = |gene: &Gene, value: &mut f64| match random.uniform() {
                share if share < NEW => *value = gene.draw(random),
                share if share < NEW + STEPPED => *value = gene.step(*value, random),
                _ => {}
            };
            shape.base.iter().zip(&mut child.base).for_each(|(gene, value)| change(gene, value));
            for event in &mut child.events {
                shape.events.iter().zip(event).for_each(|(gene, value)| change(gene, value));
            }
            let place = random.below(child.events.len().max(1) as u64) as usize;
            if child.events.len() < shape.most && random.chance(GROWN) {
                child
                    .events
                    .insert(place, shape.events.iter().map(|gene| gene.draw(random)).collect());
            } else if child.events.len() > shape.least && random.chance(GROWN) {
                child.events.remove(place);
            }
            child
        })
    }

    /// Returns a child of two genomes: each gene of the network is blended, and events are combined
    /// by two-point crossover.
    pub fn crossed(&self, other: &Genome, random: &mut Random) -> Genome {
        let shape = self.kind.shape();
        self.tried(|| {
            let blend =
                |((gene, one), other): ((&Gene, &f64), &f64)| gene.blend(*one, *other, random);
            let base = shape.base.iter().zip(&self.base).zip(&other.base).map(blend).collect();
            // A section of the other genome's events replaces a section of this genome's events.
            let mut piece = |length: usize| {
                let (a, b) = (
                    random.below(length as u64 + 1) as usize,
                    random.below(length as u64 + 1) as usize,
                );
                a.min(b)..a.max(b)
            };
            let (out, put) = match shape.least == shape.most {
                true => {
                    let place = piece(self.events.len());
                    (place.clone(), place)
                }
                false => (piece(self.events.len()), piece(other.events.len())),
            };
            let mut events = self.events.clone();
            events.splice(out, other.events[put].iter().cloned());
            Genome { kind: self.kind, base, events }
        })
    }

    fn tried(&self, mut child: impl FnMut() -> Genome) -> Genome {
        let sorted = |mut child: Genome| {
            child.sort();
            child
        };
        (0..TRIES).map(|_| sorted(child())).find(Genome::fits).unwrap_or_else(|| self.clone())
    }

    /// Returns a copy with every number changed by at most ten per cent. Findings must survive such
    /// changes.
    pub fn shaken(&self, random: &mut Random) -> Genome {
        let shape = self.kind.shape();
        let mut shake = |genes: &[Gene], values: &[f64]| {
            genes.iter().zip(values).map(|(gene, value)| gene.shaken(*value, random)).collect()
        };
        let mut copy = Genome {
            kind: self.kind,
            base: shake(shape.base, &self.base),
            events: self.events.iter().map(|event| shake(shape.events, event)).collect(),
        };
        copy.sort();
        copy
    }

    /// Sorts the events by time, if their kind has times.
    fn sort(&mut self) {
        if let Some(place) = self.kind.shape().events.iter().position(|gene| gene.name == "start") {
            self.events.sort_by(|a, b| a[place].total_cmp(&b[place]));
        }
    }

    /// True if all numbers are in their ranges, and the network is realistic.
    pub fn fits(&self) -> bool {
        let shape = self.kind.shape();
        let within = |genes: &[Gene], values: &[f64]| {
            genes.len() == values.len()
                && genes.iter().zip(values).all(|(gene, value)| gene.has(*value))
        };
        (shape.least..=shape.most).contains(&self.events.len())
            && within(shape.base, &self.base)
            && self.events.iter().all(|event| within(shape.events, event))
            && (shape.real)(&self.view())
    }

    fn view(&self) -> View<'_> {
        View { shape: self.kind.shape(), base: &self.base, events: &self.events }
    }

    /// Returns the scenario in TOML for `narrows run`.
    pub fn scenario(&self, setting: &Setting<'_>) -> String {
        setting.text(&(self.kind.shape().network)(&self.view(), setting))
    }

    /// Describes the network in a sentence without a full stop.
    pub fn says(&self) -> String {
        (self.kind.shape().says)(&self.view())
    }

    /// Returns the number of events. Events beyond two reduce the score of a finding.
    pub fn event_count(&self) -> usize {
        self.view().event_count()
    }

    /// Returns the complexity: half of the number of events plus half of the relative variation of
    /// their numbers, which is the mean over genes of the ratio of standard deviation to mean. The
    /// halves are AdvNet's (CoNEXT 2026); the choice of the numbers in the variation is ours.
    pub fn complexity(&self) -> f64 {
        let genes = self.kind.shape().events.len();
        let variation = |place: usize| {
            let values: Vec<f64> = self.events.iter().map(|event| event[place]).collect();
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
                / values.len().max(1) as f64;
            if mean > 0.0 { square.sqrt() / mean } else { 0.0 }
        };
        let variations: f64 = (0..genes).map(variation).sum();
        0.5 * self.event_count() as f64 + 0.5 * variations / genes.max(1) as f64
    }

    /// Returns simpler genomes, those with the largest simplifications first. All are realistic.
    pub fn simpler(&self) -> Vec<Genome> {
        let mut all = Vec::new();
        self.with_fewer_events(&mut all);
        self.with_equal_events(&mut all);
        self.with_plain_genes(&mut all);
        self.with_shorter_numbers(&mut all);
        let mut kept: Vec<Genome> = Vec::new();
        for mut genome in all {
            genome.sort();
            if genome.fits() && genome.size() < self.size() && !kept.contains(&genome) {
                kept.push(genome);
            }
        }
        kept
    }

    /// Returns the measure of simplicity: the number of events, the number of values that differ
    /// from the previous event or from the plain value, the number of digits, and the sum of all
    /// numbers.
    pub fn size(&self) -> (usize, usize, usize, u64) {
        let shape = self.kind.shape();
        let unplain = shape
            .base
            .iter()
            .zip(&self.base)
            .filter(|(gene, value)| gene.plain != Some(**value))
            .count();
        let differing = |place: usize| {
            let first =
                self.events.first().filter(|first| shape.events[place].plain != Some(first[place]));
            usize::from(first.is_some())
                + self.events.windows(2).filter(|pair| pair[0][place] != pair[1][place]).count()
        };
        let irregular: usize = (0..shape.events.len()).map(differing).sum();
        let numbers = || self.base.iter().chain(self.events.iter().flatten());
        let sum: f64 = numbers().sum();
        (
            self.event_count(),
            unplain + irregular,
            numbers().map(|value| digits(*value)).sum(),
            (1000.0 * sum) as u64,
        )
    }

    /// Adds genomes without a half of the events, a quarter and so on, as ddmin does, and then
    /// genomes with two neighbouring events merged.
    fn with_fewer_events(&self, all: &mut Vec<Genome>) {
        let count = self.events.len();
        let mut chunk = count / 2;
        while chunk > 0 {
            for from in (0..count).step_by(chunk) {
                let mut events = self.events.clone();
                events.drain(from..(from + chunk).min(count));
                all.push(Genome { events, ..self.clone() });
            }
            chunk /= 2;
        }
        let Some(length) = self.kind.shape().events.iter().position(|gene| gene.name == "duration")
        else {
            return;
        };
        for place in 1..count {
            for keeps in [place - 1, place] {
                let mut events = self.events.clone();
                let sum = rounded(events[place - 1][length] + events[place][length], DIGITS);
                events[place - 1] = self.events[keeps].clone();
                events[place - 1][length] = sum;
                events.remove(place);
                all.push(Genome { events, ..self.clone() });
            }
        }
    }

    /// Adds genomes with a gene at the same or the plain value in all events, and genomes with a
    /// gene of one event at the previous event's value or at the plain value.
    fn with_equal_events(&self, all: &mut Vec<Genome>) {
        let shape = self.kind.shape();
        let timed = |gene: &Gene| matches!(gene.name, "start" | "duration");
        for (place, gene) in shape.events.iter().enumerate().filter(|(_, gene)| !timed(gene)) {
            let values: Vec<f64> = gene
                .plain
                .into_iter()
                .chain(self.events.iter().map(|event| event[place]))
                .collect();
            for value in &values {
                let mut genome = self.clone();
                genome.events.iter_mut().for_each(|event| event[place] = *value);
                all.push(genome);
            }
            for at in 0..self.events.len() {
                let before = at.checked_sub(1).map(|before| self.events[before][place]);
                for value in before.into_iter().chain(gene.plain) {
                    let mut genome = self.clone();
                    genome.events[at][place] = value;
                    all.push(genome);
                }
            }
        }
    }

    /// Adds genomes with a gene of the network at its plain value or reduced by one, with a round
    /// buffer, or with a shorter event.
    fn with_plain_genes(&self, all: &mut Vec<Genome>) {
        let shape = self.kind.shape();
        for (place, gene) in shape.base.iter().enumerate() {
            let round = ROUND.iter().copied().min_by(|a, b| {
                (a - self.base[place]).abs().total_cmp(&(b - self.base[place]).abs())
            });
            for value in gene.plain.into_iter().chain(round.filter(|_| gene.unit == "bdp")) {
                let mut genome = self.clone();
                genome.base[place] = value;
                all.push(genome);
            }
            if gene.scale == Scale::Whole {
                let mut genome = self.clone();
                genome.base[place] -= 1.0;
                all.push(genome);
            }
        }
        for (place, _) in
            shape.events.iter().enumerate().filter(|(_, gene)| gene.name == "duration")
        {
            for at in 0..self.events.len() {
                let mut genome = self.clone();
                genome.events[at][place] = rounded(genome.events[at][place] / 2.0, DIGITS);
                all.push(genome);
            }
        }
    }

    /// Adds genomes with all numbers rounded to one or two digits, and then genomes with a single
    /// number rounded.
    fn with_shorter_numbers(&self, all: &mut Vec<Genome>) {
        let shape = self.kind.shape();
        let shorter = |gene: &Gene, value: f64, digits: usize| match gene.scale {
            Scale::OneOf(_) => value,
            _ => rounded(value, digits),
        };
        for digits in [1, 2] {
            let mut genome = self.clone();
            shape
                .base
                .iter()
                .zip(&mut genome.base)
                .for_each(|(gene, value)| *value = shorter(gene, *value, digits));
            for event in &mut genome.events {
                shape
                    .events
                    .iter()
                    .zip(event)
                    .for_each(|(gene, value)| *value = shorter(gene, *value, digits));
            }
            all.push(genome);
        }
        for digits in [1, 2] {
            for (place, gene) in shape.base.iter().enumerate() {
                let mut genome = self.clone();
                genome.base[place] = shorter(gene, genome.base[place], digits);
                all.push(genome);
            }
            for at in 0..self.events.len() {
                for (place, gene) in shape.events.iter().enumerate() {
                    let mut genome = self.clone();
                    genome.events[at][place] = shorter(gene, genome.events[at][place], digits);
                    all.push(genome);
                }
            }
        }
    }
}
