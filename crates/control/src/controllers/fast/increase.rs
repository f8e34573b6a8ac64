//! Window pacing: spreads an increase of the window over a round trip, so that it does not leave as
//! a burst, which would then be measured as a queue. Jin, Wei and Low, "FAST II: Algorithms and
//! Performance", slides 21 to 24; ns-2.35 `tcp-fast.cc` for the form with acknowledgements.

use narrows_units::{Span, Time};

/// How an increase is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spreading {
    /// At once: no spreading.
    None,
    /// By a timer, in equal intervals (slide 22).
    Time,
    /// With acknowledgements, but held until a burst of them is over (slide 23).
    Event,
    /// By a timer, in equal intervals between bursts of acknowledgements: a tick within a burst
    /// waits for its end, and the rest is spread over what is left of the round trip. Without a gap
    /// between acknowledgements since the increase before it is [`Time`](Spreading::Time). Slide 24
    /// says "combination of time-based and event-based pacing"; the way is ours.
    Both,
    /// With acknowledgements (ns-2).
    Acks,
}

/// A gap between acknowledgements that ends a burst: this many times their mean distance over the
/// last round trip, and at least this long. The slide says "sufficiently large"; the values are
/// ours.
const GAP: (f64, Span) = (4.0, Span::from_micros(200));
/// Up to this window an increase is not spread by acknowledgements: there are too few of them
/// (ns-2.35 `tcp-fast.cc`).
const SMALL_WINDOW: f64 = 4.0;
/// Nor on shorter paths (ns-2.35 `tcp-fast.cc`).
const SHORT_PATH: f64 = 4e-3;

/// The round trip over which an increase is spread.
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
    /// Packets that come with each tick, or with each packet acknowledged.
    step: f64,
    /// Packets that wait for the end of a burst.
    held: f64,
    /// Time between two ticks, and time of the next one.
    interval: Span,
    tick: Option<Time>,
    /// The end of the round trip over which the increase is spread.
    finish: Time,
    bursts: Bursts,
}

/// Bursts of acknowledgements.
#[derive(Clone, Debug)]
struct Bursts {
    /// Without an acknowledgement for this long a burst is over.
    gap: Span,
    /// Time of the latest acknowledgement.
    latest: Option<Time>,
    /// A gap was seen since the latest increase began, and before.
    gap_seen: bool,
    gap_seen_before: bool,
}

impl Bursts {
    /// An increase begins.
    fn begin(&mut self, pace: &Pace) {
        self.gap = Span::from_secs_f64(GAP.0 * pace.rtt / pace.acks.max(1.0)).max(GAP.1);
        self.gap_seen_before = std::mem::take(&mut self.gap_seen);
    }

    fn on_ack(&mut self, now: Time) {
        self.gap_seen |= self.latest.is_some_and(|latest| now.since(latest) >= self.gap);
        self.latest = Some(now);
    }

    /// Time at which the burst in progress is over if no other acknowledgement comes.
    fn end(&self) -> Option<Time> {
        self.latest.map(|latest| latest + self.gap)
    }
}

impl Increase {
    /// No increase is under way.
    pub fn new(spreading: Spreading) -> Increase {
        let bursts =
            Bursts { gap: Span::MAX, latest: None, gap_seen: false, gap_seen_before: false };
        Increase {
            spreading,
            pending: 0.0,
            step: 0.0,
            held: 0.0,
            interval: Span::ZERO,
            tick: None,
            finish: Time::ZERO,
            bursts,
        }
    }

    /// Begins an increase by `packets` of a window of `w`, in place of the one before. Returns the
    /// growth of the window that takes effect at once.
    pub fn begin(&mut self, now: Time, w: f64, packets: f64, pace: &Pace) -> f64 {
        let by_acks = matches!(self.spreading, Spreading::Acks | Spreading::Event);
        let is_short = w <= SMALL_WINDOW || pace.base < SHORT_PATH || pace.packets < 1.0;
        self.cancel();
        if self.spreading == Spreading::None || (by_acks && is_short) {
            return packets;
        }
        self.spread(now, packets, pace);
        0.0
    }

