//! A switchback that goes on: what its periods have measured, and when harm is shown.

use crate::experiment::{Experiment, Judged, Kind, Metric, Unit};
use crate::measured::{Classes, Measured, is_judged};
use crate::order::{Arm, switchback};
use narrows_measure::Histogram;
use narrows_measure::sequential::{Mean, evidence, interval_at_any_time, tuning};
use narrows_units::Span;
use serde::Serialize;
use std::collections::VecDeque;

/// Fewest connections of a period whose numbers count.
const FEWEST: u64 = 30;

/// Number of treated connections whose completion is compared for an emergency.
const RECENT: usize = 200;

/// A connection that was closed.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// The period in which it began.
    pub period: usize,
    /// When it began, from the beginning of the period.
    pub age: Span,
    /// True if it was treated.
    pub treated: bool,
    /// Bytes that it got acknowledged.
    pub bytes: u64,
    /// Time in which it had something to send.
    pub busy: Span,
    /// Its retransmission timeouts.
    pub timeouts: u64,
}

/// A switchback that goes on.
#[derive(Clone, Debug)]
pub struct Trial {
    order: Vec<Arm>,
    observed: usize,
    pairs: usize,
    period: Span,
    burn: (Span, Span),
    metrics: Vec<Judged>,
    alpha: f64,
    periods: Vec<Measured>,
    void: Vec<bool>,
    /// Fixed by the observation: the means of classes, and each metric's tuning.
    fixed: Option<(Classes, Vec<Option<f64>>)>,
    /// Differences of each judged pair by metric, treatment less control.
    differences: Vec<Vec<Option<f64>>>,
    /// Completion of recent treated connections relative to the observation's at which the
    /// experiment stops at once; 0 for never.
    emergency: f64,
    /// Completion of the latest treated connections that are large enough, in seconds.
    recent: VecDeque<f64>,
}

/// The effect and the evidence of a metric so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// Name of the metric.
    pub metric: &'static str,
    /// Mean difference of the pairs, and half the width of its 95 % interval if no pairs follow.
    pub effect: Option<[f64; 2]>,
    /// The interval that is valid at any time.
    pub always: Option<(f64, f64)>,
    /// Evidence of harm above the bound; `None` without a bound.
    pub evidence: Option<f64>,
    /// Evidence at which the experiment stops.
    pub limit: f64,
    /// Number of valid pairs.
    pub pairs: usize,
}

impl Trial {
    /// Begins a switchback.
    ///
    /// # Errors
    ///
    /// The experiment is no switchback, or lacks what one needs. The text has the remedy.
    pub fn new(experiment: &Experiment) -> Result<Trial, String> {
        let design = &experiment.design;
        let Kind::Switchback { pairs, .. } = design.kind else {
            return Err(
                "only switchbacks can be started; write kind = \"switchback\", or plan this design"
                    .to_owned(),
            );
        };
        let Some(period) = design.period else {
            return Err("the design has no period; `narrows deploy plan` proposes one".to_owned());
        };
        if design.observe < 2 {
            return Err(
                "the test is tuned by the observation; write observe = 2 or more".to_owned()
            );
        }
        let (observed, pairs) = (design.observe as usize, pairs as usize);
        let order = switchback(design.seed, observed, pairs);
        Ok(Trial {
            periods: vec![Measured::default(); order.len()],
            void: vec![false; order.len()],
            order,
            observed,
            pairs,
            period,
            burn: (design.burn_in, design.burn_out),
            metrics: experiment.metrics.clone(),
            alpha: experiment.stop.alpha,
            fixed: None,
            differences: Vec::new(),
            emergency: experiment.stop.emergency,
            recent: VecDeque::with_capacity(RECENT),
        })
    }

    /// The arms of the periods, those of the observation first.
    pub fn order(&self) -> &[Arm] {
        &self.order
    }

    /// Length of a period, and the parts of it that do not count at its beginning and its end.
    pub fn timing(&self) -> (Span, Span, Span) {
        (self.period, self.burn.0, self.burn.1)
    }

    /// Adds a connection, if it began in a part of a period that counts, and has the period's arm.
    pub fn close(&mut self, own: &Closed) {
        if own.treated && is_judged(own.bytes) {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(own.busy.as_secs_f64());
        }
        let counts = own.age >= self.burn.0 && own.age < self.period - self.burn.1;
        let Some(arm) = self.order.get(own.period).filter(|_| counts) else { return };
        if own.treated == (*arm == Arm::Treatment) {
            self.periods[own.period].add_connection(own.bytes, own.busy, own.timeouts);
        }
    }

