//! The queueing delay: the least of the latest round trips over the base.

use crate::parts::base::Base;
use narrows_units::{Span, Time};

/// Samples of which the least is the present delay (RFC 6817 section 4.2, CURRENT_FILTER).
const SAMPLES: usize = 4;

/// Round trips, since the draft measures by them and not by one-way delays.
#[derive(Clone, Debug)]
pub struct Delay {
    base: Base,
    /// The latest samples, in a ring.
    latest: [Span; SAMPLES],
    next: usize,
}

impl Delay {
    /// None was measured.
    pub fn new() -> Delay {
        Delay { base: Base::new(), latest: [Span::MAX; SAMPLES], next: 0 }
    }

    /// A round trip was measured.
    pub fn sample(&mut self, now: Time, rtt: Span) {
        self.base.sample(now, rtt);
        self.latest[self.next] = rtt;
        self.next = (self.next + 1) % SAMPLES;
    }

    /// The least round trip of ten minutes; `None` before the first.
    pub fn base(&self) -> Option<Span> {
        self.base.get()
    }

    /// The queueing delay; zero before the first round trip.
    pub fn queueing(&self) -> Span {
        match (self.base(), self.latest.into_iter().min()) {
            (Some(base), Some(present)) => present.saturating_sub(base),
            _ => Span::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn the_least_of_four_over_the_base() {
        let mut delay = Delay::new();
        assert_eq!(delay.queueing(), Span::ZERO);
        let mut queueing = |ms: u64, rtt: u64| {
            delay.sample(at(ms), Span::from_millis(rtt));
            delay.queueing()
        };
        assert_eq!(
            [(0, 50), (10, 80), (20, 90), (30, 70)].map(|(ms, rtt)| queueing(ms, rtt)),
            [Span::ZERO; 4]
        );
        assert_eq!(queueing(40, 90), Span::from_millis(20));
        assert_eq!(queueing(50, 40), Span::ZERO);
    }
}
