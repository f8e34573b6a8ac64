//! The rate control of the code released with Vivace: `onMonitorStart`, `onMonitorEnds` and
//! `decide` of its `pcc.h`.

use super::super::interval::Statistics;
use super::super::law::{Context, Judged, Next, Outcome, RateControl};
use super::super::utility::{Released, Utility};
use super::probes::{PAIRS, Probes};
use super::step::{Constants, StepState};

/// The rate that the first interval doubles, in Mbit/s.
const BEFORE_START: f64 = 0.8;
/// A step up of more than this share of the rate is followed without probing.
const LARGE: f64 = 0.1;
/// Losses of an interval of the start that do not count.
const FORGIVEN: u32 = 50;
/// Slopes of the start that do not count, in seconds per second.
const FORGIVEN_SLOPE: f64 = 0.2;
/// From this loss on, or from more than so many packets, a move whose higher rate lost less is
/// doubted.
const DOUBTFUL_LOSS: f64 = 0.05;
const DOUBTFUL_PACKETS: u32 = 2;

/// The constants of the law.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How gradients become steps.
    pub steps: Constants,
    /// Distance of probes, as a share of the rate; at least the least step.
    pub epsilon: f64,
    /// Least rate after the start, in Mbit/s.
    pub min_rate: f64,
    /// Highest rate that is sent, in Mbit/s.
    pub max_rate: f64,
    /// An interval that loses more than this halves the rate.
    pub heavy_loss: f64,
}

/// The phases of the controller.
///
/// ```text
///       utility falls          an interval begins           a large step up
///  Start ----------> Search ----------------------> Probing ---------------> Moving --+
///                      ^                               |                      |  ^    | a large
///                      +-------------------------------+----------------------+  +----+ step
///                                    any other outcome
/// ```
///
/// Silence, idleness and heavy loss lead from any phase to Search.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one to a flow, and a box would allocate at every search"
)]
#[derive(Clone, Debug)]
enum Nsdi18Phase {
    /// The outcome of the start's latest doubling is awaited; none before the doubling is sent.
    Start {
        asked: Option<u64>,
    },
    /// Probes begin with the next interval.
    Search,
    Probing {
        first: u64,
        probes: Probes,
    },
    Moving(Move),
}

impl Nsdi18Phase {
    /// True if the state machine may go from `before` to this phase.
    fn may_follow(&self, before: &Nsdi18Phase) -> bool {
        match self {
            Nsdi18Phase::Start { .. } => matches!(before, Nsdi18Phase::Start { .. }),
            Nsdi18Phase::Search => true,
            Nsdi18Phase::Probing { .. } => matches!(before, Nsdi18Phase::Search),
            Nsdi18Phase::Moving(_) => {
                matches!(before, Nsdi18Phase::Probing { .. } | Nsdi18Phase::Moving(_))
            }
        }
    }
}

/// A large step, to be compared with what was before.
#[derive(Clone, Copy, Debug)]
struct Move {
    step: f64,
    /// Rate and outcome before it.
    from: (f64, Option<Judged>),
    /// Its rate, and the first interval sent at it.
    to: f64,
    target: Option<u64>,
}

/// The rate control. Rates are in Mbit/s.
#[derive(Clone, Debug)]
pub struct Nsdi18 {
    utility: Released,
    settings: Settings,
    steps: StepState,
    phase: Nsdi18Phase,
    rate: f64,
    /// Utility of the start's latest doubling.
    latest: f64,
    forgiven: u32,
    /// The latest interval sent between probes and their outcomes, and what became of it.
    reference: (u64, Option<Judged>),
    /// A doubtful verdict may be checked by repetition.
    may_check: bool,
    /// Intervals planned and judged since the latest beginning.
    planned: u64,
    judged: u64,
    gradient: f64,
}

impl Nsdi18 {
    /// Before the first interval.
    pub fn new(utility: Released, settings: Settings) -> Nsdi18 {
        Nsdi18 {
            utility,
            settings,
            steps: StepState::new(settings.steps),
            phase: Nsdi18Phase::Start { asked: None },
            rate: BEFORE_START,
            latest: f64::NEG_INFINITY,
            forgiven: FORGIVEN,
            reference: (0, None),
            may_check: true,
            planned: 0,
            judged: 0,
            gradient: 0.0,
        }
    }

