//! How long a variant's intervals are, and how much may be under way.

use super::plan::Length;
use narrows_units::{Random, Span};

/// How many round trips an interval lasts.
#[derive(Clone, Copy, Debug)]
pub enum RoundTrips {
    /// Drawn uniformly between these two; the first if the second is less.
    Between(f64, f64),
    /// One of these, drawn.
    OneOf([f64; 3]),
}

/// The net below a sender that paces.
#[derive(Clone, Copy, Debug)]
pub enum Window {
    /// So many times rate and round trip, and so many segments at least.
    Rate(f64, f64),
    /// So many segments.
    Segments(f64),
}

impl Window {
    /// Twice what the rate needs (PCC-Kernel `tcp_pcc.c`).
    pub const TWICE: Window = Window::Rate(2.0, 4.0);
    /// The flow window of UDT, 25,600 segments, less the thousand that PCC's `packData` keeps free
    /// (`sender/src/core.cpp`).
    pub const UDT: Window = Window::Segments(24_600.0);

    /// In segments, where the rate fills a round trip with so many `packets`.
    pub fn of(&self, packets: f64) -> f64 {
        match *self {
            Window::Rate(gain, least) => (gain * packets).max(least),
            Window::Segments(segments) => segments,
        }
    }
}

/// A variant's intervals.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// Round trips.
    pub round_trips: RoundTrips,
    /// Packets, at least and at most.
    pub packets: (u32, u32),
    /// Intervals that may be under way.
    pub window: Window,
}

impl Lengths {
    /// Between so many round trips, `shortest` if `longest` is less, with so many packets at least.
    pub fn of_round_trips(shortest: f64, longest: f64, packets: f64) -> Lengths {
        let round_trips = RoundTrips::Between(shortest, longest.max(shortest));
        Lengths { round_trips, packets: (packets as u32, u32::MAX), window: Window::TWICE }
    }

    /// The length of the next interval.
    pub fn draw(&self, rtt: Span, random: &mut Random) -> Length {
        let round_trips = match self.round_trips {
            RoundTrips::Between(shortest, longest) if longest > shortest => {
                shortest + (longest - shortest) * random.uniform()
            }
            RoundTrips::Between(shortest, _) => shortest,
            RoundTrips::OneOf(choices) => choices[random.below(choices.len() as u64) as usize],
        };
        Length {
            span: Span::from_secs_f64(rtt.as_secs_f64() * round_trips),
            least: self.packets.0,
            most: self.packets.1,
        }
    }
}
