//! Window pacing: an increase is spread over a round trip, lest it leave as a burst that is then measured as queue.

use narrows_units::{Span, Time};

/// How an increase is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spreading {
    /// Not at all.
    None,
    /// By a timer, in equal intervals.
    Time,
    /// As acknowledgements come, but held until a burst of them is over.
    Event,
    /// As acknowledgements come.
    Acks,
}

/// Gaps between acknowledgements that end a burst: so many times their mean distance over the last round trip, and at least this long.
const GAP: (f64, Span) = (4.0, Span::from_micros(200));
/// Up to this window an increase is not spread by acknowledgements: there are too few of them (ns-2.35 `tcp-fast.cc`).
const SMALL_WINDOW: f64 = 4.0;
/// Nor on shorter paths (ns-2.35 `tcp-fast.cc`).
const SHORT_PATH: f64 = 4e-3;

/// What an increase must know of the round trip over which it is spread.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Packets acknowledged in the round before.
    pub packets: f64,
    /// Acknowledgements in the round before.
    pub acks: f64,
    /// The present round trip, in seconds.
    pub rtt: f64,
    /// The round trip without queue, in seconds.
    pub base: f64,
}

/// An increase under way.
#[derive(Clone, Debug)]
pub struct Increase {
    spreading: Spreading,
    /// Packets still to come.
    pending: f64,
    /// Packets that come with each timer, or with each packet acknowledged.
    step: f64,
    /// Packets that wait for the end of a burst.
    held: f64,
    interval: Span,
    due: Option<Time>,
}

impl Increase {
    /// None is under way.
    pub fn new(spreading: Spreading) -> Increase {
        Increase { spreading, pending: 0.0, step: 0.0, held: 0.0, interval: Span::ZERO, due: None }
    }

    /// An increase by `packets` of a window of `w` begins, in place of the one before. Returns what the window grows by at once.
    pub fn begin(&mut self, now: Time, w: f64, packets: f64, pace: &Pace) -> f64 {
        self.cancel();
        let spreading = if w <= SMALL_WINDOW || pace.base < SHORT_PATH || pace.packets < 1.0 { Spreading::None } else { self.spreading };
        match (self.spreading, spreading) {
            (Spreading::Time, _) => {
                let times = libm::ceil(packets);
                self.step = packets / times;
                self.interval = Span::from_secs_f64(pace.rtt / times);
                self.due = Some(now + self.interval);
            }
            (_, Spreading::None) => return packets,
            (Spreading::Event, _) => {
                self.step = packets / pace.packets;
                self.interval = Span::from_secs_f64(GAP.0 * pace.rtt / pace.acks.max(1.0)).max(GAP.1);
            }
            _ => self.step = packets / pace.packets,
        }
        self.pending = packets;
        0.0
    }

    /// `packets` sent while the window was the limit were acknowledged. Returns what the window grows by.
    pub fn on_ack(&mut self, now: Time, packets: f64) -> f64 {
        let grown = (self.step * packets).min(self.pending);
        match self.spreading {
            Spreading::None | Spreading::Time => 0.0,
            Spreading::Acks => {
                self.pending -= grown;
                grown
            }
            Spreading::Event => {
                self.pending -= grown;
                self.held += grown;
                self.due = (self.held > 0.0).then(|| now + self.interval);
                0.0
            }
        }
    }

    /// The round trip over which it is spread has passed: what waits for the end of a burst waits no longer. Returns what the window grows by.
    pub fn end_round(&mut self) -> f64 {
        match self.spreading {
            Spreading::Event => self.release(),
            _ => 0.0,
        }
    }

    /// When the timer is wanted.
    pub fn next_timer(&self) -> Option<Time> {
        self.due
    }

    /// The timer's time has come. Returns what the window grows by.
    pub fn on_timer(&mut self, now: Time) -> f64 {
        if self.spreading == Spreading::Event {
            return self.release();
        }
        let grown = self.step.min(self.pending);
        self.pending -= grown;
        self.due = (self.pending > 0.0).then(|| now + self.interval);
        grown
    }

    /// Nothing more comes.
    pub fn cancel(&mut self) {
        *self = Increase::new(self.spreading);
    }

    fn release(&mut self) -> f64 {
        self.due = None;
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    /// A hundred packets and fifty acknowledgements in 100 ms.
    const PACE: Pace = Pace { packets: 100.0, acks: 50.0, rtt: 0.1, base: 0.09 };

    fn begun(spreading: Spreading, packets: f64) -> Increase {
        let mut increase = Increase::new(spreading);
        assert_eq!(increase.begin(at(1_000), 100.0, packets, &PACE), 0.0);
        increase
    }

    #[test]
    fn by_acknowledgements_a_packet_comes_with_every_tenth_of_a_hundred() {
        let mut increase = begun(Spreading::Acks, 10.0);
        let grown: Vec<f64> = (0..12).map(|_| increase.on_ack(at(1_001), 10.0)).collect();
        assert_eq!(grown, [1.0; 10].into_iter().chain([0.0; 2]).collect::<Vec<f64>>());
        assert_eq!((increase.next_timer(), increase.end_round()), (None, 0.0));
    }

    #[test]
    fn by_time_equal_parts_come_in_equal_intervals() {
        let mut increase = begun(Spreading::Time, 2.5);
        let mut grown = 0.0;
        for ms in [33, 66, 100] {
            let due = increase.next_timer().expect("more is to come");
            assert_eq!(due.as_nanos() / 1_000_000, 1_000 + ms - (ms == 100) as u64);
            assert_eq!(increase.on_ack(due, 10.0), 0.0);
            grown += increase.on_timer(due);
        }
        assert!((grown - 2.5).abs() < 1e-12 && increase.next_timer().is_none(), "{grown}");
    }

    /// Acknowledgements are 2 ms apart in the mean: a gap of 8 ms ends a burst.
    #[test]
    fn by_events_what_a_burst_brings_comes_after_it() {
        let mut increase = begun(Spreading::Event, 10.0);
        assert_eq!([0, 1, 2].map(|ms| increase.on_ack(at(1_000 + ms), 10.0)), [0.0; 3]);
        assert_eq!(increase.next_timer(), Some(at(1_010)));
        assert_eq!((increase.on_timer(at(1_010)), increase.next_timer()), (3.0, None));
        increase.on_ack(at(1_020), 20.0);
        assert_eq!((increase.end_round(), increase.next_timer()), (2.0, None), "with the round the waiting ends");
    }

    #[test]
    fn small_windows_and_short_paths_are_not_spread_by_acknowledgements() {
        for spreading in [Spreading::Acks, Spreading::Event, Spreading::None] {
            let mut increase = Increase::new(spreading);
            assert_eq!(increase.begin(at(1), 4.0, 3.0, &PACE), 3.0);
            assert_eq!(increase.begin(at(1), 100.0, 3.0, &Pace { base: 3e-3, ..PACE }), 3.0);
        }
        assert_eq!(Increase::new(Spreading::Time).begin(at(1), 4.0, 3.0, &PACE), 0.0);
    }

    #[test]
    fn a_new_increase_replaces_the_one_before() {
        let mut increase = begun(Spreading::Acks, 10.0);
        increase.on_ack(at(1_001), 50.0);
        increase.begin(at(1_100), 105.0, 1.0, &PACE);
        assert_eq!(increase.on_ack(at(1_101), 1_000.0), 1.0);
        increase.begin(at(1_200), 106.0, 1.0, &PACE);
        increase.cancel();
        assert_eq!(increase.on_ack(at(1_201), 1_000.0), 0.0);
    }
}
