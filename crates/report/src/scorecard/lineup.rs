//! What a scorecard is of: the runs that it needs.

use crate::directory::Input;
use serde::{Deserialize, Serialize};

/// What is compared on a scorecard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineup {
    /// The networks.
    pub networks: Vec<Network>,
    /// The named traffic that controllers drive.
    pub traffic: Vec<String>,
    /// The controllers under test.
    pub controllers: Vec<String>,
    /// The controllers of the competitors.
    pub beside: Vec<String>,
    /// How many downloads bulk traffic is.
    pub flows: u32,
}

/// A network of a scorecard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// What it is.
    pub summary: String,
    /// Where its numbers come from; empty if they are the user's own.
    pub source: String,
    /// How long each run lasts, as scenarios write it.
    pub duration: String,
    /// What of this is excluded from statistics.
    pub warmup: String,
    /// What it has in the result directory, if a file of its own describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Input>,
}

/// Who is on the network in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lined {
    /// The traffic; `None` of a competitor alone.
    pub traffic: Option<String>,
    /// Who drives it.
    pub controller: String,
    /// Who drives the competitor, if there is one.
    pub beside: Option<String>,
}

impl Lineup {
    /// The runs on each network, none twice: each controller with each traffic alone and beside each competitor, each competitor alone, and
    /// with each traffic driven by its own controller.
    pub fn runs(&self) -> Vec<Lined> {
        let mut all: Vec<Lined> = Vec::new();
        for traffic in &self.traffic {
            for beside in std::iter::once(None).chain(self.beside.iter().map(Some)) {
                let own = beside.filter(|own| !self.controllers.contains(own));
                all.extend(self.controllers.iter().chain(own).map(|controller| Lined {
                    traffic: Some(traffic.clone()),
                    controller: controller.clone(),
                    beside: beside.cloned(),
                }));
            }
        }
        for beside in &self.beside {
            let alone = self.alone(beside);
            if !all.contains(&alone) {
                all.push(alone);
            }
        }
        all
    }

    /// The same with the texts of networks' files changed.
    pub fn moved(mut self, text: impl Fn(&str) -> String) -> Lineup {
        let files = self.networks.iter_mut().filter_map(|network| network.file.as_mut());
        files.for_each(|file| file.text = text(&file.text));
        self
    }

    /// The run of a competitor alone, which may be that of a download under test.
    pub(super) fn alone(&self, beside: &str) -> Lined {
        let tested = self.flows == 1
            && self.traffic.iter().any(|own| own == "bulk")
            && self.controllers.iter().any(|own| own == beside);
        Lined {
            traffic: tested.then(|| "bulk".to_owned()),
            controller: beside.to_owned(),
            beside: None,
        }
    }
}

impl Lined {
    /// The name of its group of flows: that of the traffic, or "competitor".
    pub fn group(&self) -> &str {
        self.traffic.as_deref().unwrap_or(COMPETITOR)
    }

    /// The run in words.
    pub fn label(&self) -> String {
        match &self.beside {
            Some(beside) => format!("{} by {} beside {beside}", self.group(), self.controller),
            None => format!("{} by {} alone", self.group(), self.controller),
        }
    }
}

/// The name of a competitor's flow.
pub(super) const COMPETITOR: &str = "competitor";

#[cfg(test)]
mod tests {
    use super::*;

    fn lineup(traffic: &[&str], flows: u32) -> Vec<String> {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let lineup = Lineup {
            traffic: texts(traffic),
            controllers: texts(&["a", "b"]),
            beside: texts(&["a", "c"]),
            flows,
            ..Lineup::default()
        };
        lineup.runs().iter().map(Lined::label).collect()
    }

    #[test]
    fn runs_that_are_the_same_are_there_once() {
        let bulk = [
            "bulk by a alone",
            "bulk by b alone",
            "bulk by a beside a",
            "bulk by b beside a",
            "bulk by a beside c",
            "bulk by b beside c",
        ];
        let own = ["bulk by c beside c", "competitor by c alone"];
        assert_eq!(lineup(&["bulk"], 1), [&bulk[..], &own].concat());
        // Two downloads are not a competitor.
        assert_eq!(
            lineup(&["bulk"], 2),
            [&bulk[..], &own[..1], &["competitor by a alone"], &own[1..]].concat()
        );
        assert_eq!(lineup(&["web", "call"], 1).len(), 2 * 7 + 2);
    }
}
