//! The least round trip of ten minutes, in constant space (RFC 6817 section 4.2).

use narrows_units::{Span, Time};

/// Minutes that count (BASE_HISTORY).
const MINUTES: usize = 10;
const MINUTE: Span = Span::from_secs(60);

/// The least of each minute.
#[derive(Clone, Debug)]
pub struct Base {
    /// The latest first.
    minutes: [Span; MINUTES],
    /// When the latest minute began.
    began: Option<Time>,
}

impl Base {
    /// None was measured.
    pub fn new() -> Base {
        Base { minutes: [Span::MAX; MINUTES], began: None }
    }

    /// A round trip was measured.
    pub fn sample(&mut self, now: Time, rtt: Span) {
        if now.since(*self.began.get_or_insert(now)) >= MINUTE {
            self.minutes.rotate_right(1);
            self.minutes[0] = rtt;
            self.began = Some(now);
        }
        self.minutes[0] = self.minutes[0].min(rtt);
    }

    /// The least; `None` before the first.
    pub fn get(&self) -> Option<Span> {
        self.minutes.into_iter().min().filter(|base| *base != Span::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn a_minute_counts_for_ten() {
        let mut base = Base::new();
        assert_eq!(base.get(), None);
        let mut least = |ms: u64, rtt: u64| {
            base.sample(at(ms), Span::from_millis(rtt));
            base.get()
        };
        assert_eq!(
            [(0, 80), (10, 50), (20, 90)].map(|(ms, rtt)| least(ms, rtt)),
            [80, 50, 50].map(|ms| Some(Span::from_millis(ms)))
        );
        for minute in 1..10 {
            assert_eq!(least(60_000 * minute, 60), Some(Span::from_millis(50)));
        }
        assert_eq!(least(600_000, 65), Some(Span::from_millis(60)), "the first minute has left");
    }
}
