//! PCC Allegro: trials of a higher and a lower rate, then steps that grow as long as they pay.
//!
//! Source: Dong, Li, Zarchy, Godfrey, Schapira, "PCC: re-architecting congestion control for
//! consistent high performance", NSDI 2015: section 2.2 (utility) and section 3 (intervals,
//! starting, decision making, rate adjusting).
//!
//! Deviations and choices of ours:
//! * the utility is the paper's safe one, without the latency that the authors' code of 2015 adds;
//! * the first step after a decision is compared with the mean utility of the two trials that led
//!   to it;
//! * if one of the four trials cannot be judged, all four are repeated;
//! * feedback is missing after four round trips and at least 50 ms: the rate is halved and the
//!   trials begin again;
//! * the least rate is two packets per round trip.

use super::driver::Pcc;
use super::law::{Context, Judged, Next, Outcome, RateControl};
use super::lengths::Lengths;
use super::slow_start::{FORGIVEN, Progress, SlowStart};
use super::utility::Safe;
use crate::{Basis, Build, Built, Entry};
use narrows_params::{Need, Param, Params};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "allegro",
    kernel: None,
    summary: "PCC Allegro: two trials each of a higher and a lower rate decide; steps grow while the utility of throughput and loss rises",
    source: "Dong et al., PCC: re-architecting congestion control for consistent high performance, NSDI 2015",
    basis: Basis::Utility,
    needs: &[Need::Pacing, Need::Tags],
    numbered: true,
    params: &[
        ALPHA.spec,
        LOSS_THRESHOLD.spec,
        EPSILON_MIN.spec,
        EPSILON_MAX.spec,
        MI_MIN.spec,
        MI_MAX.spec,
        MI_PACKETS.spec,
        FORGIVEN.spec,
    ],
    build: Build::Function(|setup, params| {
        let utility =
            Safe { threshold: params.get(&LOSS_THRESHOLD), steepness: params.get(&ALPHA) };
        let lengths = Lengths::of_round_trips(
            params.get(&MI_MIN),
            params.get(&MI_MAX),
            params.get(&MI_PACKETS),
        );
        Ok(Built::new(
            Pcc::new(setup, Allegro::new(params), Box::new(utility), lengths)
                .forgiving(params.get(&FORGIVEN)),
        ))
    }),
};

const ALPHA: Param<f64> = Param::number(
    "alpha",
    100.0,
    (1.0, 10_000.0),
    "",
    "steepness of the utility at its threshold, at least 2.2 (n - 1) for n flows (section 2.2)",
);
const LOSS_THRESHOLD: Param<f64> =
    Param::number("loss_threshold", 0.05, (0.0, 1.0), "", "threshold of loss (section 2.2)");
const EPSILON_MIN: Param<f64> = Param::number(
    "epsilon_min",
    0.01,
    (0.001, 0.5),
    "",
    "first distance of trials from the rate, and increment of steps (section 3.2)",
);
const EPSILON_MAX: Param<f64> = Param::number(
    "epsilon_max",
    0.05,
    (0.001, 0.5),
    "",
    "largest distance, after trials that disagree (section 3.2)",
);
const MI_MIN: Param<f64> =
    Param::number("mi_min", 1.7, (0.1, 10.0), "RTT", "least length of an interval (section 3.1)");
const MI_MAX: Param<f64> = Param::number(
    "mi_max",
    2.2,
    (0.1, 10.0),
    "RTT",
    "greatest length; drawn uniformly in between, so that flows do not synchronise (section 3.1)",
);
const MI_PACKETS: Param<f64> = Param::number(
    "mi_packets",
    10.0,
    (2.0, 10_000.0),
    "packets",
    "least packets in an interval (section 3.1)",
);

/// Trials of a decision: two pairs.
const TRIALS: usize = 4;

/// The phases of the controller (section 3.2).
///
/// ```text
///         utility falls            trials agree
///  Starting ---------> Decision ----------------> Adjusting
///                      ^  |  ^                     |  |
///                      +--+  +---------------------+  +--> Adjusting
///              trials disagree    utility falls       utility rises
/// ```
///
/// Silence and idleness lead from any phase to Decision, the first round trip to Starting.
#[derive(Clone, Copy, Debug)]
enum AllegroPhase {
    Starting(SlowStart),
    Decision(Trials),
    Adjusting(DirectedSteps),
}

impl AllegroPhase {
    /// True if the state machine may go from `before` to this phase.
    fn may_follow(&self, before: &AllegroPhase) -> bool {
        match self {
            AllegroPhase::Starting(_) | AllegroPhase::Decision(_) => true,
            AllegroPhase::Adjusting(_) => {
                matches!(before, AllegroPhase::Decision(_) | AllegroPhase::Adjusting(_))
            }
        }
    }
}

