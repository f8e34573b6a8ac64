//! Bursts and silence in turn.

use crate::action::{Action, Message};
use crate::draw;
use narrows_scenario::{On, OnOff};
use narrows_units::{Bytes, Random, Span, Time};

/// An on-off workload.
#[derive(Clone, Debug)]
pub(crate) struct Bursts {
    plan: OnOff,
    mss: Bytes,
    /// The burst that is on.
    burst: Option<Burst>,
}

#[derive(Clone, Copy, Debug)]
struct Burst {
    since: Time,
    until: Time,
    /// The rest of it to send, for a burst that has a rate.
    left: Bytes,
}

impl Bursts {
    pub(crate) fn new(plan: OnOff, mss: Bytes) -> Bursts {
        Bursts { plan, mss, burst: None }
    }

    /// A burst begins, goes on, or ends: what to do, and when to look again.
    pub(crate) fn act(&mut self, at: Time, random: &mut Random) -> (Option<Action>, Time) {
        let OnOff { on, rate, draw, .. } = self.plan;
        let burst = match (self.burst, on) {
            (Some(burst), _) => burst,
            (None, On::Time(mean)) => {
                Burst { since: at, until: at + draw::span(random, mean, draw), left: Bytes::MAX }
            }
            (None, On::Size(mean)) => {
                Burst { since: at, until: Time::NEVER, left: draw::size(random, mean, draw) }
            }
        };
        let begins = self.burst.is_none();
        match (on, rate) {
            (On::Size(_), None) => {
                // The silence begins with its delivery.
                let message = Message { start: at, size: burst.left };
                let action = if self.plan.reopens {
                    Action::Open { message, seed: random.bits() }
                } else {
                    Action::Write { message, last: false }
                };
                (Some(action), Time::NEVER)
            }
            (On::Time(_), None) if begins => {
                self.burst = Some(burst);
                (Some(Action::Flood), burst.until)
            }
            (_, Some(rate)) if at < burst.until && burst.left > Bytes::ZERO => {
                self.burst = Some(Burst { left: burst.left.saturating_sub(self.mss), ..burst });
                (Some(segment(at, self.mss)), (at + rate.time_for(self.mss)).min(burst.until))
            }
            _ => (self.cut(), at + draw::span(random, self.plan.off, draw)),
        }
    }

    /// True if each burst is on a new connection.
    pub(crate) fn reopens(&self) -> bool {
        self.plan.reopens
    }

    /// The burst that is on, if any, ends.
    pub(crate) fn cut(&mut self) -> Option<Action> {
        let burst = self.burst.take()?;
        self.plan.rate.is_none().then_some(Action::Cut { start: burst.since })
    }

    /// The silence after a burst that has been delivered, of bursts that have a size and no rate.
    pub(crate) fn silence(&self, random: &mut Random) -> Option<Span> {
        match self.plan {
            OnOff { on: On::Size(_), rate: None, off, draw, .. } => {
                Some(draw::span(random, off, draw))
            }
            _ => None,
        }
    }
}

/// A full segment.
pub(crate) fn segment(at: Time, mss: Bytes) -> Action {
    Action::Write { message: Message { start: at, size: mss }, last: false }
}
