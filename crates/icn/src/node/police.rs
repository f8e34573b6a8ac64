//! Bounds a neighbour that asks for more than its rate.
//!
//! Nothing makes a consumer follow the rates in its Data. A face that is policed takes primary
//! Interests for no more Data than 1.25 times the rate that it was told, as a mean over a second,
//! and one Data more. The rate is the greatest of the last second, which is the best path's,
//! and lasts while the consumer hears of a lower one. Secondary Interests are not bounded: they get
//! what primary ones leave, and give way to them in the shaper. No paper describes this; it is
//! ours.

use super::meter::MeanSize;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;

/// The allowance beyond the rate: consumers catch up after they wake late, and the size of Data
/// varies.
const GRANTED: f64 = 1.25;
/// The parts of the second over which the mean is taken.
const PARTS: usize = 10;
const PART: Span = Span::from_millis(100);
/// A rate is told for at least a second.
const TOLD: Span = Span::from_secs(1);
/// The size of Data in bytes before the first (`ShaperNetDeviceFace`, as the shaper).
const ASSUMED_DATA: f64 = 1100.0;

/// The rates that a neighbour was told, and the Data that it has asked for.
#[derive(Clone, Debug)]
pub(crate) struct Police {
    /// The greatest primary rates told in this second and in the one before; `None` without any.
    told: [Option<Rate>; 2],
    second: Time,
    /// Octets of Data asked for in this part of a second, and in those before it, the latest first.
    asked: [f64; PARTS + 1],
    part: Time,
    data: MeanSize,
}

impl Police {
    pub(crate) fn new(now: Time) -> Police {
        Police {
            told: [None; 2],
            second: now,
            asked: [0.0; PARTS + 1],
            part: now,
            data: MeanSize::assumed(ASSUMED_DATA),
        }
    }

    /// Data leaves for the neighbour. Data from a cache has no rate, and says nothing of the way.
    pub(crate) fn on_data(&mut self, now: Time, rates: Rates, size: Bytes) {
        self.data.add(size);
        if rates.primary < Rates::UNLIMITED.primary {
            self.pass(now);
            self.told[0] = self.told[0].max(Some(rates.primary));
        }
    }

    /// True if an Interest may pass, which it does then. While no rate is known all may.
    pub(crate) fn admits(&mut self, now: Time) -> bool {
        self.pass(now);
        let rate = self.told[0].max(self.told[1]);
        let admits = rate
            .is_none_or(|rate| self.asked_in_a_second(now) <= GRANTED * rate.as_bps() as f64 / 8.0);
        if admits {
            self.asked[0] += self.data.get();
        }
        admits
    }

    /// Octets asked for within a second: of the part in which it began as much as is within.
    fn asked_in_a_second(&self, now: Time) -> f64 {
        let within = 1.0 - now.since(self.part).as_secs_f64() / PART.as_secs_f64();
        self.asked[..PARTS].iter().sum::<f64>() + self.asked[PARTS] * within
    }

    fn pass(&mut self, now: Time) {
        let seconds = now.since(self.second).as_nanos() / TOLD.as_nanos();
        if seconds > 0 {
            self.told = [None, self.told[0].filter(|_| seconds == 1)];
            self.second += TOLD * seconds;
        }
        let parts = now.since(self.part).as_nanos() / PART.as_nanos();
        if parts > 0 {
            let over = parts.min(self.asked.len() as u64) as usize;
            self.asked.rotate_right(over % (PARTS + 1));
            self.asked[..over].fill(0.0);
            self.part += PART * parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn told(mbps: u64) -> Rates {
        Rates { primary: Rate::from_mbps(mbps), secondary: Rate::ZERO }
    }

    /// Interests that pass of those that come every millisecond from `from` to `until`.
    fn passed(police: &mut Police, from: u64, until: u64) -> usize {
        (from..until).filter(|ms| police.admits(at(*ms))).count()
    }

    #[test]
    fn a_quarter_more_than_the_rate_and_one_data_pass_in_a_second() {
        let mut police = Police::new(at(0));
        police.on_data(at(0), told(2), Bytes::new(1000));
        // 2 Mbit/s are 250 Data a second: 312.5 of them, and one more.
        assert_eq!(passed(&mut police, 0, 1000), 313);
        police.on_data(at(1000), told(2), Bytes::new(1000));
        // Those of the first second came in its first 313 ms, and leave the mean as they came: a
        // tenth of a second at a time, evenly.
        assert_eq!((passed(&mut police, 1000, 1100), passed(&mut police, 1100, 2000)), (99, 214));
    }

    #[test]
    fn who_keeps_to_the_rate_passes_even_if_the_rate_falls() {
        let mut police = Police::new(at(0));
        for ms in (0..20_000).step_by(4) {
            let now = at(ms);
            // 2 Mbit/s, from 10 s on half of it; the consumer follows 20 ms later.
            police.on_data(now, told(if ms < 10_000 { 2 } else { 1 }), Bytes::new(1000));
            if ms < 10_020 || ms % 8 == 0 {
                assert!(police.admits(now), "{ms}");
            }
        }
        // 156.25 at 1 Mbit/s, of which 125 in the last second have been asked for evenly.
        let more = passed(&mut police, 20_000, 21_000);
        assert!((155..=157).contains(&more), "{more}");
    }

    #[test]
    fn without_a_rate_all_pass() {
        let mut police = Police::new(at(0));
        police.on_data(at(0), Rates::UNLIMITED, Bytes::new(1000));
        assert_eq!(passed(&mut police, 0, 1000), 1000);
        police.on_data(at(1000), told(1), Bytes::new(1000));
        assert_eq!(passed(&mut police, 1000, 1500), 0, "more than a second's worth has passed");
        assert_eq!(
            passed(&mut police, 3000, 4000),
            1000,
            "what was told two seconds ago is forgotten"
        );
    }
}
