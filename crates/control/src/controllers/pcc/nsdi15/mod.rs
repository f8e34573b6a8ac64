//! Allegro as the code that its authors released with the paper has it, which is not quite what the
//! paper says.
//!
//! Source: `modong/pcc`, `sender/app/cc.h` (rate control, utility) and `sender/src/core.cpp`
//! (intervals). Differences from [`allegro`](super::allegro): the start doubles from 2 Mbit/s;
//! intervals of 1.5 to 1.7 round trips; after trials that decide, the first step's size grows with
//! the distance that the trials needed, and a second one of 2 % follows in any case; a distance of
//! 5 % is followed by 1 % again; between trials and their outcomes the last trial's rate stays; no
//! window.
//!
//! Choices of ours: an interval that the application or the host cut short is sent again; the
//! code's detection of slow hosts above 200 Mbit/s is left out; feedback is missing after four
//! round trips and at least 50 ms, which halves the rate (the code waits for ever); a least rate of
//! 0.1 Mbit/s.

mod law;
#[cfg(test)]
mod tests;

use super::driver::Pcc;
use super::lengths::{Lengths, RoundTrips, Window};
use super::utility::{LatencyAware, Safe, Utility};
use crate::{Basis, Build, Built, Entry};
use law::Nsdi15;
use narrows_params::{Need, Param};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "allegro-nsdi15",
    kernel: None,
    summary: "PCC Allegro as released with its paper: trials at 1 to 5 % of distance, a second step after each first, a start from 2 Mbit/s",
    source: "modong/pcc, sender/app/cc.h and sender/src/core.cpp",
    basis: Basis::Utility,
    needs: &[Need::Pacing, Need::Tags],
    numbered: true,
    params: &[UTILITY.spec],
    build: Build::Function(|setup, params| {
        let lengths = Lengths {
            round_trips: RoundTrips::OneOf([1.5, 1.6, 1.7]),
            packets: (10, u32::MAX),
            window: Window::UDT,
        };
        Ok(Built::new(Pcc::new(setup, Nsdi15::new(), params.get(&UTILITY)(), lengths)))
    }),
};

/// Makes a utility function.
type Make = fn() -> Box<dyn Utility>;

const UTILITY: Param<Make> = Param::choice(
    "utility",
    "safe",
    &[
        ("safe", || Box::new(Safe { threshold: 0.05, steepness: 100.0 })),
        ("latency-aware", || Box::new(LatencyAware)),
    ],
    "the paper's, or that of cc.h as it stands, which falls with the round trip too",
);