/// Two pairs of trials, each of a higher and a lower rate.
#[derive(Clone, Copy, Debug, Default)]
struct Trials {
    /// For each pair: the higher rate comes first; drawn with the first plan.
    high_first: Option<[bool; 2]>,
    planned: usize,
    judged: usize,
    utilities: [f64; TRIALS],
}

/// Steps in the direction that was decided.
#[derive(Clone, Copy, Debug)]
struct DirectedSteps {
    up: bool,
    /// How many steps, the one under way included.
    n: u32,
    /// Rate and utility before the step under way.
    before: (f64, f64),
    /// The step's interval is planned.
    planned: bool,
}

/// The rate control.
#[derive(Clone, Debug)]
struct Allegro {
    epsilon_min: f64,
    epsilon_max: f64,
    epsilon: f64,
    rate: f64,
    phase: AllegroPhase,
}

impl Allegro {
    fn new(params: &Params) -> Allegro {
        let epsilon_min = params.get(&EPSILON_MIN);
        Allegro {
            epsilon_min,
            epsilon_max: params.get(&EPSILON_MAX).max(epsilon_min),
            epsilon: epsilon_min,
            rate: 0.0,
            phase: AllegroPhase::Starting(SlowStart::new(0.0)),
        }
    }

    /// The state machine moves.
    fn enter(&mut self, phase: AllegroPhase) {
        debug_assert!(phase.may_follow(&self.phase), "from {:?} to {phase:?}", self.phase);
        self.phase = phase;
    }

    fn try_both(&mut self) -> Next {
        self.enter(AllegroPhase::Decision(Trials::default()));
        Next::Anew
    }

    /// All trials are judged.
    fn decide(&mut self, trials: Trials, context: &Context<'_>) -> Next {
        let orders = trials.high_first.unwrap_or_default();
        let pair = |index: usize| {
            let [first, second] = [trials.utilities[2 * index], trials.utilities[2 * index + 1]];
            if orders[index] { (first, second) } else { (second, first) }
        };
        let one = pair(0);
        let other = pair(1);
        let up = if one.0 > one.1 && other.0 > other.1 {
            true
        } else if one.0 < one.1 && other.0 < other.1 {
            false
        } else {
            self.epsilon = (self.epsilon + self.epsilon_min).min(self.epsilon_max);
            return self.try_both();
        };
        let (share, utility) = if up {
            (1.0 + self.epsilon, (one.0 + other.0) / 2.0)
        } else {
            (1.0 - self.epsilon, (one.1 + other.1) / 2.0)
        };
        self.rate = context.bound(self.rate * share);
        self.epsilon = self.epsilon_min;
        self.step(DirectedSteps { up, n: 1, before: (self.rate, utility), planned: false }, context)
    }

    /// Takes the next step: n times the least share.
    fn step(&mut self, steps: DirectedSteps, context: &Context<'_>) -> Next {
        let share = steps.n as f64 * self.epsilon_min;
        let change = if steps.up { 1.0 + share } else { 1.0 - share };
        self.rate = context.bound(self.rate * change);
        self.enter(AllegroPhase::Adjusting(steps));
        Next::Anew
    }

    fn on_step(
        &mut self,
        steps: DirectedSteps,
        judged: Option<Judged>,
        context: &Context<'_>,
    ) -> Next {
        match judged {
            None => self.enter(AllegroPhase::Adjusting(DirectedSteps { planned: false, ..steps })),
            Some(judged) if judged.utility > steps.before.1 => {
                let before = (self.rate, judged.utility);
                return self.step(
                    DirectedSteps { n: steps.n + 1, before, planned: false, ..steps },
                    context,
                );
            }
            Some(_) => {
                self.rate = steps.before.0;
                return self.try_both();
            }
        }
        Next::Anew
    }
}

impl RateControl for Allegro {
    fn start(&mut self, rate: f64) {
        self.rate = rate;
        self.enter(AllegroPhase::Starting(SlowStart::new(rate)));
    }

    fn plan(&mut self, context: &mut Context<'_>) -> (f64, bool) {
        self.rate = context.bound(self.rate);
        match &mut self.phase {
            AllegroPhase::Starting(start) => (start.plan(context), true),
            AllegroPhase::Adjusting(steps) => {
                (self.rate, !std::mem::replace(&mut steps.planned, true))
            }
            AllegroPhase::Decision(trials) => {
                let orders = *trials
                    .high_first
                    .get_or_insert_with(|| [(); 2].map(|()| context.random.chance(0.5)));
                let trial = trials.planned;
                if trial == TRIALS {
                    return (self.rate, false);
                }
                trials.planned += 1;
                let high = trial.is_multiple_of(2) == orders[trial / 2];
                let share = if high { 1.0 + self.epsilon } else { 1.0 - self.epsilon };
                (self.rate * share, true)
            }
        }
    }

