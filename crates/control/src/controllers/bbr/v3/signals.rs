//! Signals of packets: how each one left, and the marks of the network.

use super::profile::Fraction;
use super::state::Evidence;
use crate::Tag;
use crate::controllers::bbr::common::UNIT;

// The state of the flow at each transmission, by its tag (`tx_in_flight`, `P.lost`; `struct
// tcp_skb_cb`).

/// The state of the flow at one transmission, and of its fate since.
#[derive(Clone, Copy, Debug, Default)]
pub struct Departure {
    /// Packets in flight, this one included.
    pub flight: u32,
    /// Packets declared lost so far.
    pub lost: u32,
    /// Packets delivered with a mark so far.
    pub marked: u32,
    /// The application was the limit.
    pub app_limited: bool,
}

/// The latest departures, in a ring.
///
/// A transmission whose fate never comes (all were given up by a timeout) costs nothing: its place
/// is taken in its turn. The ring holds a multiple of what is in flight, so that a transmission
/// finds its own departure unless it is older than that.
#[derive(Clone, Debug)]
pub struct Flights {
    /// By tag; a place holds the departure with the tag beside it.
    ring: Vec<(u32, Departure)>,
    next: u32,
}

/// Departures kept at the start; a power of two.
const INITIAL: usize = 64;
/// No departure: at least the packet itself is in flight.
const EMPTY: (u32, Departure) =
    (0, Departure { flight: 0, lost: 0, marked: 0, app_limited: false });
/// Departures kept per packet in flight.
const DEPTH: usize = 4;

impl Flights {
    /// Nothing has left.
    pub fn new() -> Flights {
        Flights { ring: vec![EMPTY; INITIAL], next: 0 }
    }

    /// A packet leaves.
    #[inline]
    pub fn depart(&mut self, departure: Departure) -> Tag {
        if departure.flight as usize * DEPTH > self.ring.len() {
            self.grow();
        }
        let tag = self.next;
        self.next = self.next.wrapping_add(1);
        let place = tag as usize & (self.ring.len() - 1);
        self.ring[place] = (tag, departure);
        Tag(tag)
    }

    /// The state when the transmission left that bears `tag`.
    #[inline]
    pub fn get(&self, tag: Tag) -> Option<Departure> {
        let (kept, departure) = self.ring[tag.0 as usize & (self.ring.len() - 1)];
        (kept == tag.0 && departure.flight > 0).then_some(departure)
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![EMPTY; self.ring.len() * 2];
        let mask = larger.len() - 1;
        for (tag, departure) in std::mem::replace(&mut self.ring, larger) {
            if departure.flight > 0 {
                self.ring[tag as usize & mask] = (tag, departure);
            }
        }
    }
}

// ECN marks, and the share of packets that carry them.

/// `bbr_ecn_max_rtt_us`: the longest least round trip, in µs, at which the flow responds to marks.
const MAX_RTT: u32 = 5_000;
/// `bbr_ecn_alpha_gain`: weight of the latest round in the share of packets marked, in 1/256.
const ALPHA_GAIN: u32 = UNIT / 16;
/// `bbr_ecn_factor`: the flight is cut by this part of the share, in 1/256.
const FACTOR: u32 = UNIT / 3;
/// `bbr_ecn_thresh`: share of packets marked, in 1/256, beyond which the flight is too high.
const THRESHOLD: u32 = UNIT / 2;
/// `bbr_full_ecn_cnt`: rounds above it that end Startup.
const FULL_ROUNDS: u32 = 2;

/// The marks received.
#[derive(Clone, Debug)]
pub struct Marks {
    /// The path is short enough (`ecn_eligible`).
    pub eligible: bool,
    /// The share of packets marked, in 1/256.
    alpha: u32,
    /// Packets delivered with a mark.
    pub total: u32,
    /// Packets delivered, and with a mark, when the share was last updated.
    counted: (u64, u32),
    in_round: bool,
    /// The cycle had marks.
    pub in_cycle: bool,
    startup_rounds: u32,
}

impl Marks {
    /// No marks. The share begins at 1, so that a flow that starts into congestion responds at once
    /// (`bbr_ecn_alpha_init`).
    pub fn new() -> Marks {
        Marks {
            eligible: false,
            alpha: UNIT,
            total: 0,
            counted: (0, 0),
            in_round: false,
            in_cycle: false,
            startup_rounds: 0,
        }
    }

    /// The share of packets marked, in 1/256.
    pub fn alpha(&self) -> u32 {
        self.alpha
    }

    /// True if more than half of what was delivered since a packet left was marked.
    pub fn is_too_high(&self, evidence: &Evidence) -> bool {
        self.eligible
            && evidence.marked as u64 > (evidence.delivered as u64 * THRESHOLD as u64) >> 8
    }

