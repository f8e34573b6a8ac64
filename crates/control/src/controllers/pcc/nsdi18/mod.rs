//! Vivace as the code that its authors released with the paper has it, which is not quite what the
//! paper says.
//!
//! Source: PCC-Uspace, branch NSDI-2018, `pcc-gradient/sender/app/pcc.h` (rate control) and
//! `pcc-gradient/sender/src/core.cpp` (intervals). Differences from [`vivace`](super::vivace): the
//! start waits for the outcome of each doubling, and forgives the first 50 losses of each interval;
//! probes and steps are of at least 0.5 Mbit/s; two pairs of probes must not disagree until there
//! is a trend, then one decides; a step up of more than 10 % is followed by intervals that are
//! compared with the one before, without probes; a loss of up to 3 % costs 1 and not 11.35, and
//! delay nothing unless switched on; probes with little loss are charged their mean; only where
//! losses are many is a higher rate that lost less doubted; an interval that loses more than half
//! halves the rate; slopes count in steps of 0.02; intervals have at most 3000 packets; no rate
//! below 1.3 Mbit/s, no window; utilities count a Mbit of 2^20 bit.
//!
//! Choices of ours: an interval that the application or the host cut short is sent again; feedback
//! is missing after four round trips and at least 50 ms, which halves the rate (that code's own
//! check is switched off, and so its hibernation never begins).

mod law;
mod probes;
mod step;
#[cfg(test)]
mod tests;

use super::driver::Pcc;
use super::lengths::{Lengths, RoundTrips, Window};
use super::utility::{Filter, Gradient, Released};
use crate::{Basis, Build, Built, Entry};
use law::{Nsdi18, Settings};
use narrows_params::{Need, Param};
use step::Constants;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "vivace-nsdi18",
    kernel: None,
    summary: "PCC Vivace as released with its paper, to repeat its measurements: no latency penalty unless set, cheap losses up to 3 %",
    source: "PCC-Uspace, branch NSDI-2018, pcc-gradient/sender/app/pcc.h",
    basis: Basis::Utility,
    needs: &[Need::Pacing, Need::Tags],
    numbered: true,
    params: &[
        EXPONENT.spec,
        LATENCY_PRICE.spec,
        LOSS_PRICE.spec,
        GRADIENT_STEP.spec,
        EPSILON.spec,
        THETA0.spec,
        OMEGA0.spec,
        DELTA.spec,
        MIN_STEP.spec,
        MIN_RATE.spec,
        MAX_RATE.spec,
        HEAVY_LOSS.spec,
        MI_MOST.spec,
    ],
    build: Build::Function(|setup, params| {
        let utility = Released {
            t: params.get(&EXPONENT),
            b: params.get(&LATENCY_PRICE),
            c: params.get(&LOSS_PRICE),
            gradient: Gradient { filter: Filter::Steps(params.get(&GRADIENT_STEP)), reward: true },
        };
        let steps = Constants {
            theta: params.get(&THETA0),
            omega: params.get(&OMEGA0),
            delta: params.get(&DELTA),
            least: params.get(&MIN_STEP),
        };
        let settings = Settings {
            steps,
            epsilon: params.get(&EPSILON),
            min_rate: params.get(&MIN_RATE),
            max_rate: params.get(&MAX_RATE),
            heavy_loss: params.get(&HEAVY_LOSS),
        };
        let lengths = Lengths {
            round_trips: RoundTrips::Between(1.0, 1.0),
            packets: (10, params.get(&MI_MOST) as u32),
            window: Window::UDT,
        };
        Ok(Built::new(Pcc::new(setup, Nsdi18::new(utility, settings), Box::new(utility), lengths)))
    }),
};

const EXPONENT: Param<f64> = Param::number("t", 0.9, (0.1, 1.0), "", "exponent of the rate");
const LATENCY_PRICE: Param<f64> = Param::number(
    "b",
    0.0,
    (0.0, 1e6),
    "",
    "price of the round trip's slope, s/s; the code has 11330, switched off",
);
const LOSS_PRICE: Param<f64> =
    Param::number("c", 11.35, (0.0, 1e6), "", "price of loss above 3 %; 1 below");
const GRADIENT_STEP: Param<f64> =
    Param::number("gradient_step", 0.02, (0.001, 1.0), "s/s", "granularity of the slope");
const EPSILON: Param<f64> = Param::number(
    "epsilon",
    0.05,
    (0.005, 0.5),
    "",
    "distance of probes from the rate, at least min_step",
);
const THETA0: Param<f64> =
    Param::number("theta0", 1.0, (0.001, 1000.0), "Mbit/s", "step for a gradient of 1");
const OMEGA0: Param<f64> =
    Param::number("omega0", 0.05, (0.001, 1.0), "", "first bound of a step, share of the rate");
const DELTA: Param<f64> =
    Param::number("delta", 0.06, (0.001, 1.0), "", "growth of the bound per step that reaches it");
const MIN_STEP: Param<f64> = Param::number(
    "min_step",
    0.5,
    (0.0, 100.0),
    "Mbit/s",
    "least distance of a probe, and least step",
);
const MIN_RATE: Param<f64> = Param::number(
    "min_rate",
    1.3,
    (0.001, 1000.0),
    "Mbit/s",
    "least rate between probes, after the start",
);
const MAX_RATE: Param<f64> = Param::number(
    "max_rate",
    1024.0,
    (0.001, 1e6),
    "Mbit/s",
    "highest rate that is sent, whatever the rate decided",
);
const HEAVY_LOSS: Param<f64> =
    Param::number("heavy_loss", 0.5, (0.0, 1.0), "", "an interval that loses more halves the rate");
const MI_MOST: Param<f64> =
    Param::number("mi_most", 3000.0, (10.0, 1e9), "packets", "most packets in an interval");
