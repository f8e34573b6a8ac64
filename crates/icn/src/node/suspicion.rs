//! Whether the path behind a face is slower than its rate says: Interests go unanswered, or their
//! round trip grows though nothing waits here.
//!
//! Interests that nobody answers for other reasons count as well. The numbers are ours.

use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// How often a verdict is given.
const SECOND: Span = Span::from_secs(1);
/// Unanswered Interests count above this share.
const UNANSWERED: f64 = 0.02;
/// How long the least round trip is remembered, and how far above twice of it the present one may
/// be.
const MEMORY: Span = Span::from_secs(10);
const MARGIN: Span = Span::from_millis(5);

/// Counts of a face so far, and its state now.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaceCounts {
    /// Interests sent.
    pub sent: u64,
    /// Packets received in answer: Data and Nacks.
    pub answered: u64,
    /// Interests that wait in its shaper.
    pub waiting: usize,
    /// Mean round trip over its link, if one is known.
    pub round_trip: Option<Span>,
}

/// Watches a face for signs that the path behind it is slower than its rate.
#[derive(Clone, Debug, Default)]
pub struct Suspicion {
    began: Time,
    at_first: FaceCounts,
    /// Looks of this second, and those at which the round trip was long.
    looks: u32,
    long: u32,
    /// Shares of Interests that went unanswered in the last whole second and in the one before. One
    /// alone may be of a sender that has just begun.
    unanswered: [f64; 2],
    /// The share that is usual here.
    usual: f64,
    is_late: bool,
    round_trips: VecDeque<(Time, Span)>,
    seconds: u64,
}

impl Suspicion {
    /// Seconds so far that were suspect.
    pub fn seconds(&self) -> u64 {
        self.seconds
    }

    /// True if at the latest look the round trip was longer than twice the least of 10 s and 5 ms.
    pub fn is_late(&self) -> bool {
        self.is_late
    }

    /// The share of Interests that went unanswered in both of the last two whole seconds, beyond
    /// the usual one; `None` if it is at most 2 % and a quarter of the usual share, which varies.
    pub fn unanswered(&self) -> Option<f64> {
        let [last, before] = self.unanswered;
        let beyond = last.min(before) - self.usual;
        (beyond > UNANSWERED + self.usual / 4.0).then_some(beyond)
    }

    /// The share of Interests that went unanswered in the last whole second, beyond the usual one.
    pub fn unanswered_beyond(&self) -> f64 {
        self.unanswered[0] - self.usual
    }

    /// The share of Interests that usually goes unanswered here.
    pub fn usual(&self) -> f64 {
        self.usual
    }

    /// Takes the present round trip and the present share of unanswered Interests for usual.
    pub fn accept(&mut self) {
        if let Some((_, latest)) = self.round_trips.back().copied() {
            self.round_trips.iter_mut().for_each(|(_, round_trip)| *round_trip = latest);
        }
        (self.usual, self.is_late) = (self.unanswered[0].min(self.unanswered[1]), false);
    }

    /// Looks at the face, a few times a second.
    pub fn look(&mut self, now: Time, seen: &FaceCounts) {
        let elapsed = now.since(self.began);
        if elapsed >= SECOND {
            self.judge(seen, elapsed);
            (self.began, self.at_first, self.looks, self.long) = (now, *seen, 0, 0);
        }
        self.looks += 1;
        if let Some(round_trip) = seen.round_trip {
            self.round_trips
                .retain(|(when, least)| now.since(*when) < MEMORY && *least < round_trip);
            self.round_trips.push_back((now, round_trip));
            let least = self.round_trips.front().map_or(round_trip, |(_, least)| *least);
            self.is_late = round_trip > least * 2 + MARGIN;
            self.long += u32::from(seen.waiting == 0 && self.is_late);
        }
    }

    fn judge(&mut self, seen: &FaceCounts, elapsed: Span) {
        let sent = seen.sent - self.at_first.sent;
        let answered = seen.answered.saturating_sub(self.at_first.answered);
        let share = if sent > 0 { sent.saturating_sub(answered) as f64 / sent as f64 } else { 0.0 };
        self.unanswered = [share, self.unanswered[0]];
        if share < self.usual {
            self.usual += (share - self.usual) / 4.0;
        }
        let is_long = sent > 0 && 2 * self.long > self.looks;
        // A process that was stopped has seen nothing.
        if elapsed < SECOND * 2 && (self.unanswered().is_some() || is_long) {
            self.seconds += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks ten times a second for `seconds`.
    fn look(suspicion: &mut Suspicion, from: u64, seconds: u64, seen: impl Fn(u64) -> FaceCounts) {
        for look in 10 * from..10 * (from + seconds) {
            suspicion.look(Time::ZERO + Span::from_millis(100 * look), &seen(look));
        }
    }

    #[test]
    fn a_path_that_answers_is_not_suspect() {
        let mut suspicion = Suspicion::default();
        // 100 Interests a second, of which one in a hundred goes unanswered.
        look(&mut suspicion, 0, 20, |look| FaceCounts {
            sent: 1000 * look,
            answered: 990 * look,
            ..FaceCounts::default()
        });
        assert_eq!(suspicion.seconds(), 0);
    }

    #[test]
    fn interests_that_go_unanswered_for_two_seconds_make_the_second_suspect() {
        let mut suspicion = Suspicion::default();
        look(&mut suspicion, 0, 6, |look| FaceCounts {
            sent: 1000 * look,
            answered: 970 * look,
            ..FaceCounts::default()
        });
        // Judged at 1, 2, 3, 4 and 5 s; the first alone might be of a sender that begins.
        assert_eq!(suspicion.seconds(), 4);
        let mut begins = Suspicion::default();
        look(&mut begins, 0, 6, |look| FaceCounts {
            sent: 100 * look,
            answered: (100 * look).saturating_sub(50),
            ..FaceCounts::default()
        });
        assert_eq!(begins.seconds(), 0, "50 are on their way");
    }

    #[test]
    fn a_round_trip_that_grows_is_suspect_unless_interests_wait_here() {
        let grown = |waiting| {
            let mut suspicion = Suspicion::default();
            let seen = move |look: u64| FaceCounts {
                sent: look,
                answered: look,
                waiting: if look < 50 { 0 } else { waiting },
                round_trip: Some(Span::from_millis(if look < 50 { 20 } else { 46 })),
            };
            look(&mut suspicion, 0, 9, seen);
            suspicion.seconds()
        };
        // 46 ms is more than twice 20 ms and 5 ms, from the 5th to the 8th second.
        assert_eq!((grown(0), grown(1)), (3, 0));
    }

    #[test]
    fn what_a_stopped_process_has_not_seen_is_not_suspect() {
        let mut suspicion = Suspicion::default();
        for look in 0..5 {
            suspicion.look(
                Time::ZERO + Span::from_secs(3 * look),
                &FaceCounts { sent: 1000 * look, ..FaceCounts::default() },
            );
        }
        assert_eq!(suspicion.seconds(), 0);
    }
}
