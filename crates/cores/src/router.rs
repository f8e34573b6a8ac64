//! The arithmetic of VCP's router (`c/vcp_router.h`), which is no controller: it measures a
//! link.
#![allow(unsafe_code)]

use crate::vcp_router::{Constants, State};

unsafe extern "C" {
    fn narrows_vcp_router_sample(_: *mut State, bytes: u64);
    fn narrows_vcp_router_begin(_: *mut State);
    fn narrows_vcp_router_end(_: *const Constants, _: *mut State, capacity: u64);
    fn narrows_vcp_router_arrives(_: *const Constants, _: *mut State, now: u64, bytes: u32);
}

/// `value` with so many bits of fraction, rounded down; not above 32 bits.
pub fn fraction(value: f64, bits: u32) -> u32 {
    (value * f64::from(1_u32 << bits)) as u32
}

/// One link, measured.
#[derive(Clone, Debug)]
pub struct RouterMeter {
    constants: Constants,
    /// Its measurements.
    pub state: State,
}

impl RouterMeter {
    /// Of a link of which nothing was seen.
    pub fn new(constants: Constants) -> RouterMeter {
        RouterMeter { constants, state: State::default() }
    }

    /// A sample of the queue, in bytes.
    pub fn sample(&mut self, bytes: u64) {
        // SAFETY: the function writes what the reference points to, in the layout asserted on both
        // sides, and keeps no pointer.
        unsafe { narrows_vcp_router_sample(&mut self.state, bytes) }
    }

    /// A period begins: arrivals and samples so far are forgotten.
    pub fn begin(&mut self) {
        // SAFETY: as above.
        unsafe { narrows_vcp_router_begin(&mut self.state) }
    }

    /// A period ends in which the link could carry `capacity` bytes; below 2^38.
    pub fn end(&mut self, capacity: u64) {
        // SAFETY: as above; the constants are read.
        unsafe { narrows_vcp_router_end(&self.constants, &mut self.state, capacity) }
    }

    /// A packet of so many bytes arrives at `now`, in ns, at the router that keeps time and queue
    /// itself, as the kernel's does.
    pub fn arrives(&mut self, now: u64, bytes: u32) {
        // SAFETY: as above.
        unsafe { narrows_vcp_router_arrives(&self.constants, &mut self.state, now, bytes) }
    }
}
