//! PCC Vivace: gradient ascent on a utility of rate, latency and loss.
//!
//! Source: Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira, "PCC Vivace: online-learning
//! congestion control", NSDI 2018: equations 1 to 4, sections 4 and 5; the swing buffer is that of
//! the authors' code (PCC-Uspace, branch NSDI-2018).
//!
//! Deviations and choices of ours:
//! * the slope of an interval uses all its round trips;
//! * a double check confirms if the repeated pair has the gradient's sign again; if it does not,
//!   the repeated pair alone counts;
//! * feedback is missing after four round trips and at least 50 ms;
//! * the least rate is two packets per round trip.

use super::driver::Pcc;
use super::law::{Context, Judged, Next, Outcome, RateControl};
use super::lengths::Lengths;
use super::slow_start::{FORGIVEN, Progress, SlowStart};
use super::step::{Constants, Stepper};
use super::utility::{self, UTILITY};
use crate::{Basis, Build, Built, Entry};
use narrows_params::{Need, Param, Params};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "vivace",
    kernel: None,
    summary: "PCC Vivace of the paper, to judge the algorithm: probes around its rate and follows the gradient of a utility of rate, latency and loss",
    source: "Dong et al., PCC Vivace: online-learning congestion control, NSDI 2018",
    basis: Basis::Utility,
    needs: &[Need::Pacing, Need::Tags],
    numbered: true,
    params: &[
        UTILITY.spec,
        utility::EXPONENT.spec,
        utility::LATENCY_PRICE.spec,
        utility::LOSS_PRICE.spec,
        utility::GRADIENT_FILTER.spec,
        utility::NEGATIVE_GRADIENT.spec,
        utility::WEIGHT.spec,
        utility::TARGET_MS.spec,
        EPSILON.spec,
        THETA0.spec,
        OMEGA0.spec,
        DELTA.spec,
        AMPLIFIER.spec,
        SWING_BUFFER.spec,
        DOUBLE_CHECK.spec,
        MI_MIN.spec,
        MI_MAX.spec,
        MI_PACKETS.spec,
        FORGIVEN.spec,
    ],
    build: Build::Function(|setup, params| {
        let lengths = Lengths::of_round_trips(
            params.get(&MI_MIN),
            params.get(&MI_MAX),
            params.get(&MI_PACKETS),
        );
        let pcc = Pcc::new(setup, Vivace::new(params), params.get(&UTILITY)(params), lengths);
        Ok(Built::new(pcc.forgiving(params.get(&FORGIVEN))))
    }),
};

const EPSILON: Param<f64> = Param::number(
    "epsilon",
    0.05,
    (0.005, 0.5),
    "",
    "distance of probes from the rate (section 4)",
);
const THETA0: Param<f64> = Param::number(
    "theta0",
    1.0,
    (0.001, 1000.0),
    "Mbit/s",
    "step for a gradient of 1 (PCC-Uspace, NSDI-2018)",
);
const OMEGA0: Param<f64> = Param::number(
    "omega0",
    0.05,
    (0.001, 1.0),
    "",
    "first bound of a step, share of the rate (PCC-Uspace, NSDI-2018)",
);
const DELTA: Param<f64> = Param::number(
    "delta",
    0.1,
    (0.001, 1.0),
    "",
    "growth of the bound per step that reaches it (section 5); 0.06 in PCC-Uspace, NSDI-2018",
);
const AMPLIFIER: Param<bool> =
    Param::flag("amplifier", true, "amplify repeated steps in one direction (equation 4)");
const SWING_BUFFER: Param<bool> = Param::flag(
    "swing_buffer",
    true,
    "a reversal delays the amplifier by a step (PCC-Uspace, NSDI-2018)",
);
const DOUBLE_CHECK: Param<bool> =
    Param::flag("double_check", true, "repeat a pair whose higher rate lost less (section 5)");
const MI_MIN: Param<f64> =
    Param::number("mi_min", 1.0, (0.1, 10.0), "RTT", "least length of an interval");
const MI_MAX: Param<f64> =
    Param::number("mi_max", 1.0, (0.1, 10.0), "RTT", "greatest length; drawn uniformly in between");
const MI_PACKETS: Param<f64> =
    Param::number("mi_packets", 10.0, (2.0, 10_000.0), "packets", "least packets in an interval");

