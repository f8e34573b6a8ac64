//! Rapid Start: slow start that triples the window per round trip while the round trip is low, and
//! whose first reduction takes back what it sent too much.
//!
//! Source: draft-kazuho-ccwg-rapid-start-02 with the working copy after it; quicly b11d3634, which
//! has the constants of -00.
//!
//! Ambiguities, and the choice made here:
//! * the text's threshold of the round trip is the lesser of min_rtt + 4 ms and 1.1 min_rtt, and
//!   quicly's the greater of min_rtt + 4 ms and 35/32 min_rtt: the text's unless set;
//! * "acknowledged" and "lost" during the reduction are counted for transmissions that left before
//!   it, each once. With these the window ends at β times what was delivered of the flight.
//!
//! Deviations:
//! * TCP declares losses late, over a round trip and more: each is counted when it is declared;
//! * the combination with HyStart++ is left out: a connection has one start.

use narrows_units::{Span, Time};

/// The round trip up to which the window triples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RapidThreshold {
    /// min(min_rtt + 4 ms, 1.1 min_rtt).
    Draft,
    /// max(min_rtt + 4 ms, 35/32 min_rtt), and never below a round trip of 4 ms.
    Quicly,
    /// Any.
    Off,
}

const MARGIN: Span = Span::from_millis(4);
/// Times in which the least round trip is kept, each a quarter of the least of all.
const SLOTS: usize = 4;

/// The growth.
#[derive(Clone, Debug)]
pub struct Rapid {
    threshold: RapidThreshold,
    /// The least round trip of the connection; [`Span::MAX`] before the first.
    min_rtt: Span,
    /// Least round trips of the latest times, the present one first.
    slots: [Span; SLOTS],
    /// When the present one began.
    began: Time,
}

impl Rapid {
    /// At the start of a connection.
    pub fn new(threshold: RapidThreshold) -> Rapid {
        Rapid { threshold, min_rtt: Span::MAX, slots: [Span::MAX; SLOTS], began: Time::ZERO }
    }

    /// A round trip was measured.
    pub fn on_rtt(&mut self, now: Time, rtt: Span) {
        self.min_rtt = self.min_rtt.min(rtt);
        let slot = Span::from_nanos((self.min_rtt.as_nanos() / SLOTS as u64).max(1));
        let passed = now.since(self.began).as_nanos() / slot.as_nanos();
        if passed >= SLOTS as u64 {
            self.slots = [Span::MAX; SLOTS];
            self.began = now;
        } else if passed > 0 {
            self.slots.rotate_right(passed as usize);
            self.slots[..passed as usize].fill(Span::MAX);
            self.began += slot * passed;
        }
        self.slots[0] = self.slots[0].min(rtt);
    }

    /// Segments of growth for each one acknowledged: 2 while the least round trip of the latest
    /// round is low, 1 otherwise.
    pub fn factor(&self) -> u32 {
        let floor = self.slots.into_iter().fold(Span::MAX, Span::min);
        if self.limit().is_some_and(|limit| floor <= limit) { 2 } else { 1 }
    }

    /// The longest round trip that is low; `None` if none is.
    fn limit(&self) -> Option<Span> {
        let least = self.min_rtt.as_nanos();
        let margin = least.saturating_add(MARGIN.as_nanos());
        match self.threshold {
            RapidThreshold::Off => Some(Span::MAX),
            _ if self.min_rtt == Span::MAX => Some(Span::MAX),
            RapidThreshold::Draft => Some(Span::from_nanos(margin.min(least + least / 10))),
            RapidThreshold::Quicly if self.min_rtt < MARGIN => None,
            RapidThreshold::Quicly => Some(Span::from_nanos(margin.max(least + least * 3 / 32))),
        }
    }
}

/// The first reduction after Rapid Start.
#[derive(Clone, Copy, Debug)]
pub struct RapidCut {
    /// Segments that may be in flight now.
    pub window: f64,
    floor: f64,
    /// Segments by which the window falls for each one acknowledged, and for each one lost.
    per_acked: f64,
    per_lost: f64,
}

impl RapidCut {
    /// A reduction at a window of `pre` segments by a controller that leaves the part `beta`. `k`
    /// is K of the draft: 2/3, in -00 and quicly 11/18. The window stays above `least`.
    pub fn new(pre: f64, beta: f64, k: f64, least: f64) -> RapidCut {
        let silence = beta + k * (1.0 - beta);
        RapidCut {
            window: silence * pre,
            floor: least.max(beta * pre / 3.0),
            per_acked: k * (1.0 - beta),
            per_lost: silence,
        }
    }

