//! The moments at which a run looks at what its nodes have done.

use narrows_live::icn::NodePlan;
use narrows_units::{Span, Time};

/// The samples of a run, the end of its warm-up and its end, in the order of their times.
#[derive(Clone, Debug)]
pub struct Looks {
    interval: Span,
    sample_at: Time,
    warmup: Time,
    end: Time,
}

/// What is to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Everything that series have.
    Sample,
    /// The counts at the end of the warm-up.
    Warmup,
    /// The counts at the end. Nothing follows.
    End,
}

impl Looks {
    /// Those of a run.
    pub fn new(plan: &NodePlan) -> Looks {
        Looks {
            interval: Span::from_nanos(plan.interval),
            sample_at: Time::from_nanos(plan.interval),
            warmup: Time::from_nanos(plan.warmup),
            end: Time::from_nanos(plan.duration),
        }
    }

    /// When the next one is; [`Time::NEVER`] after the end.
    pub fn next(&self) -> Time {
        self.sample_at.min(self.warmup).min(self.end)
    }

    /// The next one that was due by `now`, and when it was.
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