/// The phases of the controller (sections 4 and 5).
///
/// ```text
///         utility falls
///  SlowStart ---------> Learning --+
///                          ^       | a pair is judged
///                          +-------+
/// ```
///
/// Silence and idleness lead from any phase to Learning, the first round trip to SlowStart: so
/// either may follow the other.
#[derive(Clone, Copy, Debug)]
enum VivacePhase {
    SlowStart(SlowStart),
    Learning(Pair),
}

/// Two intervals, one above and one below the rate.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    /// The higher rate comes first; drawn with the first plan.
    high_first: Option<bool>,
    planned: u8,
    first: Option<Judged>,
    /// The gradient of the pair that this one repeats.
    doubted: Option<f64>,
}

/// The rate control.
#[derive(Clone, Debug)]
struct Vivace {
    epsilon: f64,
    double_check: bool,
    rate: f64,
    phase: VivacePhase,
    stepper: Stepper,
    gradient: f64,
}

impl Vivace {
    fn new(params: &Params) -> Vivace {
        let constants = Constants {
            theta: params.get(&THETA0),
            omega: params.get(&OMEGA0),
            delta: params.get(&DELTA),
            amplifier: params.get(&AMPLIFIER),
            swing_buffer: params.get(&SWING_BUFFER),
        };
        Vivace {
            epsilon: params.get(&EPSILON),
            double_check: params.get(&DOUBLE_CHECK),
            rate: 0.0,
            phase: VivacePhase::SlowStart(SlowStart::new(0.0)),
            stepper: Stepper::new(constants),
            gradient: 0.0,
        }
    }

    fn learn(&mut self, doubted: Option<f64>) -> Next {
        self.phase = VivacePhase::Learning(Pair { doubted, ..Pair::default() });
        Next::Anew
    }

    /// Both outcomes of a pair are there.
    fn on_pair(
        &mut self,
        high: Judged,
        low: Judged,
        doubted: Option<f64>,
        context: &Context<'_>,
    ) -> Next {
        let gradient = (high.utility - low.utility) / (2.0 * self.epsilon * self.rate);
        let gradient = match doubted {
            None if self.double_check && high.statistics.loss < low.statistics.loss => {
                return self.learn(Some(gradient));
            }
            Some(before) if before * gradient > 0.0 => (before + gradient) / 2.0,
            _ => gradient,
        };
        self.gradient = gradient;
        self.rate = context.bound(self.rate + self.stepper.step(gradient, self.rate));
        self.learn(None)
    }
}

impl RateControl for Vivace {
    fn start(&mut self, rate: f64) {
        self.rate = rate;
        self.phase = VivacePhase::SlowStart(SlowStart::new(rate));
    }

    fn plan(&mut self, context: &mut Context<'_>) -> (f64, bool) {
        match &mut self.phase {
            VivacePhase::SlowStart(start) => (start.plan(context), true),
            VivacePhase::Learning(pair) => {
                self.rate = context.bound(self.rate);
                let high_first = *pair.high_first.get_or_insert_with(|| context.random.chance(0.5));
                pair.planned = (pair.planned + 1).min(3);
                if pair.planned > 2 {
                    return (self.rate, false);
                }
                let high = (pair.planned == 1) == high_first;
                let share = if high { 1.0 + self.epsilon } else { 1.0 - self.epsilon };
                (self.rate * share, true)
            }
        }
    }

    fn on_outcome(&mut self, outcome: &Outcome, context: &mut Context<'_>) -> Next {
        match &mut self.phase {
            VivacePhase::SlowStart(start) => match start.on_outcome(outcome) {
                Progress::On => Next::Continue,
                Progress::Again => Next::Anew,
                Progress::Over => {
                    self.rate = context.bound(start.rate());
                    self.learn(None)
                }
            },
            VivacePhase::Learning(pair) => {
                let Ok(judged) = outcome.judged else {
                    let doubted = pair.doubted;
                    return self.learn(doubted);
                };
                let Some(first) = pair.first else {
                    pair.first = Some(judged);
                    return Next::Continue;
                };
                let (high, low) =
                    if pair.high_first == Some(true) { (first, judged) } else { (judged, first) };
                let doubted = pair.doubted;
                self.on_pair(high, low, doubted, context)
            }
        }
    }

    fn on_silence(&mut self, context: &mut Context<'_>) {
        let rate = self.rate();
        self.rate = context.bound(rate / 2.0);
        self.learn(None);
    }

    fn on_idle(&mut self) {
        self.rate = self.rate();
        self.learn(None);
    }

    fn is_starting(&self) -> bool {
        matches!(self.phase, VivacePhase::SlowStart(_))
    }