    /// Forgets the floor but for a segment: a published fault put back for tests.
    pub fn forget_floor(&mut self) {
        self.floor = 1.0;
    }

    /// Transmissions that left before the reduction were acknowledged and lost.
    pub fn on_fates(&mut self, acked: f64, lost: f64) {
        let window = self.window - self.per_acked * acked - self.per_lost * lost;
        self.window = window.max(self.floor).min(self.window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, near};

    const K: f64 = 2.0 / 3.0;

    fn ms(ms: f64) -> Span {
        Span::from_secs_f64(ms / 1e3)
    }

    #[test]
    fn the_threshold_of_the_round_trip_is_the_texts_or_quiclys() {
        for (rtt, draft, quicly) in
            [(20.0, 22.0, 24.0), (40.0, 44.0, 44.0), (100.0, 104.0, 109.375)]
        {
            for (threshold, limit) in
                [(RapidThreshold::Draft, draft), (RapidThreshold::Quicly, quicly)]
            {
                let mut rapid = Rapid::new(threshold);
                rapid.on_rtt(at(0), ms(rtt));
                assert_eq!(rapid.limit(), Some(ms(limit)), "{threshold:?} at {rtt} ms");
            }
        }
        let mut short = Rapid::new(RapidThreshold::Quicly);
        short.on_rtt(at(0), ms(3.9));
        assert_eq!(short.factor(), 1, "off below 4 ms");
    }

    #[test]
    fn a_low_round_trip_counts_for_one_round_trip() {
        let mut rapid = Rapid::new(RapidThreshold::Draft);
        rapid.on_rtt(at(1_000), ms(100.0));
        for (now, rtt, factor) in [(1_010, 150.0, 2), (1_099, 150.0, 2), (1_101, 150.0, 1)] {
            rapid.on_rtt(at(now), ms(rtt));
            assert_eq!(rapid.factor(), factor, "at {now} ms");
        }
        rapid.on_rtt(at(1_130), ms(104.0));
        assert_eq!(rapid.factor(), 2, "104 ms is low");
        rapid.on_rtt(at(2_000), ms(104.1));
        assert_eq!(rapid.factor(), 1);
    }

    #[test]
    fn the_parts_of_the_reduction_follow_from_beta() {
        for (beta, k, silence, per_acked) in [
            (0.5, K, 5.0 / 6.0, 1.0 / 3.0),
            (0.7, K, 0.9, 0.2),
            (0.7, 11.0 / 18.0, 53.0 / 60.0, 11.0 / 60.0),
            (0.8, K, 14.0 / 15.0, 2.0 / 15.0),
        ] {
            let cut = RapidCut::new(1.0, beta, k, 0.0);
            near(cut.window, silence);
            near(cut.per_lost, silence);
            near(cut.per_acked, per_acked);
        }
    }

    #[test]
    fn the_window_ends_at_beta_times_what_was_delivered_and_not_below_a_third_of_it() {
        let mut cut = RapidCut::new(300.0, 0.7, K, 2.0);
        near(cut.window, 270.0);
        cut.on_fates(100.0, 0.0);
        near(cut.window, 250.0);
        cut.on_fates(0.0, 200.0);
        near(cut.window, 70.0);
        cut.on_fates(0.0, 1.0);
        near(cut.window, 70.0);
        let mut marked = RapidCut::new(300.0, 0.7, K, 2.0);
        marked.on_fates(300.0, 0.0);
        near(marked.window, 210.0);
        for lost in [0.0, 50.0, 123.0] {
            let mut cut = RapidCut::new(300.0, 0.5, K, 2.0);
            cut.on_fates(300.0 - lost, lost);
            near(cut.window, 0.5 * (300.0 - lost));
        }
    }

    /// 691 segments leave in 7 rounds that double and in 5 that triple, or 4 from 20 segments.
    #[test]
    fn a_transfer_of_691_segments_takes_two_rounds_less() {
        let rounds = |initial: u32, factor: u32| {
            let (mut window, mut sent, mut rounds) = (initial, 0, 0);
            while sent < 691 {
                sent += window;
                window += factor * window;
                rounds += 1;
            }
            rounds
        };
        let rapid = Rapid::new(RapidThreshold::Draft);
        assert_eq!(
            [rounds(10, 1), rounds(10, rapid.factor()), rounds(20, rapid.factor())],
            [7, 5, 4]
        );
    }
}
