//! An experiment, as its file describes it, in types.

use super::metrics::Judged;
use super::select::Select;
use narrows_units::Span;

/// Name of the controller of exposed flows in the scenario of a plan.
pub const EXPOSED: &str = "experiment";

/// An experiment, as its file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The name: 1 to 32 characters of a to z, 0 to 9 and `-`.
    pub name: String,
    /// The controller of the control; `None` for what each connection has without the experiment.
    pub control: Option<String>,
    /// The controller of the treatment.
    pub treatment: String,
    /// The connections that take part.
    pub select: Select,
    /// How the arms are given out.
    pub design: Design,
    /// The metrics that are reported, and the bounds of those that may stop the experiment.
    pub metrics: Vec<Judged>,
    /// When the experiment stops by itself.
    pub stop: Stop,
    /// The end of the treatment.
    pub roll_back: RollBack,
    /// Records that are written, and metrics that are served.
    pub result: Kept,
    /// The network and the traffic that the plan simulates.
    pub plan: Option<Planned>,
}

/// How the arms are given out.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The kind, with what only this kind has.
    pub kind: DesignKind,
    /// Length of a period, or of a slice of a share; `None` to have the plan choose.
    pub period: Option<Span>,
    /// Connections that begin in this part of a period do not count.
    pub burn_in: Span,
    /// Connections that begin in this part before the end of a period do not count.
    pub burn_out: Span,
    /// Pairs of two control periods before the others.
    pub observe: u32,
    /// Seed of the order.
    pub seed: u64,
    /// When the first period begins, in nanoseconds since 1970; `None` for at once.
    pub start: Option<u64>,
}

/// The kind of a design.
#[derive(Clone, Debug, PartialEq)]
pub enum DesignKind {
    /// Pairs of periods: the control, and the treatment for a share of the connections.
    Switchback {
        /// Number of pairs.
        pairs: u32,
        /// Share of the connections that a treated period treats.
        high: f64,
    },
    /// A share all the time.
    Share {
        /// Share of the connections that are treated, at most half.
        share: f64,
        /// Number of slices of the time, each of which is judged by itself.
        slices: u32,
    },
    /// Blocks of periods with each of several shares, in a drawn order.
    Steps {
        /// Number of blocks.
        blocks: u32,
        /// The shares, from 0 to 1, ascending.
        shares: Vec<f64>,
    },
}

impl DesignKind {
    /// Returns the name in files.
    pub fn name(&self) -> &'static str {
        match self {
            DesignKind::Switchback { .. } => "switchback",
            DesignKind::Share { .. } => "share",
            DesignKind::Steps { .. } => "steps",
        }
    }

    /// Returns how a group of its periods is called.
    pub fn group(&self) -> &'static str {
        match self {
            DesignKind::Switchback { .. } => "pair",
            DesignKind::Share { .. } => "slice",
            DesignKind::Steps { .. } => "block",
        }
    }
}

/// When an experiment stops by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Rate of false alarms.
    pub alpha: f64,
    /// Completion of recent treated connections relative to the observation above which it stops at
    /// once; 0 for never.
    pub emergency: f64,
}

/// The end of the treatment, when the experiment stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollBack {
    /// The treatment of connections that are open then.
    pub open: OpenConnections,
    /// Time without a sign of life of the program after which nobody is treated any more.
    pub lease: Span,
}

/// The ways to end the treatment of open connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpenConnections {
    /// They get back what they had, as they send.
    Change,
    /// They keep the treatment to their end.
    Keep,
    /// They are reset.
    Reset,
}

impl OpenConnections {
    /// Returns the end with this word in files; `None` for another word.
    pub fn named(word: &str) -> Option<OpenConnections> {
        match word {
            "change" => Some(OpenConnections::Change),
            "keep" => Some(OpenConnections::Keep),
            "reset" => Some(OpenConnections::Reset),
            _ => None,
        }
    }
}

/// Records that are written, and metrics that are served.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Share of the connections whose records are written.
    pub keep: f64,
    /// Address and port at which metrics are served; `None` for nowhere.
    pub listen: Option<std::net::SocketAddr>,
}

/// Network, traffic and precision of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The network, and the traffic that is exposed.
    pub on: On,
    /// Wanted half width of the first metric's interval.
    pub width: f64,
    /// Share of treated connections in the A/B test that is judged.
    pub share: f64,
    /// Standard deviation of the load from period to period, relative to the load.
    pub variation: f64,
}

/// The network and the traffic of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum On {
    /// A scenario file, relative to the folder of the experiment's. Flows whose controller is
    /// `experiment` are exposed, the others are bystanders.
    Scenario(String),
    /// A named path, and the exposed traffic, as the value of a flow's key `workload`.
    Path {
        /// Name of the path.
        path: String,
        /// The workload.
        traffic: serde_json::Value,
    },
}
