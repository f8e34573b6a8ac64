//! The times at which a run records the state of its nodes.

use narrows_live::icn::NodePlan;
use narrows_units::{Span, Time};

/// Schedule of the samples of a run, the end of its warm-up and its end, in time order.
#[derive(Clone, Debug)]
pub struct Looks {
    interval: Span,
    sample_at: Time,
    warmup: Time,
    end: Time,
}

/// Kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A sample of all time series.
    Sample,
    /// The counters at the end of the warm-up.
    Warmup,
    /// The counters at the end of the run. Nothing follows.
    End,
}

impl Looks {
    /// Creates the schedule of a run.
    pub fn new(plan: &NodePlan) -> Looks {
        Looks {
            interval: Span::from_nanos(plan.interval),
            sample_at: Time::from_nanos(plan.interval),
            warmup: Time::from_nanos(plan.warmup),
            end: Time::from_nanos(plan.duration),
        }
    }

    /// Returns the time of the next record, or [`Time::NEVER`] after the end.
    pub fn next(&self) -> Time {
        self.sample_at.min(self.warmup).min(self.end)
    }

    /// Removes the next record that is due by `now` and returns it with its time.
    pub fn take(&mut self, now: Time) -> Option<(Time, Look)> {
        let at = self.next();
        if at > now || at == Time::NEVER {
            return None;
        }
        let look = if at == self.sample_at {
            self.sample_at += self.interval;
            Look::Sample
        } else if at == self.warmup {
            self.warmup = Time::NEVER;
            Look::Warmup
        } else {
            (self.sample_at, self.warmup, self.end) = (Time::NEVER, Time::NEVER, Time::NEVER);
            Look::End
        };
        Some((at, look))
    }
}
