//! The data of a scorecard.

use super::lineup::Network;
use crate::baseline::{Standing, Standings};
use crate::estimate::Estimate;
use serde::{Deserialize, Serialize};

/// The performance of controllers for their traffic on several networks, and the harm to other
/// flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    /// Version of the layout. It changes when a reader of the old layout would misread the new
    /// layout.
    pub format: u32,
    /// The text "scorecard".
    pub kind: String,
    /// Version of Narrows that measured.
    pub narrows: String,
    /// Title of the scorecard, in one line.
    pub title: String,
    /// The command that repeats the measurement.
    pub remake: String,
    /// Limits of the evidence, and how to read it.
    pub notes: Vec<String>,
    /// The seeds of each run.
    pub seeds: Vec<u64>,
    /// The networks.
    pub networks: Vec<Network>,
    /// The kinds of traffic with the metrics that matter to them.
    pub traffic: Vec<Traffic>,
    /// The controllers under test.
    pub controllers: Vec<String>,
    /// The controllers of the competitors.
    pub beside: Vec<String>,
    /// Number of downloads in bulk traffic.
    pub flows: u32,
    /// A row for each network, traffic, competitor or none, and controller.
    pub entries: Vec<Entry>,
    /// The best controllers, for each network, traffic, and competitor or none.
    pub verdicts: Vec<Best>,
    /// The controller that the others are judged against, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The other controllers against the baseline, for each network, traffic, and competitor or
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Against>,
}

/// A kind of traffic on a scorecard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// Name of the traffic.
    pub name: String,
    /// Description of the traffic.
    pub summary: String,
    /// Source of its numbers.
    pub source: String,
    /// Names of the metrics that matter to the traffic.
    pub metrics: Vec<String>,
}

/// The performance of a controller for its traffic on a network, and the harm to its competitor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The network.
    pub network: String,
    /// The traffic.
    pub traffic: String,
    /// Controller of the traffic.
    pub controller: String,
    /// Controller of the competitor; `None` if the traffic is alone.
    pub beside: Option<String>,
    /// False for a competitor's own controller that is not under test.
    pub tested: bool,
    /// The metrics that matter to the traffic.
    pub metrics: Vec<Valued>,
    /// The losses of the competitor.
    pub harm: Vec<Harm>,
    /// Description of the harm.
    pub sentence: Option<String>,
}

/// A metric of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Valued {
    /// The metric.
    pub name: String,
    /// True if the number is better than that of every other controller under test, beyond the
    /// intervals.
    pub best: bool,
    /// Standing against the baseline's number, if there is a baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// The number.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// The loss of a competitor next to the traffic of a row, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Harm {
    /// The metric in which the competitor suffers: "goodput" or "`rtt_p95`".
    pub name: String,
    /// True if the harm is less than that of every other controller under test, beyond the
    /// intervals.
    pub best: bool,
    /// Standing against the baseline's number, if there is a baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// True if the harm is more than the harm of the competitor's own controller with the same
    /// traffic, beyond the intervals.
    pub beyond_own: bool,
    /// The harm of the competitor's own controller.
    pub own: Estimate,
    /// The harm.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// The best controllers for a network, a traffic, and a competitor or none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The network.
    pub network: String,
    /// The traffic.
    pub traffic: String,
    /// Controller of the competitor, if there is one.
    pub beside: Option<String>,
    /// The verdict in words: "bbr3: RTT p95, standing queue; no clear winner: goodput".
    pub says: String,
}

/// The standing of a controller against the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Against {
    /// The network.
    pub network: String,
    /// The traffic.
    pub traffic: String,
    /// Controller of the competitor, if there is one.
    pub beside: Option<String>,
    /// The controller.
    pub controller: String,
    /// The columns in which the controller is better, worse or undecided.
    #[serde(flatten)]
    pub standings: Standings,
}
