//! The runs of a plan.

use crate::order::Arm;
use narrows_units::Span;

/// A run of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The kind of the run.
    pub kind: JobKind,
    /// Its seed.
    pub seed: u64,
}

/// The kinds of runs.
#[derive(Clone, Debug, PartialEq)]
pub enum JobKind {
    /// A share of the connections is treated all the time.
    Share(f64),
    /// Periods alternate.
    Switchback(Timing),
    /// The periods of a switchback, with the same connections, but all with one arm: what it would
    /// measure if no period were felt in the next.
    Steady(Timing, Arm),
}

/// The timing of a switchback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Length of a period.
    pub period: Span,
    /// Connections that begin in this part of a period do not count.
    pub burn_in: Span,
    /// Connections that begin in this part before its end do not count.
    pub burn_out: Span,
}

/// The parts of a run.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Length of a part.
    pub length: Span,
    /// Share of the connections that each part treats.
    pub shares: Vec<f64>,
}
