//! Growth of a window while something else than the window limits sending.
//!
//! Sources: Linux `tcp_is_cwnd_limited`; RFC 5681 section 3.1; draft-ietf-ccwg-ratelimited-increase
//! -10; RFC 7661.

pub mod newcwv;

use narrows_contract::Sent;
use newcwv::NewCwv;

/// The rule by which acknowledgements count for growth.
#[derive(Clone, Debug)]
pub enum Growth {
    /// Segments that the window limited, as the controller's source counts them.
    Used,
    /// All (RFC 5681 to the letter).
    Free,
    /// All, up to what follows from the largest flight.
    RateLimited(LargestFlight),
    /// All while half of the window is in use (RFC 7661).
    NewCwv(Box<NewCwv>),
}

impl Growth {
    /// A segment leaves.
    pub fn on_sent(&mut self, sent: &Sent) {
        if let Growth::RateLimited(flight) = self {
            flight.on_sent(sent);
        }
    }

    /// Losses, marks or a timeout lower the window.
    pub fn on_reduction(&mut self) {
        if let Growth::RateLimited(flight) = self {
            flight.reset();
        }
    }
}

/// The largest flight since the latest reduction (maxFS). A window may not grow beyond what one
/// round trip of growth makes of it; it is never lowered to it.
#[derive(Clone, Copy, Debug)]
pub struct LargestFlight {
    segments: f64,
    /// A published fault put back for tests: reductions do not reset it.
    keeps: bool,
}

impl LargestFlight {
    /// A connection with an initial window of `initial` segments.
    pub fn new(initial: f64) -> LargestFlight {
        LargestFlight { segments: initial, keeps: false }
    }

    /// Returns the flight without its reset at reductions, if `keeps`.
    pub fn keeping(self, keeps: bool) -> LargestFlight {
        LargestFlight { keeps, ..self }
    }

    /// Segments.
    pub fn get(self) -> f64 {
        self.segments
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.segments = self.segments.max(f64::from(sent.in_flight) + 1.0);
    }

    fn reset(&mut self) {
        if !self.keeps {
            self.segments = 0.0;
        }
    }
}
