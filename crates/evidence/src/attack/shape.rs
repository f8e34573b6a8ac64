//! The definition of a kind of network, and access to its numbers by name.

use super::gene::Gene;
use super::text::{Network, Setting};

/// The definition of a kind of network.
pub struct Shape {
    /// Name in options and lists.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Genes of the whole network.
    pub base: &'static [Gene],
    /// Genes of each event.
    pub events: &'static [Gene],
    /// Smallest number of events.
    pub least: usize,
    /// Largest number of events.
    pub most: usize,
    /// True if the kind has two groups of flows. If a goal names only one controller, both groups
    /// use it.
    pub two_groups: bool,
    /// True if the network never changes.
    pub constant: bool,
    /// Source of the kind.
    pub source: &'static str,
    /// True if numbers within their ranges are realistic together.
    pub(super) real: fn(&View<'_>) -> bool,
    /// Converts the numbers into a network.
    pub(super) network: fn(&View<'_>, &Setting<'_>) -> Network,
    /// Describes the network.
    pub(super) says: fn(&View<'_>) -> String,
}

/// The numbers of a genome by the names of their genes.
pub struct View<'a> {
    /// The kind's definition.
    pub shape: &'static Shape,
    /// Values of the network's genes.
    pub base: &'a [f64],
    /// Values of each event's genes.
    pub events: &'a [Vec<f64>],
}

impl View<'_> {
    /// Returns the value of a gene of the network.
    ///
    /// # Panics
    ///
    /// The kind has no such gene.
    pub fn get(&self, name: &str) -> f64 {
        self.base[place(self.shape.base, name)]
    }

    /// Returns the values of a gene of the events, in their order.
    ///
    /// # Panics
    ///
    /// The kind has no such gene.
    pub fn all(&self, name: &str) -> impl Iterator<Item = f64> + '_ {
        let place = place(self.shape.events, name);
        self.events.iter().map(move |event| event[place])
    }

    /// Counts the events. If their number is fixed, only events that differ from the previous one
    /// count.
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
