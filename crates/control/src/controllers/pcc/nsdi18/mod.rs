//! Vivace as the code that its authors released with the paper has it, which is not quite what the paper says.
//!
//! Source: PCC-Uspace, branch NSDI-2018, `pcc-gradient/sender/app/pcc.h`. What differs from [`vivace`](super::vivace): probes and moves of at least 0.5 Mbit/s; two pairs of
//! probes that must agree until there is a trend, then one; a move of more than 10 % is followed by intervals that are compared with the one before, without
//! probes; a loss of up to 3 % costs little and delay nothing; pairs with little loss are charged their mean; the first 50 losses of slow start are forgiven; an
//! interval that loses more than half halves the rate; slopes count in steps of 0.02; intervals have at most 3000 packets; a Mbit has 2^20 bit.
//!
//! Choices of ours, where what we know of the code leaves them open: below the floor of 1.3 Mbit/s the sender hibernates until an interval loses no more than half;
//! a trend is a direction not reversed of late; feedback is missing after four round trips and at least 50 ms (that code's own check is switched off).

#[cfg(test)]
mod tests;

use super::driver::{Lengths, Pcc};
use super::interval::{Discarded, Statistics};
use super::law::{Context, Judged, Law, Next, Outcome};
use super::slow_start::{Progress, SlowStart};
use super::step::{Constants, Stepper};
use super::utility::{BINARY, Filter, Gradient, Released, Utility};
use crate::{Basis, Built, Entry};
use narrows_params::{Need, Param, Params};

/// Registry line.
pub const ENTRY: Entry = Entry {
    name: "vivace-nsdi18",
    kernel: None,
    summary: "PCC Vivace as released with its paper: no latency penalty unless set, cheap losses up to 3 %",
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
        MI_MOST.spec,
    ],
    build: |setup, params| {
        let utility = Released {
            t: params.get(&EXPONENT),
            b: params.get(&LATENCY_PRICE),
            c: params.get(&LOSS_PRICE),
            gradient: Gradient { filter: Filter::Steps(params.get(&GRADIENT_STEP)), reward: true },
        };
        let lengths = Lengths { round_trips: (1.0, 1.0), packets: (10, params.get(&MI_MOST) as u32) };
        Ok(Built::new(Pcc::new(setup, Nsdi18::new(utility, params), Box::new(utility), lengths)))
    },
};

const EXPONENT: Param<f64> = Param::number("t", 0.9, (0.1, 1.0), "", "exponent of the rate");
const LATENCY_PRICE: Param<f64> =
    Param::number("b", 0.0, (0.0, 1e6), "", "price of the round trip's slope, s/s; the code has 11330, switched off");
const LOSS_PRICE: Param<f64> = Param::number("c", 11.35, (0.0, 1e6), "", "price of loss above 3 %; 1 below");
const GRADIENT_STEP: Param<f64> = Param::number("gradient_step", 0.02, (0.001, 1.0), "s/s", "granularity of the slope");
const EPSILON: Param<f64> = Param::number("epsilon", 0.05, (0.005, 0.5), "", "distance of probes from the rate, at least 0.5 Mbit/s");
const THETA0: Param<f64> = Param::number("theta0", 1.0, (0.001, 1000.0), "Mbit/s", "step for a gradient of 1");
const OMEGA0: Param<f64> = Param::number("omega0", 0.05, (0.001, 1.0), "", "first bound of a step, share of the rate");
const DELTA: Param<f64> = Param::number("delta", 0.06, (0.001, 1.0), "", "growth of the bound per step that reaches it");
const MIN_STEP: Param<f64> = Param::number("min_step", 0.5, (0.0, 100.0), "Mbit/s", "least distance of a probe, and least step");
const MIN_RATE: Param<f64> = Param::number("min_rate", 1.3, (0.001, 1000.0), "Mbit/s", "below it the sender hibernates at 0.04 Mbit/s");
const MI_MOST: Param<f64> = Param::number("mi_most", 3000.0, (10.0, 1e9), "packets", "most packets in an interval");

/// A step of more than this share of the rate is followed without probing.
const LARGE: f64 = 0.1;
/// Probes that lost no more than this together are charged their mean loss.
const EVEN_LOSS: f64 = 0.01;
/// An interval that loses more than this halves the rate.
const HEAVY_LOSS: f64 = 0.5;
/// Losses of slow start that do not count.
const FORGIVEN: u32 = 50;
/// The rate of hibernation.
const HIBERNATION: f64 = 0.04;
/// Above a confidence of 3 it grows by this.
const SLOW_GROWTH: f64 = 0.5;
/// Most probes of a decision.
const PROBES: usize = 4;

