//! The rate control of the code released with Allegro: `onMonitorStart` and `onMonitorEnds` of its
//! `cc.h`.

use super::super::law::{Context, Judged, Next, Outcome, RateControl};

/// The rate that the first interval doubles, in Mbit/s.
const BEFORE_START: f64 = 1.0;
/// Least rate, in Mbit/s: a packet of 1500 B in 120 ms. Ours; the code has none.
const LEAST: f64 = 0.1;
/// Distance of trials from the rate is a multiple of this share, and so are steps.
const GRANULARITY: f64 = 0.01;
/// After so many decisions in a row that the trials did not make, their distance is a single share
/// again.
const MOST_GUESSES: u32 = 5;
/// Trials of a decision: two pairs.
const TRIALS: usize = 4;

/// The phases of the controller.
///
/// ```text
///         utility falls            trials agree
///  Starting ---------> Guessing -----------------> Moving
///                      ^  |  ^                     |  |
///                      +--+  +---------------------+  +--> Moving
///              trials disagree    utility falls       utility rises
/// ```
///
/// Silence, idleness and an interval that cannot be judged lead from any phase to Guessing.
#[derive(Clone, Copy, Debug)]
enum Nsdi15Phase {
    Starting(Start),
    Guessing(Guess),
    Moving(Moves),
}

impl Nsdi15Phase {
    /// True if the state machine may go from `before` to this phase.
    fn may_follow(&self, before: &Nsdi15Phase) -> bool {
        match self {
            Nsdi15Phase::Starting(_) => matches!(before, Nsdi15Phase::Starting(_)),
            Nsdi15Phase::Guessing(_) => true,
            Nsdi15Phase::Moving(_) => {
                matches!(before, Nsdi15Phase::Guessing(_) | Nsdi15Phase::Moving(_))
            }
        }
    }
}

/// Twice the rate with every interval.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The rate of the latest interval.
    rate: f64,
    /// Rate and utility of the latest judged.
    best: Option<(f64, f64)>,
}

/// Two pairs of trials, each of a higher and a lower rate.
#[derive(Clone, Copy, Debug)]
struct Guess {
    /// The rates, drawn with the first plan, and the number of the first trial.
    trials: Option<(u64, [f64; TRIALS])>,
    planned: usize,
    judged: usize,
    utilities: [f64; TRIALS],
}

/// Steps in one direction.
#[derive(Clone, Copy, Debug)]
struct Moves {
    /// 1 up, -1 down.
    direction: f64,
    /// How many shares the latest step had.
    shares: f64,
    /// The first interval sent at its rate; none before it is planned.
    target: Option<u64>,
    /// Utility before it; none of the first.
    before: Option<f64>,
}

/// The rate control. Rates are in Mbit/s.
#[derive(Clone, Debug)]
pub struct Nsdi15 {
    rate: f64,
    phase: Nsdi15Phase,
    /// Decisions in a row that the trials did not make, this one included.
    guesses: u32,
    planned: u64,
    judged: u64,
}

impl Nsdi15 {
    /// Before the first interval.
    pub fn new() -> Nsdi15 {
        let start = Start { rate: BEFORE_START, best: None };
        Nsdi15 {
            rate: BEFORE_START,
            phase: Nsdi15Phase::Starting(start),
            guesses: 0,
            planned: 0,
            judged: 0,
        }
    }

    /// The state machine moves.
    fn enter(&mut self, phase: Nsdi15Phase) {
        debug_assert!(phase.may_follow(&self.phase), "from {:?} to {phase:?}", self.phase);
        self.phase = phase;
    }

    fn guess(&mut self) {
        self.enter(Nsdi15Phase::Guessing(Guess {
            trials: None,
            planned: 0,
            judged: 0,
            utilities: [0.0; TRIALS],
        }));
    }

    /// Intervals under way are forgotten, and trials begin at `rate`.
    fn guess_anew(&mut self, rate: f64) -> Next {
        self.rate = rate.max(LEAST);
        (self.planned, self.judged) = (0, 0);
        self.guess();
        Next::Anew
    }

    /// The next step: so many shares of the rate.
    fn step(&mut self, direction: f64, shares: f64, before: Option<f64>) {
        self.rate = (self.rate * (1.0 + direction * shares * GRANULARITY)).max(LEAST);
        self.enter(Nsdi15Phase::Moving(Moves { direction, shares, target: None, before }));
    }

    fn on_start(&mut self, start: Start, rate: f64, utility: f64) -> Next {
        // The first interval counts half.
        let utility = if start.best.is_none() { utility / 2.0 } else { utility };
        match start.best {
            Some((best, before)) if utility <= before => self.guess_anew(best),
            _ => {
                self.enter(Nsdi15Phase::Starting(Start { best: Some((rate, utility)), ..start }));
                Next::Continue
            }
        }
    }

