//! What makes a kind of network, and its numbers by name.

use super::gene::Gene;
use super::text::{Network, Setting};

/// What makes a kind.
pub struct Shape {
    /// Its name in options and lists.
    pub name: &'static str,
    /// It in a line.
    pub summary: &'static str,
    /// Genes of the whole network.
    pub base: &'static [Gene],
    /// Genes of each event.
    pub events: &'static [Gene],
    /// How many events there are at least.
    pub least: usize,
    /// How many there are at most.
    pub most: usize,
    /// True if it is about two groups of flows: where a goal names one controller alone, both groups have it.
    pub two_groups: bool,
    /// True if nothing happens at a time in it.
    pub constant: bool,
    /// Where the kind comes from.
    pub source: &'static str,
    /// Whether numbers within the ranges are within reality together.
    pub(super) real: fn(&View<'_>) -> bool,
    /// The network that they are.
    pub(super) network: fn(&View<'_>, &Setting<'_>) -> Network,
    /// The network in words.
    pub(super) says: fn(&View<'_>) -> String,
}

/// The numbers of a genome under the names of their genes.
pub struct View<'a> {
    /// What they mean.
    pub shape: &'static Shape,
    /// Those of the whole network.
    pub base: &'a [f64],
    /// Those of each event.
    pub events: &'a [Vec<f64>],
}

impl View<'_> {
    /// The value of a gene of the network.
    ///
    /// # Panics
    /// The kind has no such gene.
    pub fn get(&self, name: &str) -> f64 {
        self.base[place(self.shape.base, name)]
    }

    /// The values of a gene of the events, in their order.
    ///
    /// # Panics
    /// The kind has no such gene.
    pub fn all(&self, name: &str) -> impl Iterator<Item = f64> + '_ {
        let place = place(self.shape.events, name);
        self.events.iter().map(move |event| event[place])
    }

    /// How many events something happens in: where their number is fixed, those that are not as the one before.
    pub fn event_count(&self) -> usize {
        match self.shape.least == self.shape.most {
            true => self.events.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            false => self.events.len(),
        }
    }
}

fn place(genes: &[Gene], name: &str) -> usize {
    genes
        .iter()
        .position(|gene| gene.name == name)
        .unwrap_or_else(|| panic!("no gene is called {name}"))
}