    /// Returns how many times as long as all connections of the observation the latest 200 treated
    /// ones took, if that is an emergency. It is a guard without a test, for what is broken.
    pub fn emergency(&self) -> Option<f64> {
        let mut seen = Measured::default();
        self.periods[..2 * self.observed].iter().for_each(|own| seen.merge(own));
        let before = seen.mean_completion().filter(|own| *own > 0.0)?;
        let ratio = self.recent.iter().sum::<f64>() / self.recent.len() as f64 / before;
        let is_bad = self.emergency > 0.0 && self.recent.len() == RECENT;
        (is_bad && ratio >= self.emergency).then_some(ratio)
    }

    /// Adds the traffic of a period's own arm in the part of it that counts.
    pub fn traffic(&mut self, period: usize, round_trips: &Histogram, sent: u64, again: u64) {
        self.periods[period].add_round_trips(round_trips);
        self.periods[period].add_sent(sent, again);
    }

    /// Leaves a period, and so its pair, out.
    pub fn void(&mut self, period: usize) {
        self.void[period] = true;
    }

    /// Judges the pairs whose two periods are among the first `over` and that were not judged
    /// before. Later measurements of these pairs do not count. Returns the metric whose harm is
    /// shown, if there is one.
    pub fn judge(&mut self, over: usize) -> Option<Metric> {
        if self.fixed.is_none() && over >= 2 * self.observed {
            self.fix();
        }
        let (classes, _) = self.fixed.clone()?;
        while 2 * (self.observed + self.differences.len()) + 2 <= over.min(self.order.len()) {
            let first = 2 * (self.observed + self.differences.len());
            self.differences.push(self.pair(first, &classes));
        }
        let shown = self.shown();
        let harmed = shown.iter().position(|own| own.evidence.is_some_and(|e| e >= own.limit));
        harmed.map(|place| self.metrics[place].metric)
    }

    /// Fixes the classes and the tuning of each metric by the observation.
    fn fix(&mut self) {
        let seen = 2 * self.observed;
        let classes = Classes::of(&self.periods[..seen]);
        let pairs: Vec<Vec<Option<f64>>> =
            (0..self.observed).map(|pair| self.pair(2 * pair, &classes)).collect();
        let a = 2.0 * self.alpha / self.bounded() as f64;
        let tuned = |place: usize| {
            let squares: Vec<f64> =
                pairs.iter().filter_map(|own| own[place]).map(|own| own * own).collect();
            let mean = narrows_measure::statistics::mean(&squares).filter(|own| *own > 0.0)?;
            Some(tuning(self.pairs as f64 / 2.0 * mean, a.min(0.999)))
        };
        let rho = (0..self.metrics.len()).map(tuned).collect();
        self.fixed = Some((classes, rho));
    }

    /// Number of metrics that may stop the experiment, at least 1.
    fn bounded(&self) -> usize {
        self.metrics.iter().filter(|own| own.harm.is_some()).count().max(1)
    }

    /// Returns the differences of a pair by metric: the second period less the first in the
    /// observation, treatment less control afterwards. `None` if the pair is void.
    fn pair(&self, first: usize, classes: &Classes) -> Vec<Option<f64>> {
        let second = first + 1;
        let enough = |place: usize| !self.void[place] && self.periods[place].is_enough(FEWEST);
        let swapped = self.order[first] == Arm::Treatment;
        let difference = |own: &Judged| {
            let number = |place: usize| self.periods[place].number(own.metric, classes);
            let later = number(second)? - number(first)?;
            (enough(first) && enough(second)).then_some(if swapped { -later } else { later })
        };
        self.metrics.iter().map(difference).collect()
    }

    /// Returns what each metric shows so far.
    pub fn shown(&self) -> Vec<Shown> {
        let limit = self.bounded() as f64 / self.alpha;
        let rho = |place: usize| self.fixed.as_ref().and_then(|(_, rho)| rho[place]);
        let of = |(place, judged): (usize, &Judged)| {
            let valid: Vec<f64> = self.differences.iter().filter_map(|own| own[place]).collect();
            let sign = if judged.metric.more_is_worse() { 1.0 } else { -1.0 };
            let harm: Vec<f64> = valid.iter().map(|own| sign * own).collect();
            let bound = judged.harm.map(|own| match judged.metric.unit() {
                Unit::Share => libm::log(1.0 + own.0),
                Unit::Points | Unit::Per1000 => own.0,
            });
            Shown {
                metric: judged.metric.name(),
                effect: Mean::of(&valid).map(|own| [own.mean, own.half]),
                always: rho(place).and_then(|rho| interval_at_any_time(&valid, rho, self.alpha)),
                evidence: bound.zip(rho(place)).map(|(bound, rho)| evidence(&harm, bound, rho)),
                limit,
                pairs: valid.len(),
            }
        };
        self.metrics.iter().enumerate().map(of).collect()
    }

