//! The causes that keep a sender from sending, and for how long.

use narrows_control::GuestCounts;
use narrows_units::{Span, Time};

/// The cause that keeps a stack from sending more at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// The connection is not open, or no longer.
    Closed,
    /// The congestion window.
    Window,
    /// The pacer.
    Pacer,
    /// The receiver's flow control: the application has more than the stack takes.
    FlowControl,
    /// The application has nothing to send.
    Application,
}

/// The time of each cause.
#[derive(Debug)]
pub(crate) struct Account {
    held: Held,
    since: Time,
    /// By [`Held`].
    spans: [Span; 5],
}

impl Account {
    pub(crate) fn new() -> Account {
        Account { held: Held::Closed, since: Time::ZERO, spans: [Span::ZERO; 5] }
    }

    /// From `now` on `held` is the cause.
    pub(crate) fn turn(&mut self, now: Time, held: Held) {
        self.spans[self.held as usize] += now.since(self.since);
        (self.held, self.since) = (held, now);
    }

    /// Fills in the times until `now`.
    pub(crate) fn count(&self, now: Time, counts: GuestCounts) -> GuestCounts {
        let of = |held: Held| {
            let open = if held == self.held { now.since(self.since) } else { Span::ZERO };
            self.spans[held as usize] + open
        };
        GuestCounts {
            blocked_window: of(Held::Window),
            blocked_pacer: of(Held::Pacer),
            blocked_flow_control: of(Held::FlowControl),
            blocked_application: of(Held::Application),
            ..counts
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_to_the_cause_that_stood() {
        let at = Time::from_nanos;
        let mut account = Account::new();
        account.turn(at(10), Held::Window);
        account.turn(at(15), Held::Pacer);
        account.turn(at(16), Held::Window);
        account.turn(at(20), Held::Application);
        let counts = account.count(at(50), GuestCounts::default());
        let spans = [
            counts.blocked_window,
            counts.blocked_pacer,
            counts.blocked_flow_control,
            counts.blocked_application,
        ];
        assert_eq!(spans, [9, 1, 0, 30].map(Span::from_nanos));
    }
}
