//! What happens to packets that have crossed a link before they are delivered: jitter.

use narrows_units::{Random, Span, Time};
use std::collections::VecDeque;

/// The far end of a link that spreads its deliveries.
#[derive(Clone, Debug)]
pub(crate) struct FarEnd<P> {
    jitter: Span,
    random: Random,
    /// Packets that have crossed, with the times of their delivery, which ascend.
    held: VecDeque<(Time, P)>,
    latest: Time,
}

impl<P> FarEnd<P> {
    /// Extra delays uniform from zero to `jitter`.
    pub(crate) fn new(jitter: Span, random: Random) -> FarEnd<P> {
        FarEnd { jitter, random, held: VecDeque::new(), latest: Time::ZERO }
    }

    /// Extra delays up to `jitter` from now on; the random draws go on.
    pub(crate) fn set_jitter(&mut self, jitter: Span) {
        self.jitter = jitter;
    }

    /// A packet has crossed the link at `at`. Calls come in time order.
    pub(crate) fn take(&mut self, at: Time, packet: P) {
        let extra = if self.jitter.is_zero() { Span::ZERO } else { self.random.span_below(self.jitter + Span::from_nanos(1)) };
        self.latest = self.latest.max(at + extra);
        self.held.push_back((self.latest, packet));
    }

    /// When the next packet is delivered.
    pub(crate) fn due(&self) -> Option<Time> {
        self.held.front().map(|(time, _)| *time)
    }

    /// The next packet that is delivered by `now`. All that has crossed by `now` must have been taken.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Time, P)> {
        if self.due()? <= now { self.held.pop_front() } else { None }
    }

    /// Packets that have crossed and are not delivered.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }
}
