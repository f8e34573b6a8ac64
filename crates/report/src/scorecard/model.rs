//! What a scorecard says.

use super::lineup::Network;
use serde::{Deserialize, Serialize};

/// What controllers do for their traffic on several networks, and what this costs others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    /// The layout's version; it changes when a reader of the old one would misread the new one.
    pub format: u32,
    /// "scorecard".
    pub kind: String,
    /// The version of Narrows that measured.
    pub narrows: String,
    /// What it is about, in a line.
    pub title: String,
    /// The command that makes it again.
    pub remake: String,
    /// What the evidence does not show, and how to read it.
    pub notes: Vec<String>,
    /// The seeds of each run.
    pub seeds: Vec<u64>,
    /// The networks.
    pub networks: Vec<Network>,
    /// The traffic, with what matters to it.
    pub traffic: Vec<Traffic>,
    /// The controllers under test.
    pub controllers: Vec<String>,
    /// The controllers of competitors.
    pub beside: Vec<String>,
    /// How many downloads bulk traffic is.
    pub flows: u32,
    /// A row for each network, traffic, competitor or none, and controller.
    pub entries: Vec<Entry>,
    /// Who was best, for each network, traffic, and competitor or none.
    pub verdicts: Vec<Best>,
}

/// A kind of traffic on a scorecard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// Its name.
    pub name: String,
    /// What it is.
    pub summary: String,
    /// Where its numbers come from.
    pub source: String,
    /// The names of the metrics that matter to it.
    pub metrics: Vec<String>,
}

/// What a controller does for its traffic on a network, and to whoever is beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The network.
    pub network: String,
    /// The traffic.
    pub traffic: String,
    /// Who drives it.
    pub controller: String,
    /// The competitor's controller; `None` if the traffic is alone.
    pub beside: Option<String>,
    /// False of a competitor's own controller that is not under test.
    pub tested: bool,
    /// What matters to the traffic.
    pub metrics: Vec<Valued>,
    /// What the competitor loses.
    pub harm: Vec<Harm>,
    /// The harm in words.
    pub sentence: Option<String>,
}

/// A number over seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Its median over the seeds in which it is defined.
    pub median: Option<f64>,
    /// The lower end of the 95 % interval of the median.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// One value for each seed.
    pub values: Vec<Option<f64>>,
}

/// A metric of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Valued {
    /// The metric.
    pub name: String,
    /// Whether it is better than that of every other controller under test, beyond the intervals.
    pub best: bool,
    /// The number.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// What a competitor loses beside the traffic of a row, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Harm {
    /// The metric of the competitor in which it suffers: "goodput" or "`rtt_p95`".
    pub name: String,
    /// Whether it is less than that of every other controller under test, beyond the intervals.
    pub best: bool,
    /// Whether it is more than the competitor's own controller does with the same traffic, beyond the intervals.
    pub beyond_own: bool,
    /// What the competitor's own controller does.
    pub own: Estimate,
    /// The harm.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// Who was best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The network.
    pub network: String,
    /// The traffic.
    pub traffic: String,
    /// The competitor's controller, if there is one.
    pub beside: Option<String>,
    /// In words: "bbr3: RTT p95, standing queue; no difference seen: goodput".
    pub says: String,
}
