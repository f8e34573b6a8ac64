//! Congestion marks: they tell consumers that a queue towards a neighbour stays long.
//!
//! Source: NFD's `GenericLinkService` and its wiki, page "NDNLPv2", section "Congestion Marking".
//! The first mark follows once the queue has been above the threshold for an interval. The gap to
//! each further mark is the interval over the square root of the number of marks, as in CoDel (RFC
//! 8289).

use narrows_units::{Span, Time};

/// Marking of the packets of one face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker {
    /// Octets that may wait without marks. The default is 65,536.
    pub(crate) threshold: u64,
    /// Time for which more octets may wait without marks. The default is 100 ms.
    pub(crate) interval: Span,
    /// Time from which the next packet is marked, unless the queue falls below the threshold
    /// before. `None` while it is below.
    next: Option<Time>,
    /// Marks since the queue rose above the threshold.
    marks: u32,
}

impl Default for Marker {
    fn default() -> Marker {
        Marker { threshold: 65_536, interval: Span::from_millis(100), next: None, marks: 0 }
    }
}

impl Marker {
    /// True if a packet that leaves now is to be marked. `queued` octets wait before it.
    pub(crate) fn marks(&mut self, now: Time, queued: u64) -> bool {
        if queued <= self.threshold {
            (self.next, self.marks) = (None, 0);
            return false;
        }
        let next = *self.next.get_or_insert(now + self.interval);
        if now < next {
            return false;
        }
        self.marks += 1;
        let gap = self.interval.as_secs_f64() / f64::from(self.marks + 1).sqrt();
        self.next = Some(now + Span::from_secs_f64(gap));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_after_an_interval_and_then_more_and_more_often() {
        let mut marker = Marker::default();
        let marked: Vec<u64> = (0..400)
            .filter(|ms| marker.marks(Time::ZERO + Span::from_millis(*ms), 70_000))
            .collect();
        // Marks follow at 100 ms, then 100/sqrt 2 = 70.7, 100/sqrt 3 = 57.7, 50, 44.7 ms later,
        // each at the next whole millisecond.
        assert_eq!(marked, [100, 171, 229, 279, 324, 365]);
        assert!(
            !marker.marks(Time::ZERO + Span::from_millis(500), 65_536),
            "no more than the threshold"
        );
        assert!(
            !marker.marks(Time::ZERO + Span::from_millis(501), 70_000),
            "the interval begins again"
        );
    }
}