    /// The state machine moves.
    fn enter(&mut self, phase: Nsdi18Phase) {
        debug_assert!(phase.may_follow(&self.phase), "from {:?} to {phase:?}", self.phase);
        self.phase = phase;
    }

    /// The distance of probes from the rate.
    fn distance(&self) -> f64 {
        (self.settings.epsilon * self.rate).max(self.settings.steps.least)
    }

    /// Intervals under way are forgotten, and probes begin at `rate`.
    fn search_anew(&mut self, rate: f64) -> Next {
        self.rate = rate.max(self.settings.min_rate);
        self.enter(Nsdi18Phase::Search);
        (self.planned, self.judged, self.reference) = (0, 0, (0, None));
        Next::Anew
    }

    /// Probes begin with the next interval at `rate`.
    fn search(&mut self, rate: f64) {
        self.rate = rate;
        self.enter(Nsdi18Phase::Search);
    }

    /// In the start losses up to a number do not count, and slopes neither as long as they have not
    /// exceeded it.
    fn forgive(&mut self, statistics: Statistics) -> Judged {
        let Statistics { lost, slope, .. } = statistics;
        let slope = if self.forgiven > 0 && slope.abs() < FORGIVEN_SLOPE { 0.0 } else { slope };
        // The code means to use the number up, but takes nothing off it while an interval stays
        // within it.
        let forgiven =
            if lost <= self.forgiven { self.forgiven } else { std::mem::take(&mut self.forgiven) };
        let statistics = Statistics { slope, ..statistics.forgiving(forgiven) };
        Judged { utility: self.utility.of(&statistics), statistics }
    }

    fn on_start(&mut self, judged: Judged) {
        if self.latest > judged.utility {
            return self.search(self.rate / 2.0);
        }
        self.latest = judged.utility;
        self.enter(Nsdi18Phase::Start { asked: None });
    }

    fn on_probes(&mut self, probes: &Probes) {
        let utility = self.utility;
        let mut verdict = probes.verdict(|statistics| utility.of(statistics));
        if verdict.doubtful && self.may_check {
            self.may_check = false;
            verdict.sign = 0;
        } else {
            self.may_check = true;
            if verdict.doubtful {
                self.steps.go_on();
            }
        }
        if verdict.sign == 0 {
            self.steps.undecided();
            return self.search(self.rate);
        }
        self.gradient = verdict.gradient;
        let step = self.steps.step(verdict.gradient, self.rate);
        if step / self.rate <= LARGE {
            return self.search(self.rate + step);
        }
        self.enter(Nsdi18Phase::Moving(Move {
            step,
            from: (self.rate, None),
            to: self.rate + step,
            target: None,
        }));
    }

    /// The first interval of a move has its outcome, and so has the one before.
    fn on_move(&mut self, step: Move, before: Judged, judged: Judged) {
        let gradient = (judged.utility - before.utility) / (step.to - step.from.0);
        self.gradient = gradient;
        let next = self.steps.step(gradient, self.rate);
        let old = before.statistics;
        let new = judged.statistics;
        // The code divides by the packets of the one interval and the losses of the other.
        let together = (old.lost + new.lost) as f64 / (old.sent + new.lost) as f64;
        let counts = old.lost.abs_diff(new.lost) > DOUBTFUL_PACKETS || together >= DOUBTFUL_LOSS;
        if counts && (step.from.0 - step.to) * (old.loss - new.loss) < 0.0 {
            self.may_check = false;
            self.steps.undecided();
            return self.search(self.rate);
        }
        let same = next * step.step > 0.0;
        if same && next / self.rate > LARGE {
            let from = (step.to, Some(judged));
            self.enter(Nsdi18Phase::Moving(Move {
                step: next,
                from,
                to: step.to + next,
                target: None,
            }));
            return;
        }
        if same {
            self.steps.go_on();
        }
        self.search(self.rate + next);
    }

