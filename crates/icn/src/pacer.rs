//! The pace of Interests.

use narrows_units::{Rate, Span, Time};

/// Allows one Interest per gap. A changed gap counts from the latest Interest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    last: Option<Time>,
    catch_up: Span,
}

impl Pacer {
    /// A caller that comes late makes up for up to `catch_up` of it, as for less than a gap in any
    /// case.
    pub(crate) fn new(catch_up: Span) -> Pacer {
        Pacer { last: None, catch_up }
    }

    /// When the next Interest may leave.
    pub(crate) fn due(&self, gap: Span) -> Time {
        self.last.map_or(Time::ZERO, |last| last + gap)
    }

    /// The rate was zero until `now`: the time without one does not count for the next Interest.
    pub(crate) fn restart(&mut self, now: Time) {
        self.last = Some(now);
    }

    /// An Interest leaves. A delay of less than one gap, or of what may be caught up, as when a
    /// host wakes late, does not delay later Interests; of a longer one no more than that is made
    /// up for, and of a longer pause nothing unless there is something to catch up.
    pub(crate) fn take(&mut self, now: Time, gap: Span) {
        let due = self.due(gap);
        self.last = Some(match self.last {
            None => now,
            Some(_) if now.since(due) < gap.max(self.catch_up) => due,
            Some(_) => now - self.catch_up,
        });
    }

    /// An Interest leaves that has waited for its turn: the caller is late by no pause, and makes
    /// up for one gap, or for `catch_up`.
    pub(crate) fn take_waiting(&mut self, now: Time, gap: Span, catch_up: Span) {
        self.last = Some(self.due(gap).max(now - gap.max(catch_up)));
    }
}

/// The time between Interests that request Data of `data_size` octets at `rate`.
pub(crate) fn gap_at(rate: Rate, data_size: f64) -> Span {
    Span::from_secs_f64(8.0 * data_size / rate.as_bps() as f64).max(Span::from_nanos(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn lateness_is_made_up_for_and_idleness_is_not() {
        let mut pacer = Pacer::default();
        let gap = Span::from_millis(10);
        pacer.take(at(5), gap);
        assert_eq!(pacer.due(gap), at(15));
        pacer.take(at(19), gap);
        assert_eq!(pacer.due(gap), at(25));
        pacer.take(at(35), gap);
        assert_eq!(pacer.due(gap), at(45));
    }

    #[test]
    fn what_may_be_caught_up_is_more_than_a_gap() {
        let mut pacer = Pacer::new(Span::from_millis(10));
        let gap = Span::from_millis(2);
        pacer.take(at(5), gap);
        pacer.take(at(14), gap);
        assert_eq!(pacer.due(gap), at(9), "three more at once");
        pacer.take(at(20), gap);
        assert_eq!(pacer.due(gap), at(12), "of 11 ms 10 are made up for");
        let mut pacer = Pacer::default();
        pacer.take(at(5), gap);
        pacer.take_waiting(at(8), gap, Span::from_millis(1));
        assert_eq!(pacer.due(gap), at(9), "1 ms late");
        pacer.take_waiting(at(14), gap, Span::from_millis(3));
        assert_eq!(pacer.due(gap), at(13), "of 5 ms 3 are made up for");
    }

    #[test]
    fn a_new_gap_counts_from_the_latest_interest() {
        let mut pacer = Pacer::default();
        pacer.take(at(100), Span::from_millis(10));
        assert_eq!(pacer.due(Span::from_millis(4)), at(104));
        assert_eq!(pacer.due(Span::from_millis(40)), at(140));
        assert_eq!(pacer.due(Span::MAX), Time::NEVER);
    }
}
