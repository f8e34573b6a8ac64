//! The round trips of Copa: the least of a long window, the standing one of a short window, and the
//! greatest of the last ones.

use crate::parts::windowed::WindowedMax;
use narrows_units::{Span, Time};
use std::cmp::Reverse;

/// For how long a round trip counts for the least (Copa, section 2.1).
const MEMORY: Span = Span::from_secs(10);
/// Smoothed round trips for which one counts for the greatest (section 2.2).
const GREATEST_OVER: u64 = 4;

/// The round trips in their windows, in nanoseconds, each in constant space: the least may rise,
/// and the greatest fall, before a whole window is over (Linux `lib/win_minmax.c`, as in mvfst).
#[derive(Clone, Debug)]
pub struct Delay {
    least: WindowedMax<Reverse<Span>, u64>,
    standing: WindowedMax<Reverse<Span>, u64>,
    greatest: WindowedMax<Span, u64>,
}

/// Delays of the present window of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayView {
    /// The least round trip of the last half of a smoothed one: RTTstanding.
    pub standing: Span,
    /// RTTstanding − RTTmin: the queueing delay d_q.
    pub queueing: Span,
    /// RTTmax − RTTmin.
    pub spread: Span,
}

impl Delay {
    /// None was measured.
    pub fn new() -> Delay {
        let never = WindowedMax::new(0, Reverse(Span::MAX));
        Delay { least: never, standing: never, greatest: WindowedMax::new(0, Span::ZERO) }
    }

    /// A round trip was measured; `srtt` is the smoothed one.
    pub fn sample(&mut self, now: Time, rtt: Span, srtt: Span) {
        let at = now.as_nanos();
        self.least.update(MEMORY.as_nanos(), at, Reverse(rtt));
        self.standing.update(srtt.as_nanos() / 2, at, Reverse(rtt));
        self.greatest.update((srtt * GREATEST_OVER).as_nanos(), at, rtt);
    }

    /// The known values; `None` before the first round trip.
    pub fn seen(&self) -> Option<DelayView> {
        let (Reverse(least), Reverse(standing)) = (self.least.get(), self.standing.get());
        (standing != Span::MAX).then(|| DelayView {
            standing,
            queueing: standing.saturating_sub(least),
            spread: self.greatest.get().saturating_sub(least),
        })
    }

    /// The least round trip, in seconds; not a number before the first.
    pub fn least(&self) -> f64 {
        let Reverse(least) = self.least.get();
        if least == Span::MAX { f64::NAN } else { least.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn each_has_its_window() {
        let mut delay = Delay::new();
        let srtt = Span::from_millis(100);
        assert_eq!(delay.seen(), None);
        let mut seen = |ms: u64, rtt: u64| {
            delay.sample(at(ms), Span::from_millis(rtt), srtt);
            delay
                .seen()
                .map(|seen| {
                    [seen.standing, seen.queueing, seen.spread]
                        .map(|span| span.as_nanos() / 1_000_000)
                })
                .unwrap()
        };
        assert_eq!(seen(1_000, 80), [80, 0, 0]);
        assert_eq!(seen(1_010, 130), [80, 0, 50]);
        assert_eq!(seen(1_040, 110), [80, 0, 50]);
        // 51 ms after the 80: the least of the last 50 ms is the 110; that of 10 s stays.
        assert_eq!(seen(1_051, 120), [110, 30, 50]);
        // More than a quarter of 400 ms after the 130, its successor; then the 130 is 401 ms old.
        assert_eq!(seen(1_120, 115), [115, 35, 50]);
        assert_eq!(seen(1_411, 90), [90, 10, 35]);
        // More than a quarter of 10 s after the 80, its successor; then the 80 is more than 10 s
        // old.
        assert_eq!(seen(4_000, 85), [85, 5, 5]);
        assert_eq!(seen(11_010, 95), [95, 10, 10]);
    }

    /// Half of a round trip of 150 us: the 100 us stand for 75 us, and then the 140.
    #[test]
    fn round_trips_below_a_fifth_of_a_millisecond_have_a_standing_one_too() {
        let mut delay = Delay::new();
        let srtt = Span::from_micros(150);
        let mut standing = |us: u64, rtt: u64| {
            delay.sample(Time::ZERO + Span::from_micros(us), Span::from_micros(rtt), srtt);
            delay.seen().map(|seen| seen.standing)
        };
        let micros = |us: u64| Some(Span::from_micros(us));
        assert_eq!(
            (standing(1_000, 100), standing(1_040, 150), standing(1_074, 140)),
            (micros(100), micros(100), micros(100))
        );
        assert_eq!(standing(1_076, 160), micros(140));
    }
}
