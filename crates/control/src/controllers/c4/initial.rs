//! Initial: the window grows by what is acknowledged, more slowly once the rate stops growing.

use super::profile::{BEFORE_LOSS, FLAT_ERAS, FLAT_ERAS_BEFORE_SIGNALS};
use super::signals::Signal;

/// Factor from which on the rate of an era counts as growing (`c4_growth_evaluate`: a quarter of
/// the way to twice the rate). The draft says only that the rate does not increase.
pub const GROWTH: f64 = 1.25;

/// The search for the capacity.
#[derive(Clone, Copy, Debug)]
pub struct Initial {
    /// Window in bytes (`initial_cwnd`).
    pub window: f64,
    /// Eras in a row without growth of the rate (`nb_eras_no_increase`).
    pub flat_eras: u32,
    /// Packets acknowledged.
    packets: u64,
}

impl Initial {
    /// The search begins with a window of so many bytes.
    pub fn new(window: f64) -> Initial {
        Initial { window, flat_eras: 0, packets: 0 }
    }

    /// Packets with so many bytes in total are acknowledged. The window grows by these bytes, and
    /// after each era without growth by an eighth of them.
    pub fn on_ack(&mut self, packets: u64, bytes: u64) {
        self.packets += packets;
        self.window += (bytes >> (3 * self.flat_eras)) as f64;
    }

    /// Ends an era: `grew` if its rate was higher, `limited` if the application limited it, which
    /// says nothing about the path. Returns true if the search is over.
    pub fn end_era(&mut self, grew: bool, limited: bool) -> bool {
        if grew {
            self.flat_eras = 0;
        } else if !limited {
            self.flat_eras += 1;
        }
        self.flat_eras >= FLAT_ERAS
    }

    /// True if a signal ends the search.
    pub fn ends_with(&self, signal: Signal) -> bool {
        match signal {
            Signal::Losses => self.packets > BEFORE_LOSS,
            Signal::Delay(_) | Signal::Marks(_) => self.flat_eras >= FLAT_ERAS_BEFORE_SIGNALS,
        }
    }
}
