//! Rounds timed by packets. A round ends when a segment that was sent after its start is
//! acknowledged.

use narrows_units::{Span, Time};

/// Counts rounds, each of which begins where the one before ends.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The number of the next segment to be sent for the first time.
    next: u64,
    /// The first segment that was sent in the present round.
    first: u64,
}

impl Round {
    /// A segment leaves.
    pub fn on_sent(&mut self, number: u64) {
        self.next = self.next.max(number + 1);
    }

    /// True if the acknowledgement of segment `highest` ends the round. The next one then begins.
    pub fn ends_with(&mut self, highest: u64) -> bool {
        let ends = highest >= self.first;
        if ends {
            self.begin();
        }
        ends
    }

    /// Begins a round now.
    pub fn begin(&mut self) {
        self.first = self.next;
    }
}

/// Rounds timed by packets that have a least duration. The first acknowledgement ends the first
/// one.
#[derive(Clone, Debug)]
pub struct LongRound {
    round: Round,
    /// When the present round began; `None` before the first acknowledgement.
    began: Option<Time>,
    least: Span,
}

impl LongRound {
    /// Rounds that last `least` each, or a round trip if that is longer.
    pub fn new(least: Span) -> LongRound {
        LongRound { round: Round::default(), began: None, least }
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, number: u64) {
        self.round.on_sent(number);
    }

    /// True if the acknowledgement of segment `highest` at `now` ends the round. The next one then
    /// begins.
    pub fn ends_with(&mut self, highest: u64, now: Time) -> bool {
        let long = self.began.is_none_or(|began| now.since(began) >= self.least);
        let ends = long && self.round.ends_with(highest);
        if ends {
            self.began = Some(now);
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn a_round_ends_with_what_was_sent_in_it_and_not_before_its_least_duration() {
        let mut rounds = LongRound::new(Span::from_millis(25));
        (0..10).for_each(|number| rounds.on_sent(number));
        assert!(rounds.ends_with(0, at(5)), "the first");
        assert!(!rounds.ends_with(9, at(50)), "sent before it began");
        (10..20).for_each(|number| rounds.on_sent(number));
        assert!(rounds.ends_with(10, at(51)));
        (20..30).for_each(|number| rounds.on_sent(number));
        assert!(!rounds.ends_with(20, at(75)));
        assert!(rounds.ends_with(21, at(76)));
    }
}