    /// Begins an increase by `packets` in place of the one before, and spreads it whatever the
    /// window and the path.
    pub fn spread(&mut self, now: Time, packets: f64, pace: &Pace) {
        self.cancel();
        self.bursts.begin(pace);
        self.pending = packets;
        self.step = packets / pace.packets.max(1.0);
        if matches!(self.spreading, Spreading::Time | Spreading::Both) {
            let times = libm::ceil(packets);
            self.step = packets / times;
            self.interval = Span::from_secs_f64(pace.rtt / times);
            self.tick = Some(now + self.interval);
            self.finish = now + Span::from_secs_f64(pace.rtt);
        }
    }

    /// An acknowledgement came, of `packets` that were sent while the window was the limit. Returns
    /// the growth of the window. Call it at every acknowledgement, since gaps between them are
    /// bounds of bursts.
    pub fn on_ack(&mut self, now: Time, packets: f64) -> f64 {
        self.bursts.on_ack(now);
        let grown = (self.step * packets).min(self.pending);
        match self.spreading {
            Spreading::None | Spreading::Time | Spreading::Both => 0.0,
            Spreading::Acks => {
                self.pending -= grown;
                grown
            }
            Spreading::Event => {
                self.pending -= grown;
                self.held += grown;
                0.0
            }
        }
    }

    /// Ends the round trip over which the increase is spread: what waits for the end of a burst
    /// waits no longer. Returns the growth of the window.
    pub fn end_round(&mut self) -> f64 {
        std::mem::take(&mut self.held)
    }

    /// Time at which [`on_timer`](Increase::on_timer) is wanted.
    pub fn next_timer(&self) -> Option<Time> {
        if self.held > 0.0 { self.bursts.end() } else { self.tick }
    }

    /// The timer's time has come. Returns the growth of the window.
    pub fn on_timer(&mut self, now: Time) -> f64 {
        let burst_end = self.bursts.end().filter(|end| now < *end);
        match (self.spreading, burst_end) {
            (Spreading::Event, None) => std::mem::take(&mut self.held),
            (Spreading::Both, Some(end)) if self.bursts.gap_seen_before => {
                self.tick = Some(end);
                if end < self.finish {
                    let ticks = libm::ceil(self.pending / self.step);
                    self.interval =
                        Span::from_secs_f64(self.finish.since(end).as_secs_f64() / ticks);
                }
                0.0
            }
            (Spreading::Time | Spreading::Both, _) => {
                let part = self.step.min(self.pending);
                self.pending -= part;
                self.tick = (self.pending > 0.0).then(|| now + self.interval);
                part
            }
            (Spreading::None | Spreading::Acks | Spreading::Event, _) => 0.0,
        }
    }

    /// Ends the increase: nothing more comes.
    pub fn cancel(&mut self) {
        (self.pending, self.step, self.held, self.tick) = (0.0, 0.0, 0.0, None);
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
        assert_eq!(
            (increase.end_round(), increase.next_timer()),
            (2.0, None),
            "with the round the waiting ends"
        );
    }

    /// Ten packets in ticks of 10 ms; a burst of acknowledgements ends 8 ms after its last one.
    #[test]
    fn by_both_ticks_wait_for_the_end_of_a_burst_where_there_were_gaps() {
        let mut increase = Increase::new(Spreading::Both);
        increase.spread(at(1_000), 10.0, &PACE);
        increase.on_ack(at(1_009), 1.0);
        assert_eq!(increase.next_timer(), Some(at(1_010)));
        assert_eq!(increase.on_timer(at(1_010)), 1.0, "no gap was seen before this increase");
        increase.on_ack(at(1_018), 1.0);
        increase.spread(at(1_100), 10.0, &PACE);
        increase.on_ack(at(1_109), 1.0);
        assert_eq!(increase.on_timer(at(1_110)), 0.0, "the burst may go on until 1117");
        assert_eq!(increase.next_timer(), Some(at(1_117)));
        increase.on_ack(at(1_142), 1.0);
        assert_eq!((increase.on_timer(at(1_142)), increase.next_timer()), (0.0, Some(at(1_150))));
        assert_eq!(
            (increase.on_timer(at(1_150)), increase.next_timer()),
            (1.0, Some(at(1_155))),
            "ten in the 50 ms that are left"
        );
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