/// What is going on. Rates are in 2^20 bit/s.
#[derive(Clone, Copy, Debug)]
enum Phase {
    SlowStart(SlowStart),
    Probing(Probes),
    Moving(Move),
    Hibernating,
}

/// One or two pairs of a higher and a lower rate.
#[derive(Clone, Copy, Debug)]
struct Probes {
    count: usize,
    high_first: Option<[bool; PROBES / 2]>,
    planned: usize,
    judged: usize,
    outcomes: [Probe; PROBES],
}

/// What of a probe's statistics its utility needs.
#[derive(Clone, Copy, Debug, Default)]
struct Probe {
    rate: f64,
    slope: f64,
    loss: f64,
}

/// A large step, to be compared with what was before.
#[derive(Clone, Copy, Debug)]
struct Move {
    rate_before: f64,
    utility_before: f64,
    planned: bool,
}

/// The rate control.
#[derive(Clone, Debug)]
struct Nsdi18 {
    utility: Released,
    epsilon: f64,
    min_step: f64,
    min_rate: f64,
    rate: f64,
    phase: Phase,
    stepper: Stepper,
    forgiven: u32,
    gradient: f64,
}

impl Nsdi18 {
    fn new(utility: Released, params: &Params) -> Nsdi18 {
        let constants = Constants {
            theta: params.get(&THETA0),
            omega: params.get(&OMEGA0),
            delta: params.get(&DELTA),
            slow_growth: SLOW_GROWTH,
            amplifier: true,
            swing_buffer: true,
        };
        Nsdi18 {
            utility,
            epsilon: params.get(&EPSILON),
            min_step: params.get(&MIN_STEP),
            min_rate: params.get(&MIN_RATE),
            rate: 0.0,
            phase: Phase::SlowStart(SlowStart::new(0.0)),
            stepper: Stepper::new(constants),
            forgiven: FORGIVEN,
            gradient: 0.0,
        }
    }

    /// The share of the rate by which probes differ.
    fn share(&self) -> f64 {
        self.epsilon.max(self.min_step / self.rate).min(0.5)
    }

    fn probe(&mut self) -> Next {
        let count = if self.stepper.has_trend() { PROBES / 2 } else { PROBES };
        self.phase = Phase::Probing(Probes { count, high_first: None, planned: 0, judged: 0, outcomes: [Probe::default(); PROBES] });
        Next::Anew
    }

    /// Sets the rate, or hibernates.
    fn settle(&mut self, rate: f64, context: &Context<'_>) -> bool {
        self.rate = context.bound(rate / BINARY) * BINARY;
        if rate < self.min_rate {
            self.rate = self.min_rate;
            self.phase = Phase::Hibernating;
        }
        rate >= self.min_rate
    }

    /// Follows `gradient` from an interval with `utility` at the rate.
    fn follow(&mut self, gradient: f64, utility: f64, context: &Context<'_>) -> Next {
        self.gradient = gradient;
        let before = self.rate;
        let step = self.stepper.step(gradient, before);
        let step = if step != 0.0 && step.abs() < self.min_step { self.min_step * step.signum() } else { step };
        if !self.settle(before + step, context) {
            return Next::Anew;
        }
        if step.abs() <= LARGE * before {
            return self.probe();
        }
        self.phase = Phase::Moving(Move { rate_before: before, utility_before: utility, planned: false });
        Next::Anew
    }

    fn on_probes(&mut self, probes: Probes, context: &Context<'_>) -> Next {
        let outcomes = &probes.outcomes[..probes.count];
        let mean_loss = outcomes.iter().map(|one| one.loss).sum::<f64>() / probes.count as f64;
        let utility = |probe: &Probe| {
            let loss = if mean_loss <= EVEN_LOSS { mean_loss } else { probe.loss };
            self.utility.of(&Statistics { rate: probe.rate, slope: probe.slope, loss, ..Statistics::default() })
        };
        let orders = probes.high_first.unwrap_or_default();
        let (mut signs, mut gradient, mut mean) = (0.0, 0.0, 0.0);
        let pairs = probes.count / 2;
        for (pair, high_first) in outcomes.chunks(2).zip(orders) {
            let (first, second) = (utility(&pair[0]), utility(&pair[1]));
            let difference = if high_first { first - second } else { second - first };
            signs += if difference == 0.0 { 0.0 } else { difference.signum() };
            gradient += difference / (2.0 * self.share() * self.rate) / pairs as f64;
            mean += (first + second) / probes.count as f64;
        }
        if signs * gradient > 0.0 { self.follow(gradient, mean, context) } else { self.probe() }
    }

