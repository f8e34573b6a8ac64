//! The metrics of an experiment.

use narrows_params::suggest;

/// A number of a connection or of a period that an experiment compares between its arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Time in which a connection had something to send: the mean of its logarithm within classes
    /// of size.
    Completion,
    /// Bytes over that time: the mean of its logarithm within classes of size.
    Goodput,
    /// The 95th percentile of the time, all sizes together.
    CompletionP95,
    /// The median round trip.
    RttP50,
    /// The 95th percentile of the round trips.
    RttP95,
    /// Share of the bytes sent that were sent again.
    Retransmitted,
    /// Retransmission timeouts per 1000 connections.
    Timeouts,
}

/// How differences of a metric are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// As a share of the control: differences are of logarithms.
    Share,
    /// In points of percent.
    Points,
    /// Per 1000 connections.
    Per1000,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 7] = [
        Metric::Completion,
        Metric::Goodput,
        Metric::CompletionP95,
        Metric::RttP50,
        Metric::RttP95,
        Metric::Retransmitted,
        Metric::Timeouts,
    ];

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Completion => "completion",
            Metric::Goodput => "goodput",
            Metric::CompletionP95 => "completion_p95",
            Metric::RttP50 => "rtt_p50",
            Metric::RttP95 => "rtt_p95",
            Metric::Retransmitted => "retransmitted",
            Metric::Timeouts => "timeouts",
        }
    }

    /// Returns how differences are written.
    pub fn unit(self) -> Unit {
        match self {
            Metric::Retransmitted => Unit::Points,
            Metric::Timeouts => Unit::Per1000,
            _ => Unit::Share,
        }
    }

    /// True if a larger number is worse.
    pub fn more_is_worse(self) -> bool {
        self != Metric::Goodput
    }

    /// Finds a metric by its name.
    pub(super) fn named(name: &str) -> Result<Metric, String> {
        let found = Metric::ALL.into_iter().find(|own| own.name() == name);
        found.ok_or_else(|| suggest(name, "metrics", Metric::ALL.iter().map(|own| own.name())))
    }
}

/// A bound of harm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound(pub f64);

/// A metric of an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The metric.
    pub metric: Metric,
    /// Harm above this bound stops the experiment: a share above 0, or points, or a number per 1000
    /// connections. `None` if the metric is only reported.
    pub harm: Option<Bound>,
}

impl Judged {
    /// The metrics of an experiment whose file has none. The bounds are ours.
    pub const DEFAULTS: [Judged; 5] = [
        Judged { metric: Metric::Completion, harm: Some(Bound(0.05)) },
        Judged { metric: Metric::Goodput, harm: Some(Bound(0.05)) },
        Judged { metric: Metric::RttP95, harm: Some(Bound(0.2)) },
        Judged { metric: Metric::Retransmitted, harm: Some(Bound(2.0)) },
        Judged { metric: Metric::Timeouts, harm: Some(Bound(5.0)) },
    ];
}

impl Unit {
    /// Reads a bound of harm in this unit; the error is the remedy.
    pub(super) fn bound(self, text: &str) -> Result<Bound, String> {
        let (end, example) = match self {
            Unit::Share => ("%", "5 %"),
            Unit::Points => ("points", "2 points"),
            Unit::Per1000 => ("per 1000", "5 per 1000"),
        };
        let number = text.strip_suffix(end).and_then(|rest| rest.trim().parse::<f64>().ok());
        let bound = number.filter(|own| own.is_finite() && *own > 0.0);
        let scale = if self == Unit::Share { 0.01 } else { 1.0 };
        bound
            .map(|own| Bound(own * scale))
            .ok_or_else(|| format!("write a number above 0 with its unit, such as \"{example}\""))
    }
}