    fn on_trial(&mut self, mut guess: Guess, rates: [f64; TRIALS], utility: f64) {
        guess.utilities[guess.judged] = utility;
        guess.judged += 1;
        self.enter(Nsdi15Phase::Guessing(guess));
        if guess.judged < TRIALS {
            return;
        }
        // A tie counts for the lower rate.
        let up = |pair: usize| {
            let [a, b] = [2 * pair, 2 * pair + 1];
            let first = guess.utilities[a];
            let second = guess.utilities[b];
            if rates[a] > rates[b] { first > second } else { first < second }
        };
        match (up(0), up(1)) {
            (true, true) | (false, false) => {
                let shares = (self.guesses / 2 + 1) as f64;
                self.guesses = 0;
                self.step(if up(0) { 1.0 } else { -1.0 }, shares, None);
            }
            _ => self.guess(),
        }
    }

    fn on_move(&mut self, moves: Moves, utility: f64) {
        match moves.before {
            // The first step is followed by a second, whatever it brought.
            None => self.step(moves.direction, 2.0, Some(utility)),
            Some(before) if utility > before => {
                self.step(moves.direction, moves.shares + 1.0, Some(utility))
            }
            Some(_) => {
                self.rate =
                    (self.rate * (1.0 - moves.direction * moves.shares * GRANULARITY)).max(LEAST);
                self.guess();
            }
        }
    }

    fn on_judged(&mut self, number: u64, rate: f64, judged: Judged) -> Next {
        match self.phase {
            Nsdi15Phase::Starting(start) => return self.on_start(start, rate, judged.utility),
            Nsdi15Phase::Guessing(guess @ Guess { trials: Some((first, rates)), .. })
                if number >= first =>
            {
                self.on_trial(guess, rates, judged.utility);
            }
            Nsdi15Phase::Moving(moves) if moves.target == Some(number) => {
                self.on_move(moves, judged.utility)
            }
            Nsdi15Phase::Guessing(_) | Nsdi15Phase::Moving(_) => {}
        }
        Next::Continue
    }

    /// An interval that the application or the host cut short. The code judges whatever it has
    /// sent; here it is sent again.
    fn on_unjudged(&mut self, number: u64) -> Next {
        match self.phase {
            Nsdi15Phase::Starting(start) => {
                return self.guess_anew(start.best.map_or(self.rate, |(best, _)| best));
            }
            Nsdi15Phase::Guessing(Guess { trials: Some((first, _)), .. }) if number >= first => {
                self.guess()
            }
            Nsdi15Phase::Moving(moves) if moves.target == Some(number) => {
                self.enter(Nsdi15Phase::Moving(Moves { target: None, ..moves }))
            }
            Nsdi15Phase::Guessing(_) | Nsdi15Phase::Moving(_) => {}
        }
        Next::Continue
    }
}

impl RateControl for Nsdi15 {
    fn start(&mut self, _rate: f64) {
        *self = Nsdi15::new();
    }

    fn plan(&mut self, context: &mut Context<'_>) -> (f64, bool) {
        let number = self.planned;
        self.planned += 1;
        let rate = match &mut self.phase {
            Nsdi15Phase::Starting(start) => {
                start.rate = context.bound(2.0 * start.rate);
                self.rate = start.rate;
                start.rate
            }
            Nsdi15Phase::Guessing(guess) => {
                let (_, rates) = *guess.trials.get_or_insert_with(|| {
                    self.guesses = if self.guesses == MOST_GUESSES { 1 } else { self.guesses + 1 };
                    let distance = self.rate * self.guesses as f64 * GRANULARITY;
                    let high = self.rate + distance;
                    let low = (self.rate - distance).max(LEAST);
                    let mut pair =
                        || if context.random.chance(0.5) { [high, low] } else { [low, high] };
                    let ([a, b], [c, d]) = (pair(), pair());
                    (number, [a, b, c, d])
                });
                // Until the outcomes are there, the last trial's rate stays.
                let trial = guess.planned.min(TRIALS - 1);
                guess.planned += 1;
                rates[trial]
            }
            Nsdi15Phase::Moving(moves) => {
                moves.target.get_or_insert(number);
                self.rate
            }
        };
        (rate, true)
    }

    fn on_outcome(&mut self, outcome: &Outcome, _context: &mut Context<'_>) -> Next {
        let number = self.judged;
        self.judged += 1;
        match outcome.judged {
            Ok(judged) => self.on_judged(number, outcome.rate, judged),
            Err(_) => self.on_unjudged(number),
        }
    }

    fn on_silence(&mut self, _context: &mut Context<'_>) {
        self.guess_anew(self.rate / 2.0);
    }

    fn on_idle(&mut self) {
        self.guess_anew(self.rate);
    }

    fn is_starting(&self) -> bool {
        matches!(self.phase, Nsdi15Phase::Starting(_))
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let phase = match self.phase {
            Nsdi15Phase::Starting(_) => 0,
            Nsdi15Phase::Guessing(_) => 1,
            Nsdi15Phase::Moving(_) => 2,
        };
        visit("phase", phase as f64);
        visit("epsilon", self.guesses as f64 * GRANULARITY);
    }
}
