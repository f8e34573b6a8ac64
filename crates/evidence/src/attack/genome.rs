//! A genome: the numbers of one network, and what a search does with them.

use super::gene::{DIGITS, Gene, Scale, digits, rounded};
use super::genomes::Kind;
use super::shape::View;
use super::text::Setting;
use narrows_units::Random;
use serde::{Deserialize, Serialize};

/// Tries until a draw that does not fit reality is given up.
const TRIES: usize = 200;
/// Parts of a mutation: a new draw, and a small step, per gene. AdvNet has 0.2; the step is ours.
const NEW: f64 = 0.2;
const STEPPED: f64 = 0.2;
/// How often a mutation adds an event, and how often it drops one. Ours.
const GROWN: f64 = 0.15;
/// Buffers that count as round, in bdp.
const ROUND: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// A network as numbers: those of the whole of it, and those of each event in it. The kind says what they mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genome {
    /// What the numbers mean.
    pub kind: Kind,
    /// One number for each gene of the network.
    pub base: Vec<f64>,
    /// The events, each with one number for each of their genes.
    pub events: Vec<Vec<f64>>,
}

impl Genome {
    /// A genome from the whole of the ranges that fits reality.
    pub fn random(kind: Kind, random: &mut Random) -> Genome {
        Genome::drawn(kind, random, |_| {})
    }

    /// Random genomes, each with one gene at its least or its largest value.
    pub fn extremes(kind: Kind, random: &mut Random) -> Vec<Genome> {
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

    /// Draws until it fits, `change` included. Where no draw fits with the change, it is left out.
    fn drawn(kind: Kind, random: &mut Random, change: impl Fn(&mut Genome)) -> Genome {
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

    /// A mutation that fits reality; the genome itself if none is found.
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

    /// A child of two: each gene of the network blended, events by two-point crossover.
    pub fn crossed(&self, other: &Genome, random: &mut Random) -> Genome {
        let shape = self.kind.shape();
        self.tried(|| {
            let blend =
                |((gene, one), other): ((&Gene, &f64), &f64)| gene.blend(*one, *other, random);
            let base = shape.base.iter().zip(&self.base).zip(&other.base).map(blend).collect();
            // A piece of the other takes the place of a piece of this one.
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

    /// A copy with every number up to ten per cent away, for the test whether a finding is a knife's edge.
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

    /// Events in order of time, where their kind has times.
    fn sort(&mut self) {
        if let Some(place) = self.kind.shape().events.iter().position(|gene| gene.name == "start") {
            self.events.sort_by(|a, b| a[place].total_cmp(&b[place]));
        }
    }

    /// True if it lies within the ranges and within reality.
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

    /// The scenario in TOML, as `narrows run` runs it.
    pub fn scenario(&self, setting: &Setting<'_>) -> String {
        setting.text(&(self.kind.shape().network)(&self.view(), setting))
    }

    /// The network in words, as a sentence without its full stop.
    pub fn says(&self) -> String {
        (self.kind.shape().says)(&self.view())
    }

    /// Events that count against a finding: those beyond two cost it some of its score.
    pub fn event_count(&self) -> usize {
        self.view().event_count()
    }

    /// How much there is to it: half of the number of events and half of the relative variation of their numbers (the mean over genes of standard
    /// deviation over mean). The halves are AdvNet's (CoNEXT 2026); over which numbers the variation goes is ours.
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

    /// Genomes that say less than this one, the boldest first. All fit.
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

    /// By what a genome is simpler than another: events, numbers that differ from those before or from the plain one, digits, and sum of all numbers.
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

    /// Halves of the events, quarters and so on left out, as in ddmin; then neighbours merged.
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

    /// A gene that is the same, or plain, in all events; an event that is as the one before it.
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

    /// Genes of the network at their plain values, a round buffer, shorter events.
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

    /// Numbers of two digits, then of one: all at once, then one by one.
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