    fn on_judged(&mut self, number: u64, judged: Judged) {
        match &mut self.phase {
            Nsdi18Phase::Start { asked } if *asked == Some(number) => self.on_start(judged),
            Nsdi18Phase::Probing { first, probes } if number >= *first => {
                let complete = probes.add(judged.statistics).then_some(*probes);
                if let Some(probes) = complete {
                    self.on_probes(&probes);
                }
            }
            Nsdi18Phase::Moving(step) if step.target == Some(number) => {
                let step = *step;
                match step.from.1.or(self.reference.1) {
                    Some(before) => self.on_move(step, before, judged),
                    None => self.search(self.rate),
                }
            }
            _ => {}
        }
    }

    /// An interval that the application or the host cut short. The code judges whatever it has
    /// sent; here it is sent again.
    fn on_unjudged(&mut self, number: u64) {
        match &self.phase {
            Nsdi18Phase::Start { asked } if *asked == Some(number) => {
                self.rate /= 2.0;
                self.enter(Nsdi18Phase::Start { asked: None });
            }
            Nsdi18Phase::Probing { first, .. } if number >= *first => self.search(self.rate),
            Nsdi18Phase::Moving(step) if step.target == Some(number) => self.search(self.rate),
            _ => {}
        }
    }
}

impl RateControl for Nsdi18 {
    fn start(&mut self, _rate: f64) {
        *self = Nsdi18::new(self.utility, self.settings);
    }

    fn plan(&mut self, context: &mut Context<'_>) -> (f64, bool) {
        let number = self.planned;
        self.planned += 1;
        if let Nsdi18Phase::Search = self.phase {
            self.rate = self.rate.max(self.settings.min_rate);
            let pairs = if self.steps.has_trend() { 1 } else { PAIRS };
            let probes = Probes::new(pairs, self.rate, self.distance(), context.random);
            self.enter(Nsdi18Phase::Probing { first: number, probes });
        }
        let rate = match &mut self.phase {
            Nsdi18Phase::Start { asked } => {
                if asked.is_none() {
                    *asked = Some(number);
                    self.rate *= 2.0;
                }
                self.rate
            }
            Nsdi18Phase::Search => self.rate,
            Nsdi18Phase::Probing { probes, .. } => match probes.plan() {
                Some(probe) => probe,
                None => {
                    self.reference = (number, None);
                    self.rate
                }
            },
            Nsdi18Phase::Moving(step) => {
                step.target.get_or_insert(number);
                self.rate = step.to;
                step.to
            }
        };
        (rate.min(self.settings.max_rate), true)
    }

    fn on_outcome(&mut self, outcome: &Outcome, _context: &mut Context<'_>) -> Next {
        let number = self.judged;
        self.judged += 1;
        let judged = match outcome.judged {
            Ok(judged) if matches!(self.phase, Nsdi18Phase::Start { .. }) => {
                self.forgive(judged.statistics)
            }
            Ok(judged) => judged,
            Err(_) => {
                self.on_unjudged(number);
                return Next::Continue;
            }
        };
        if judged.statistics.loss > self.settings.heavy_loss {
            return self.search_anew(self.rate / 2.0);
        }
        if self.reference.0 == number {
            self.reference.1 = Some(judged);
        }
        self.on_judged(number, judged);
        Next::Continue
    }

    fn on_silence(&mut self, _context: &mut Context<'_>) {
        self.search_anew(self.rate / 2.0);
    }

    fn on_idle(&mut self) {
        self.search_anew(self.rate);
    }

    fn is_starting(&self) -> bool {
        matches!(self.phase, Nsdi18Phase::Start { .. })
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let phase = match self.phase {
            Nsdi18Phase::Start { .. } => 0,
            Nsdi18Phase::Search | Nsdi18Phase::Probing { .. } => 1,
            Nsdi18Phase::Moving(_) => 2,
        };
        visit("phase", phase as f64);
        visit("utility_gradient", self.gradient);
        self.steps.inspect(visit);
    }
}