    fn on_move(&mut self, step: Move, judged: Judged, context: &Context<'_>) -> Next {
        let gradient = (judged.utility - step.utility_before) / (self.rate - step.rate_before);
        if gradient == 0.0 || !gradient.is_finite() {
            return self.probe();
        }
        self.follow(gradient, judged.utility, context)
    }

    /// In slow start the first losses do not count.
    fn forgive(&mut self, outcome: &Outcome) -> Outcome {
        let Ok(judged) = outcome.judged else { return *outcome };
        let Statistics { sent, lost, .. } = judged.statistics;
        let forgiven = lost.min(self.forgiven);
        self.forgiven -= forgiven;
        let statistics = Statistics { loss: (lost - forgiven) as f64 / sent.max(1) as f64, ..judged.statistics };
        Outcome { judged: Ok(Judged { utility: self.utility.of(&statistics), statistics }), ..*outcome }
    }
}

impl Law for Nsdi18 {
    fn start(&mut self, rate: f64) {
        self.rate = rate * BINARY;
        self.phase = Phase::SlowStart(SlowStart::new(rate));
    }

    fn plan(&mut self, context: &mut Context<'_>) -> (f64, bool) {
        let share = self.share();
        match &mut self.phase {
            Phase::SlowStart(start) => (start.plan(context), true),
            Phase::Hibernating => (HIBERNATION / BINARY, true),
            Phase::Moving(step) => (self.rate / BINARY, !std::mem::replace(&mut step.planned, true)),
            Phase::Probing(probes) => {
                let orders = *probes.high_first.get_or_insert_with(|| [(); PROBES / 2].map(|()| context.random.chance(0.5)));
                let probe = probes.planned;
                if probe == probes.count {
                    return (self.rate / BINARY, false);
                }
                probes.planned += 1;
                let high = probe.is_multiple_of(2) == orders[probe / 2];
                let factor = if high { 1.0 + share } else { 1.0 - share };
                (self.rate * factor / BINARY, true)
            }
        }
    }

    fn on_outcome(&mut self, outcome: &Outcome, context: &mut Context<'_>) -> Next {
        let forgiven = if matches!(self.phase, Phase::SlowStart(_)) { self.forgive(outcome) } else { *outcome };
        if let Ok(judged) = forgiven.judged
            && judged.statistics.loss > HEAVY_LOSS
        {
            let half = self.rate() * BINARY / 2.0;
            if self.settle(half, context) {
                self.probe();
            }
            return Next::Anew;
        }
        match &mut self.phase {
            Phase::SlowStart(start) => match start.on_outcome(&forgiven) {
                Progress::On => Next::Continue,
                Progress::Again => Next::Anew,
                Progress::Over => {
                    let rate = start.rate() * BINARY;
                    if self.settle(rate, context) {
                        self.probe();
                    }
                    Next::Anew
                }
            },
            Phase::Probing(probes) => {
                let Ok(judged) = forgiven.judged else { return self.probe() };
                let Statistics { rate, slope, loss, .. } = judged.statistics;
                probes.outcomes[probes.judged] = Probe { rate, slope, loss };
                probes.judged += 1;
                let probes = *probes;
                if probes.judged < probes.count { Next::Continue } else { self.on_probes(probes, context) }
            }
            Phase::Moving(step) => {
                let step = *step;
                match forgiven.judged {
                    Ok(judged) => self.on_move(step, judged, context),
                    Err(_) => self.probe(),
                }
            }
            Phase::Hibernating => match forgiven.judged {
                Ok(_) | Err(Discarded::TooFew | Discarded::Slow) => self.probe(),
                Err(Discarded::NoData) => Next::Anew,
            },
        }
    }

    fn on_silence(&mut self, context: &mut Context<'_>) {
        let half = self.rate() * BINARY / 2.0;
        if self.settle(half, context) {
            self.probe();
        }
    }

    fn on_idle(&mut self) {
        self.rate = self.rate() * BINARY;
        self.probe();
    }

    fn rate(&self) -> f64 {
        match &self.phase {
            Phase::SlowStart(start) => start.rate(),
            Phase::Hibernating => HIBERNATION / BINARY,
            Phase::Probing(_) | Phase::Moving(_) => self.rate / BINARY,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let phase = match self.phase {
            Phase::SlowStart(_) => 0,
            Phase::Probing(_) => 1,
            Phase::Moving(_) => 2,
            Phase::Hibernating => 3,
        };
        visit("phase", phase as f64);
        visit("utility_gradient", self.gradient);
        self.stepper.inspect(visit);
    }
}