    /// The share of the flight that marks in this round leave (`bbr_ecn_cut`).
    pub fn cut(&self) -> Option<Fraction> {
        self.in_round.then_some(Fraction(UNIT - ((self.alpha * FACTOR) >> 8), UNIT))
    }

    /// The round is answered.
    pub fn end_round(&mut self) {
        self.in_round = false;
    }

    /// Forgets round and cycle.
    pub fn reset(&mut self) {
        self.in_round = false;
        self.in_cycle = false;
    }

    /// An acknowledgement reports `marked` packets.
    pub fn take(&mut self, marked: u32) {
        self.total = self.total.wrapping_add(marked);
        self.in_round |= self.eligible && marked > 0;
    }

    /// A round is over with `delivered` packets delivered. True if Startup must end
    /// (`bbr_update_ecn_alpha`, `bbr_check_ecn_too_high_in_startup`).
    pub fn on_round(&mut self, delivered: u64, min_rtt: Option<u32>) -> bool {
        self.eligible |= min_rtt.is_some_and(|rtt| rtt <= MAX_RTT);
        let packets = delivered - self.counted.0;
        if !self.eligible || packets == 0 {
            return false;
        }
        let share = (((self.total.wrapping_sub(self.counted.1) as u64) << 8) / packets) as u32;
        self.alpha =
            ((((UNIT - ALPHA_GAIN) * self.alpha) >> 8) + ((ALPHA_GAIN * share) >> 8)).min(UNIT);
        self.counted = (delivered, self.total);
        self.startup_rounds = if share >= THRESHOLD { self.startup_rounds + 1 } else { 0 };
        self.startup_rounds >= FULL_ROUNDS
    }
}

#[cfg(test)]
mod tests {
    mod flights {
        use super::super::*;

        #[test]
        fn a_departure_is_found_by_its_tag_while_the_ring_grows() {
            let mut flights = Flights::new();
            let tags: Vec<Tag> = (1..=1_000)
                .map(|flight| {
                    flights.depart(Departure { flight, lost: 2 * flight, ..Departure::default() })
                })
                .collect();
            for (tag, flight) in tags.iter().zip(1..) {
                let departure = flights.get(*tag).expect("kept");
                assert_eq!((departure.flight, departure.lost), (flight, 2 * flight));
            }
            assert!(flights.get(Tag(1_000)).is_none(), "not sent yet");
        }

        #[test]
        fn what_is_older_than_the_ring_is_forgotten_not_mistaken() {
            let mut flights = Flights::new();
            let first = flights.depart(Departure { flight: 1, ..Departure::default() });
            for _ in 0..INITIAL {
                flights.depart(Departure { flight: 2, ..Departure::default() });
            }
            assert!(flights.get(first).is_none());
        }
    }

    mod marks {
        use super::super::*;

        #[test]
        fn the_share_moves_a_sixteenth_each_round() {
            let mut marks = Marks::new();
            marks.on_round(100, Some(5_000));
            // 240/256 of 256.
            assert_eq!(marks.alpha(), 240);
            marks.take(50);
            marks.on_round(200, Some(5_000));
            // 240 · 240 / 256 = 225, and 16 · 128 / 256 = 8.
            assert_eq!(marks.alpha(), 233);
            assert_eq!(marks.cut(), Some(Fraction(256 - ((233 * 85) >> 8), 256)));
        }

        #[test]
        fn marks_count_on_paths_of_five_milliseconds_at_most() {
            let mut marks = Marks::new();
            marks.on_round(100, Some(5_001));
            marks.take(100);
            assert_eq!((marks.alpha(), marks.cut()), (256, None));
            assert!(!marks.is_too_high(&Evidence {
                flight: 100,
                lost: 0,
                app_limited: false,
                delivered: 100,
                marked: 100
            }));
        }

        #[test]
        fn two_rounds_with_half_marked_end_startup() {
            let mut marks = Marks::new();
            marks.on_round(100, Some(1_000));
            marks.take(50);
            assert!(!marks.on_round(200, Some(1_000)));
            marks.take(49);
            assert!(!marks.on_round(300, Some(1_000)), "49 are not half");
            for expected in [false, true] {
                marks.take(50);
                let delivered = marks.counted.0 + 100;
                assert_eq!(marks.on_round(delivered, Some(1_000)), expected);
            }
        }

        #[test]
        fn more_than_half_marked_is_too_high() {
            let mut marks = Marks::new();
            marks.on_round(100, Some(1_000));
            let evidence = |marked| Evidence {
                flight: 100,
                lost: 0,
                app_limited: false,
                delivered: 100,
                marked,
            };
            assert!(!marks.is_too_high(&evidence(50)) && marks.is_too_high(&evidence(51)));
        }
    }
}