    /// Number of judged pairs.
    pub fn judged(&self) -> usize {
        self.differences.len()
    }

    /// Number of judged pairs of which no metric counts.
    pub fn voided(&self) -> usize {
        self.differences.iter().filter(|own| own.iter().all(Option::is_none)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Random;

    fn trial(pairs: u32, seed: u64) -> Trial {
        let text = format!(
            "name = \"t\"\ntreatment = \"bbr\"\n[design]\nperiod = \"60 s\"\nburn_in = \"10 s\"\nburn_out = \"10 s\"\npairs = {pairs}\nobserve = 4\nseed = {seed}\n\
             [[metric]]\nname = \"completion\"\nharm = \"5 %\"\n"
        );
        let experiment = Experiment::read(&text, "t.toml", &|_| Ok(())).expect("it is whole");
        Trial::new(&experiment).expect("it is a switchback")
    }

    /// Fills a period with connections whose completion is lognormal around a second.
    fn fill(trial: &mut Trial, period: usize, effect: f64, random: &mut Random) {
        let treated = trial.order()[period] == Arm::Treatment;
        let level = 0.3 * random.normal() + if treated { effect } else { 0.0 };
        for _ in 0..40 {
            let seconds = libm::exp(level + random.normal());
            trial.close(&Closed {
                period,
                age: Span::from_secs(20),
                treated,
                bytes: 100_000,
                busy: Span::from_nanos((seconds * 1e9) as u64),
                timeouts: 0,
            });
        }
    }

    /// Runs a whole experiment; returns the pair after which it stopped.
    fn run(effect: f64, seed: u64) -> Option<usize> {
        let mut trial = trial(24, seed);
        let mut random = Random::stream(seed, "trial");
        for period in 0..trial.order().len() {
            fill(&mut trial, period, effect, &mut random);
            if trial.judge(period + 1).is_some() {
                return Some(trial.judged());
            }
        }
        assert_eq!(trial.judged(), 24);
        None
    }

    #[test]
    fn without_an_effect_it_does_not_stop_and_with_harm_it_does() {
        let alarms = (1..=200).filter(|seed| run(0.0, *seed).is_some()).count();
        assert!(alarms <= 10, "{alarms} of 200");
        let stopped: Vec<usize> = (1..=20).filter_map(|seed| run(1.5, seed)).collect();
        assert_eq!(stopped.len(), 20);
        assert!(stopped.iter().all(|pair| (7..=14).contains(pair)), "{stopped:?}");
    }

    #[test]
    fn connections_count_in_their_own_arm_and_in_the_middle_of_a_period() {
        let mut own = trial(2, 1);
        let closed = |age: u64, treated| Closed {
            period: 0,
            age: Span::from_secs(age),
            treated,
            bytes: 100_000,
            busy: Span::from_secs(1),
            timeouts: 0,
        };
        for (age, treated, counted) in
            [(20, false, 1), (9, false, 1), (50, false, 1), (20, true, 1), (49, false, 2)]
        {
            own.close(&closed(age, treated));
            assert!(own.periods[0].is_enough(counted) && !own.periods[0].is_enough(counted + 1));
        }
        // Too few connections void each pair.
        assert_eq!(own.judge(12), None);
        assert_eq!((own.judged(), own.voided()), (2, 2));
    }

    #[test]
    fn what_is_broken_is_an_emergency() {
        let mut own = trial(2, 1);
        let mut close = |period: usize, treated: bool, seconds: u64| {
            own.close(&Closed {
                period,
                age: Span::from_secs(20),
                treated,
                bytes: 100_000,
                busy: Span::from_secs(seconds),
                timeouts: 0,
            });
            own.emergency()
        };
        (0..40).for_each(|_| assert_eq!(close(0, false, 1), None));
        // A few are no emergency, and 200 that take 4 times as long are.
        (0..199).for_each(|_| assert_eq!(close(9, true, 4), None));
        let ratio = close(9, true, 4).expect("the bound is 4");
        assert!((ratio - 4.0).abs() < 1e-9, "{ratio}");
        assert_eq!(close(9, true, 3), None);
    }

    #[test]
    fn designs_that_cannot_be_started_are_told() {
        let refused = |design: &str| {
            let text = format!("name = \"t\"\ntreatment = \"bbr\"\n[design]\n{design}\n");
            Trial::new(&Experiment::read(&text, "t.toml", &|_| Ok(())).expect("it is whole"))
                .expect_err(design)
        };
        assert!(refused("kind = \"share\"").contains("only switchbacks"));
        assert!(refused("pairs = 3").contains("no period"));
        assert!(refused("period = \"2 min\"\nobserve = 0").contains("observe"));
    }
}
