//! Periodic instants of a discipline, at ideal times.

use narrows_units::{Span, Time};

/// Instants at whole multiples of a period since the start of the run, or since a first one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticks {
    every: Span,
    next: Time,
}

impl Ticks {
    pub(crate) fn new(every: Span) -> Ticks {
        Ticks { every, next: Time::ZERO + every }
    }

    /// The first one at `first`.
    pub(crate) fn from(first: Time, every: Span) -> Ticks {
        Ticks { every, next: first }
    }

    /// The next instant that is not handed out yet.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    pub(crate) fn every(&self) -> Span {
        self.every
    }

    /// The earliest instant up to `now` that was not handed out before.
    #[inline]
    pub(crate) fn due(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        let tick = self.next;
        self.next += self.every;
        Some(tick)
    }
}
