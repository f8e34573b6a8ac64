//! Rates that change in steps, and the work that they make possible.

use crate::work::work;
use narrows_units::{Rate, Time};

/// Rates over time: each holds from its instant until the next one, the last for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps(Vec<Step>);

/// One rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: Time,
    pub(crate) rate: Rate,
    /// The work possible before it.
    pub(crate) before: u128,
}

impl Step {
    /// The work possible from the start up to `until`, which lies within this step.
    pub(crate) fn work(&self, until: Time) -> u128 {
        self.before + work(self.rate, until.since(self.from))
    }
}

impl Steps {
    /// Ascending instants from zero, each with the rate from then on.
    pub fn new(rates: impl IntoIterator<Item = (Time, Rate)>) -> Steps {
        let mut steps = Steps::default();
        rates.into_iter().for_each(|(from, rate)| steps.push(from, rate));
        steps
    }

    /// From `from` on, which is not before the latest step, the rate is this one.
    pub(crate) fn push(&mut self, from: Time, rate: Rate) {
        let before = self.0.last().map_or(0, |last| last.work(from));
        self.0.push(Step { from, rate, before });
    }

    /// The instants and rates, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Time, Rate)> + ExactSizeIterator {
        self.0.iter().map(|step| (step.from, step.rate))
    }

    /// The place of the step that holds at `at`; `None` before the first.
    pub(crate) fn place(&self, at: Time) -> Option<usize> {
        self.0.partition_point(|step| step.from <= at).checked_sub(1)
    }

    /// The step at a place.
    pub(crate) fn at(&self, place: usize) -> &Step {
        &self.0[place]
    }

    /// The steps from a place on, each with the instant at which it ends.
    pub(crate) fn with_ends(&self, place: usize) -> impl Iterator<Item = (&Step, Time)> {
        let ends = self.0[place + 1..].iter().map(|step| step.from).chain([Time::NEVER]);
        self.0[place..].iter().zip(ends)
    }

    /// The work possible from the start up to `until`.
    pub(crate) fn work(&self, until: Time) -> u128 {
        self.place(until).map_or(0, |place| self.0[place].work(until))
    }
}
