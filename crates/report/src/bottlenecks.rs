//! Which link was the bottleneck, where that differs between the runs of one network.

use crate::Comparison;
use narrows_measure::metrics::bottleneck;
use narrows_measure::{LinkRecord, Record};

impl Comparison {
    /// What to know of the numbers: how exact an emulation was, whether they are of several links, and what the command said.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        self.exactness().chain(self.several_bottlenecks()).chain(self.notes.iter().cloned())
    }

    /// A warning if cases of one network have unlike bottlenecks: their utilisation and queues are then of unlike links.
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

    /// True if the runs have one network and not one bottleneck.
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

/// What a link is but for its name: of links of one kind it does not matter which one is measured.
fn kind(link: &LinkRecord) -> impl PartialEq + '_ {
    (link.rate, link.delay, link.buffer, link.buffer_packets, &link.nature)
}
