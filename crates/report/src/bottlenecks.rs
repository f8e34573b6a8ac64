//! Bottlenecks that differ between runs of the same network.

use crate::Comparison;
use narrows_measure::metrics::bottleneck;
use narrows_measure::{LinkRecord, Record};

impl Comparison {
    /// Returns what the reader must know about the numbers: the accuracy of an emulation, a warning
    /// if bottlenecks differ, and the notes of the command.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        self.exactness().chain(self.several_bottlenecks()).chain(self.notes.iter().cloned())
    }

    /// Returns a warning if runs of the same network have different bottlenecks: their utilisation
    /// and queue are then measured on different links.
    fn several_bottlenecks(&self) -> Option<String> {
        if !self.has_several_bottlenecks() {
            return None;
        }
        let of_case = |runs: &[Record]| {
            let mut names: Vec<&str> =
                runs.iter().filter_map(|run| Some(bottleneck(run)?.name.as_str())).collect();
            names.sort_unstable();
            names.dedup();
            names.join(" or ")
        };
        let cases: Vec<String> = self
            .cases
            .iter()
            .map(|case| format!("{} {}", case.label, of_case(&case.runs)))
            .collect();
        Some(format!(
            "utilisation and queue are those of the link of which the largest share was used, and that differs: {}",
            cases.join("; ")
        ))
    }

    /// True if all runs have the same network but not the same bottleneck.
    pub(crate) fn has_several_bottlenecks(&self) -> bool {
        let runs: Vec<&Record> = self.runs().map(|(_, run)| run).collect();
        let alike = |links: (&LinkRecord, &LinkRecord)| {
            links.0.name == links.1.name && kind(links.0) == kind(links.1)
        };
        let one_network = runs.windows(2).all(|pair| {
            pair[0].links.len() == pair[1].links.len()
                && pair[0].links.iter().zip(&pair[1].links).all(alike)
        });
        let bottlenecks: Vec<&LinkRecord> = runs.iter().filter_map(|run| bottleneck(run)).collect();
        one_network && bottlenecks.windows(2).any(|pair| kind(pair[0]) != kind(pair[1]))
    }
}

/// Returns all properties of a link except its name. Links of one kind are interchangeable as the
/// bottleneck.
fn kind(link: &LinkRecord) -> impl PartialEq + '_ {
    (link.rate, link.delay, link.buffer, link.buffer_packets, &link.nature)
}
