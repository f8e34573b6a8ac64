//! The set-up of a scorecard, and the runs that it needs.

use crate::directory::Input;
use serde::{Deserialize, Serialize};

/// The set-up of a scorecard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineup {
    /// The networks.
    pub networks: Vec<Network>,
    /// Names of the traffic that controllers drive.
    pub traffic: Vec<String>,
    /// The controllers under test.
    pub controllers: Vec<String>,
    /// The controllers of the competitors.
    pub beside: Vec<String>,
    /// Number of downloads in bulk traffic.
    pub flows: u32,
    /// The controller that the others are judged against, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

/// A network of a scorecard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Name of the network.
    pub name: String,
    /// Description of the network.
    pub summary: String,
    /// Source of its numbers; empty for the user's own network.
    pub source: String,
    /// Duration of each run, as scenarios write it.
    pub duration: String,
    /// Warm-up time at the beginning of each run, which statistics exclude.
    pub warmup: String,
    /// Copy in the result directory of the file that describes the network, if it is from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Input>,
}

/// The traffic of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficRun {
    /// Name of the traffic; `None` for a competitor alone.
    pub traffic: Option<String>,
    /// Controller of the traffic.
    pub controller: String,
    /// Controller of the competitor, if there is one.
    pub beside: Option<String>,
}

impl Lineup {
    /// Returns the runs on each network, each run once: each controller with each traffic, alone
    /// and next to each competitor; each competitor alone; and each competitor next to each traffic
    /// that is driven by the competitor's own controller.
    pub fn runs(&self) -> Vec<TrafficRun> {
        let mut all: Vec<TrafficRun> = Vec::new();
        for traffic in &self.traffic {
            for beside in std::iter::once(None).chain(self.beside.iter().map(Some)) {
                let own = beside.filter(|own| !self.controllers.contains(own));
                all.extend(self.controllers.iter().chain(own).map(|controller| TrafficRun {
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

    /// Applies `text` to the content of the networks' files.
    pub fn moved(mut self, text: impl Fn(&str) -> String) -> Lineup {
        let files = self.networks.iter_mut().filter_map(|network| network.file.as_mut());
        files.for_each(|file| file.text = text(&file.text));
        self
    }

    /// Returns the run of a competitor alone. It is the run of a download under test, if there is
    /// such a run.
    pub(super) fn alone(&self, beside: &str) -> TrafficRun {
        let tested = self.flows == 1
            && self.traffic.iter().any(|own| own == "bulk")
            && self.controllers.iter().any(|own| own == beside);
        TrafficRun {
            traffic: tested.then(|| "bulk".to_owned()),
            controller: beside.to_owned(),
            beside: None,
        }
    }
}

impl TrafficRun {
    /// Returns the name of the run's group of flows: the name of the traffic, or "competitor".
    pub fn group(&self) -> &str {
        self.traffic.as_deref().unwrap_or(COMPETITOR)
    }

    /// Describes the run.
    pub fn label(&self) -> String {
        match &self.beside {
            Some(beside) => format!("{} by {} beside {beside}", self.group(), self.controller),
            None => format!("{} by {} alone", self.group(), self.controller),
        }
    }
}

/// Name of a competitor's flow.
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
        lineup.runs().iter().map(TrafficRun::label).collect()
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
        // Two downloads are not a run of the competitor alone.
        assert_eq!(
            lineup(&["bulk"], 2),
            [&bulk[..], &own[..1], &["competitor by a alone"], &own[1..]].concat()
        );
        assert_eq!(lineup(&["web", "call"], 1).len(), 2 * 7 + 2);
    }
}