    fn rate(&self) -> f64 {
        match &self.phase {
            VivacePhase::SlowStart(start) => start.rate(),
            VivacePhase::Learning(_) => self.rate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("phase", matches!(self.phase, VivacePhase::Learning(_)) as u8 as f64);
        visit("utility_gradient", self.gradient);
        self.stepper.inspect(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::controllers::pcc::interval::Statistics;
    use narrows_units::Random;

    struct Bench {
        vivace: Vivace,
        random: Random,
    }

    impl Bench {
        /// Learning at 100 Mbit/s.
        fn new(text: &str) -> Bench {
            let choice: Choice = text.parse().unwrap();
            let mut vivace = Vivace::new(&choice.params());
            vivace.rate = 100.0;
            vivace.learn(None);
            Bench { vivace, random: Random::stream(1, "test") }
        }

        fn with<T>(&mut self, act: impl FnOnce(&mut Vivace, &mut Context<'_>) -> T) -> T {
            act(&mut self.vivace, &mut Context { floor: 1.0, random: &mut self.random })
        }

        /// A pair with these utilities and losses of the higher and the lower rate.
        fn pair(&mut self, high: (f64, f64), low: (f64, f64)) {
            let rate = self.vivace.rate;
            for _ in 0..2 {
                let (probe, awaited) = self.with(|vivace, context| vivace.plan(context));
                assert!(awaited && ((probe / rate - 1.0).abs() - 0.05).abs() < 1e-9, "{probe}");
            }
            assert_eq!(
                self.with(|vivace, context| vivace.plan(context)),
                (rate, false),
                "a filler"
            );
            let VivacePhase::Learning(pair) = self.vivace.phase else { panic!("not learning") };
            let order = if pair.high_first == Some(true) { [high, low] } else { [low, high] };
            for (utility, loss) in order {
                let judged = Ok(Judged {
                    utility,
                    statistics: Statistics { loss, ..Statistics::default() },
                });
                self.with(|vivace, context| {
                    vivace.on_outcome(&Outcome { rate: 0.0, judged }, context)
                });
            }
        }
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-4, "{value}, not {expected}");
    }

    /// 105^0.9 = 65.9281, 95^0.9 = 60.2496: the gradient is their difference over 10 Mbit/s.
    #[test]
    fn the_rate_moves_by_the_gradient() {
        let mut bench = Bench::new("vivace");
        bench.pair((65.9281, 0.0), (60.2496, 0.0));
        near(bench.vivace.gradient, 0.56785);
        near(bench.vivace.rate, 100.56785);
    }

    #[test]
    fn a_steep_gradient_moves_it_by_the_bound() {
        let mut bench = Bench::new("vivace");
        bench.pair((-4000.0, 0.0), (60.0, 0.0));
        near(bench.vivace.rate, 95.0);
        bench.pair((-4000.0, 0.0), (60.0, 0.0));
        near(bench.vivace.rate, 95.0 * 0.85);
    }

    #[test]
    fn less_loss_at_the_higher_rate_is_checked_twice() {
        let mut bench = Bench::new("vivace");
        bench.pair((20.0, 0.01), (10.0, 0.02));
        near(bench.vivace.rate, 100.0);
        bench.pair((12.0, 0.01), (10.0, 0.02));
        near(bench.vivace.rate, 100.6);
        // If the repetition disagrees, it counts alone: steps of -0.5.
        let mut bench = Bench::new("vivace");
        bench.pair((20.0, 0.01), (10.0, 0.02));
        bench.pair((10.0, 0.02), (15.0, 0.01));
        near(bench.vivace.rate, 99.5);
        let mut hasty = Bench::new("vivace?double_check=false");
        hasty.pair((20.0, 0.01), (10.0, 0.02));
        near(hasty.vivace.rate, 101.0);
    }

    #[test]
    fn a_pair_with_an_interval_that_cannot_be_judged_is_repeated() {
        let mut bench = Bench::new("vivace");
        let first = bench.with(|vivace, context| vivace.plan(context));
        let outcome = Outcome {
            rate: first.0,
            judged: Err(crate::controllers::pcc::interval::Discarded::NoData),
        };
        assert_eq!(bench.with(|vivace, context| vivace.on_outcome(&outcome, context)), Next::Anew);
        bench.pair((65.9281, 0.0), (60.2496, 0.0));
        near(bench.vivace.rate, 100.56785);
    }

    #[test]
    fn silence_halves_the_rate() {
        let mut bench = Bench::new("vivace");
        bench.with(|vivace, context| vivace.on_silence(context));
        near(bench.vivace.rate, 50.0);
    }
}
