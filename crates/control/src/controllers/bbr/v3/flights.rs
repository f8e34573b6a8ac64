//! The state of the flow at each transmission, by its tag (`tx_in_flight`, `P.lost`; `struct
//! tcp_skb_cb`).

use crate::Tag;

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

#[cfg(test)]
mod tests {
    use super::*;

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