    fn on_outcome(&mut self, outcome: &Outcome, context: &mut Context<'_>) -> Next {
        match &mut self.phase {
            AllegroPhase::Starting(start) => match start.on_outcome(outcome) {
                Progress::On => Next::Continue,
                Progress::Again => Next::Anew,
                Progress::Over => {
                    self.rate = context.bound(start.rate());
                    self.try_both()
                }
            },
            AllegroPhase::Decision(trials) => {
                let Ok(judged) = outcome.judged else { return self.try_both() };
                trials.utilities[trials.judged] = judged.utility;
                trials.judged += 1;
                let trials = *trials;
                if trials.judged < TRIALS { Next::Continue } else { self.decide(trials, context) }
            }
            AllegroPhase::Adjusting(steps) => {
                let steps = *steps;
                self.on_step(steps, outcome.judged.ok(), context)
            }
        }
    }

    fn on_silence(&mut self, context: &mut Context<'_>) {
        self.rate = context.bound(self.rate() / 2.0);
        self.epsilon = self.epsilon_min;
        self.try_both();
    }

    fn on_idle(&mut self) {
        self.rate = self.rate();
        self.try_both();
    }

    fn is_starting(&self) -> bool {
        matches!(self.phase, AllegroPhase::Starting(_))
    }

    fn rate(&self) -> f64 {
        match &self.phase {
            AllegroPhase::Starting(start) => start.rate(),
            AllegroPhase::Decision(_) | AllegroPhase::Adjusting(_) => self.rate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let phase = match self.phase {
            AllegroPhase::Starting(_) => 0,
            AllegroPhase::Decision(_) => 1,
            AllegroPhase::Adjusting(_) => 2,
        };
        visit("phase", phase as f64);
        visit("epsilon", self.epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::controllers::pcc::interval::Statistics;
    use crate::testing::near;
    use narrows_units::Random;

    struct Bench {
        allegro: Allegro,
        random: Random,
    }

    impl Bench {
        /// Trials around 100 Mbit/s.
        fn new() -> Bench {
            let choice: Choice = "allegro".parse().unwrap();
            let mut allegro = Allegro::new(&choice.params());
            allegro.rate = 100.0;
            allegro.try_both();
            Bench { allegro, random: Random::stream(1, "test") }
        }

        fn plan(&mut self) -> (f64, bool) {
            self.allegro.plan(&mut Context { floor: 1.0, random: &mut self.random })
        }

        fn outcome(&mut self, utility: f64) -> Next {
            let outcome = Outcome {
                rate: 0.0,
                judged: Ok(Judged { utility, statistics: Statistics::default() }),
            };
            self.allegro.on_outcome(&outcome, &mut Context { floor: 1.0, random: &mut self.random })
        }

        /// Four trials, with the utilities of the higher and the lower rate of each pair.
        fn trials(&mut self, pairs: [(f64, f64); 2], epsilon: f64) {
            let rate = self.allegro.rate;
            let trials = [(); TRIALS].map(|()| self.plan());
            assert!(
                trials.iter().all(|(trial, awaited)| *awaited
                    && ((trial / rate - 1.0).abs() - epsilon).abs() < 1e-9),
                "{trials:?}"
            );
            assert_eq!(self.plan(), (rate, false), "a filler");
            for (index, (trial, _)) in trials.into_iter().enumerate() {
                let (high, low) = pairs[index / 2];
                self.outcome(if trial > rate { high } else { low });
            }
        }
    }

    #[test]
    fn two_pairs_that_agree_decide_and_steps_grow_while_they_pay() {
        let mut bench = Bench::new();
        bench.trials([(101.0, 99.0), (101.0, 99.0)], 0.01);
        near(bench.allegro.rate, 101.0 * 1.01);
        assert!(bench.plan().1 && !bench.plan().1);
        assert_eq!(bench.outcome(102.0), Next::Anew);
        near(bench.allegro.rate, 101.0 * 1.01 * 1.02);
        bench.plan();
        assert_eq!(bench.outcome(101.5), Next::Anew);
        near(bench.allegro.rate, 101.0 * 1.01);
        assert!(matches!(bench.allegro.phase, AllegroPhase::Decision(_)));
    }

    #[test]
    fn pairs_that_disagree_widen_the_trials_up_to_5_percent() {
        let mut bench = Bench::new();
        for epsilon in [0.01, 0.02, 0.03, 0.04, 0.05, 0.05] {
            bench.trials([(101.0, 99.0), (99.0, 101.0)], epsilon);
            near(bench.allegro.rate, 100.0);
        }
        bench.trials([(90.0, 99.0), (90.0, 99.0)], 0.05);
        near(bench.allegro.rate, 95.0 * 0.99);
        near(bench.allegro.epsilon, 0.01);
    }

    #[test]
    fn silence_halves_the_rate() {
        let mut bench = Bench::new();
        bench.allegro.on_silence(&mut Context { floor: 1.0, random: &mut bench.random });
        near(bench.allegro.rate, 50.0);
    }
}
