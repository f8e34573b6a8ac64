//! The difference between the variants of PCC: how the utilities of intervals move the rate.

use super::interval::{Discarded, Statistics};
use narrows_units::Random;

/// The fate of an interval that a law awaited.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The rate it was planned at, in Mbit/s.
    pub rate: f64,
    /// Its utility and what that was computed from, or why it is not judged.
    pub judged: Result<Judged, Discarded>,
}

/// An interval with its utility.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The utility.
    pub utility: f64,
    /// The statistics that it was computed from.
    pub statistics: Statistics,
}

/// The consequence of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The intervals under way go on.
    Continue,
    /// A decision: what is under way says nothing about it, and the next interval begins at once.
    Anew,
}

/// Things beside the outcomes that a law may use.
pub struct Context<'a> {
    /// The least rate, in Mbit/s.
    pub floor: f64,
    /// Draws of this connection.
    pub random: &'a mut Random,
}

/// The highest rate, in Mbit/s.
const HIGHEST: f64 = 1e6;

impl Context<'_> {
    /// `rate`, but not below the least rate nor above the highest.
    pub fn bound(&self, rate: f64) -> f64 {
        rate.max(self.floor).min(HIGHEST)
    }
}

/// Moves the rate towards higher utility. Outcomes come in the order of the plans.
pub trait RateControl: Send {
    /// The connection's first round trip is known: begin at `rate` Mbit/s.
    fn start(&mut self, rate: f64);

    /// The rate of the next interval in Mbit/s, and whether its outcome is awaited.
    fn plan(&mut self, context: &mut Context<'_>) -> (f64, bool);

    /// The fate of an awaited interval is known.
    fn on_outcome(&mut self, outcome: &Outcome, context: &mut Context<'_>) -> Next;

    /// Feedback stays away. Intervals under way are forgotten.
    fn on_silence(&mut self, context: &mut Context<'_>);

    /// Nothing could be judged for more than a second. Intervals under way are forgotten.
    fn on_idle(&mut self);

    /// True in slow start.
    fn is_starting(&self) -> bool;

    /// The rate between probes, in Mbit/s.
    fn rate(&self) -> f64;

    /// Names the state.
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64));
}
