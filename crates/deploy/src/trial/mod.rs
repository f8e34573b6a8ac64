//! An experiment that goes on: what its periods have measured, and when harm is shown.
//!
//! Its periods come in *groups* with each share once: pairs of a switchback, blocks of steps, or
//! slices of a share, of which each is both arms. The effect in a group is the mean of the treated
//! connections at its largest share less the mean of the control at its smallest.

mod kept;
mod shown;

pub use kept::{KeptError, KeptPeriod, PERIODS};
pub use shown::{AtShare, Shown};

use crate::experiment::{DesignKind, Experiment, Judged, Metric};
use crate::measured::{Classes, Measured, is_judged};
use crate::order::{Slot, slots};
use narrows_measure::Histogram;
use narrows_measure::sequential::tuning;
use narrows_units::Span;
use std::collections::VecDeque;

/// Fewest connections of an arm in a period whose numbers count.
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
    /// True if it was drawn as treated.
    pub treated: bool,
    /// Bytes that it got acknowledged.
    pub bytes: u64,
    /// Time in which it had something to send.
    pub busy: Span,
    /// Its retransmission timeouts.
    pub timeouts: u64,
}

/// The traffic of an arm in the part of a period that counts.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Round trips.
    pub round_trips: Histogram,
    /// Bytes acknowledged.
    pub acked: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes sent again.
    pub again: u64,
}

/// An experiment that goes on.
#[derive(Clone, Debug)]
pub struct Trial {
    slots: Vec<Slot>,
    /// Periods of the observation, and the number of periods of one group of it.
    observed: usize,
    observed_group: usize,
    /// Periods of a group after the observation.
    group: usize,
    /// Number of groups after the observation.
    groups: usize,
    period: Span,
    burn: (Span, Span),
    metrics: Vec<Judged>,
    alpha: f64,
    /// Control and treated connections of each period.
    periods: Vec<[Measured; 2]>,
    void: Vec<bool>,
    /// Number of periods whose measurements are final.
    over: usize,
    /// Fixed by the observation: the means of classes, and each metric's tuning.
    fixed: Option<(Classes, Vec<Option<f64>>)>,
    /// Differences of each judged group by metric, treatment less control.
    differences: Vec<Vec<Option<f64>>>,
    /// Completion of recent treated connections relative to the observation's at which the
    /// experiment stops at once; 0 for never.
    emergency: f64,
    /// Completion of the latest treated connections that are large enough, in seconds.
    recent: VecDeque<f64>,
}

impl Trial {
    /// Begins an experiment.
    ///
    /// # Errors
    ///
    /// The experiment lacks something. The text has the remedy.
    pub fn new(experiment: &Experiment) -> Result<Trial, String> {
        let design = &experiment.design;
        let Some(period) = design.period else {
            return Err("the design has no period; `narrows deploy plan` proposes one".to_owned());
        };
        if design.observe < 2 {
            return Err(
                "the test is tuned by the observation; write observe = 2 or more".to_owned()
            );
        }
        let slots = slots(design);
        let (group, observed_group) = match &design.kind {
            DesignKind::Switchback { .. } => (2, 2),
            DesignKind::Share { .. } => (1, 1),
            DesignKind::Steps { shares, .. } => (shares.len(), 2),
        };
        let observed = 2 * design.observe as usize;
        debug_assert!((slots.len() - observed).is_multiple_of(group));
        Ok(Trial {
            periods: vec![<[Measured; 2]>::default(); slots.len()],
            void: vec![false; slots.len()],
            groups: (slots.len() - observed) / group,
            slots,
            observed,
            observed_group,
            group,
            period,
            burn: (design.burn_in, design.burn_out),
            metrics: experiment.metrics.clone(),
            alpha: experiment.stop.alpha,
            over: 0,
            fixed: None,
            differences: Vec::new(),
            emergency: experiment.stop.emergency,
            recent: VecDeque::with_capacity(RECENT),
        })
    }

    /// The periods, those of the observation first.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Number of periods of the observation.
    pub fn observed(&self) -> usize {
        self.observed
    }

    /// Number of groups after the observation: pairs, blocks or slices.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Length of a period, and the parts of it that do not count at its beginning and its end.
    pub fn timing(&self) -> (Span, Span, Span) {
        (self.period, self.burn.0, self.burn.1)
    }

    /// Adds a connection, if it began in a part of a period that counts, and the measurements of
    /// this period are not final.
    pub fn close(&mut self, own: &Closed) {
        let Some(slot) = self.slots.get(own.period).copied() else { return };
        if own.treated && !slot.is_beside && is_judged(own.bytes) {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(own.busy.as_secs_f64());
        }
        let counts = own.age >= self.burn.0 && own.age < self.period - self.burn.1;
        if counts && own.period >= self.over {
            let arm = &mut self.periods[own.period][usize::from(own.treated)];
            arm.add_connection(own.bytes, own.busy, own.timeouts);
        }
    }

    /// Returns how many times as long as all connections of the observation the latest 200 treated
    /// ones took, if that is an emergency. It is a guard without a test, for what is broken.
    pub fn emergency(&self) -> Option<f64> {
        let mut seen = Measured::default();
        self.periods[..self.observed].iter().flatten().for_each(|own| seen.merge(own));
        let before = seen.mean_completion().filter(|own| *own > 0.0)?;
        let ratio = self.recent.iter().sum::<f64>() / self.recent.len() as f64 / before;
        let is_bad = self.emergency > 0.0 && self.recent.len() == RECENT;
        (is_bad && ratio >= self.emergency).then_some(ratio)
    }

    /// Adds the traffic of the control and of treated connections in the part of a period that
    /// counts.
    pub fn traffic(&mut self, period: usize, both: &[Traffic; 2]) {
        debug_assert!(period >= self.over);
        for (measured, own) in self.periods[period].iter_mut().zip(both) {
            measured.add_round_trips(&own.round_trips);
            measured.add_sent(own.sent, own.again);
            measured.add_acked(own.acked);
        }
    }

    /// Leaves a period, and so its group, out.
    pub fn void(&mut self, period: usize) {
        if let Some(own) = self.void.get_mut(period) {
            *own = true;
        }
    }

    /// True if a period is left out.
    pub fn is_void(&self, period: usize) -> bool {
        self.void.get(period).copied().unwrap_or(false)
    }

    /// Makes the measurements of the first `over` periods final, and judges the groups among them
    /// that were not judged before. Returns the metric whose harm is shown, if there is one.
    pub fn judge(&mut self, over: usize) -> Option<Metric> {
        self.over = self.over.max(over.min(self.slots.len()));
        if self.fixed.is_none() && self.over >= self.observed {
            self.fix();
        }
        let (classes, _) = self.fixed.clone()?;
        while self.observed + self.group * (self.differences.len() + 1) <= self.over {
            let first = self.observed + self.group * self.differences.len();
            self.differences.push(self.differences_of(first, &classes));
        }
        let shown = self.shown();
        let harmed = shown.iter().position(|own| own.evidence.is_some_and(|e| e >= own.limit));
        harmed.map(|place| self.metrics[place].metric)
    }

    /// Number of periods whose measurements are final.
    pub fn over(&self) -> usize {
        self.over
    }

    /// Fixes the classes and the tuning of each metric by the observation.
    fn fix(&mut self) {
        let classes = Classes::of(self.periods[..self.observed].iter().flatten());
        let groups = self.observed_differences(&classes);
        let a = 2.0 * self.alpha / self.bounded() as f64;
        let tuned = |place: usize| {
            let squares: Vec<f64> =
                groups.iter().filter_map(|own| own[place]).map(|own| own * own).collect();
            let mean = narrows_measure::statistics::mean(&squares).filter(|own| *own > 0.0)?;
            Some(tuning(self.groups as f64 / 2.0 * mean, a.min(0.999)))
        };
        let rho = (0..self.metrics.len()).map(tuned).collect();
        self.fixed = Some((classes, rho));
    }

    /// The differences of each group of the observation by metric.
    fn observed_differences(&self, classes: &Classes) -> Vec<Vec<Option<f64>>> {
        let firsts = (0..self.observed).step_by(self.observed_group);
        firsts.map(|first| self.differences_of(first, classes)).collect()
    }

    /// The means of the classes of size, once the observation is over.
    pub fn classes(&self) -> Option<&Classes> {
        self.fixed.as_ref().map(|(classes, _)| classes)
    }

    /// Number of metrics that may stop the experiment, at least 1.
    fn bounded(&self) -> usize {
        self.metrics.iter().filter(|own| own.harm.is_some()).count().max(1)
    }

    /// Returns the number of an arm of a period; `None` if it does not count.
    fn number(&self, place: usize, arm: usize, of: Metric, classes: &Classes) -> Option<f64> {
        let own = &self.periods[place][arm];
        own.number(of, classes).filter(|_| !self.void[place] && own.is_enough(FEWEST))
    }

    /// Returns the differences of a group by metric: in the observation the second period less the
    /// first, or one arm less the other; afterwards treatment less control. `None` if void.
    fn differences_of(&self, first: usize, classes: &Classes) -> Vec<Option<f64>> {
        let [low, high] = self.ends(first);
        let difference = |own: &Judged| {
            Some(
                self.number(high.0, high.1, own.metric, classes)?
                    - self.number(low.0, low.1, own.metric, classes)?,
            )
        };
        self.metrics.iter().map(difference).collect()
    }

    /// The periods and arms of a group that are compared: the control at the smallest share, and
    /// the treated connections at the largest.
    fn ends(&self, first: usize) -> [(usize, usize); 2] {
        if first < self.observed {
            return match self.observed_group {
                1 => [(first, 0), (first, 1)],
                _ => [(first, 0), (first + 1, 0)],
            };
        }
        let places = first..first + self.group;
        let share = |place: &usize| self.slots[*place].share;
        let by_share = |one: &usize, other: &usize| share(one).total_cmp(&share(other));
        let low = places.clone().min_by(by_share).expect("a group has periods");
        let high = places.max_by(by_share).expect("a group has periods");
        [(low, 0), (high, 1)]
    }

    /// Time after a period until its measurements are final: connections that began at its end have
    /// had so long.
    pub fn grace(&self) -> Span {
        if self.burn.0 == Span::ZERO { self.period } else { self.burn.0 }
    }

    /// Returns the first period of the first group that is not judged.
    pub fn next_group(&self) -> usize {
        if self.over < self.observed {
            self.over.next_multiple_of(self.observed_group)
        } else {
            let after = (self.over - self.observed).next_multiple_of(self.group);
            self.observed + after
        }
    }

    /// Number of judged groups.
    pub fn judged(&self) -> usize {
        self.differences.len()
    }

    /// Number of judged groups of which no metric counts.
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
        let treated = trial.slots()[period].share > 0.0;
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
        for period in 0..trial.slots().len() {
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
            assert!(
                own.periods[0][0].is_enough(counted) && !own.periods[0][0].is_enough(counted + 1)
            );
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

    /// Slices in which treated connections take a given time longer than the others beside them.
    fn share(effect: f64, seed: u64) -> Trial {
        let text = format!(
            "name = \"t\"\ntreatment = \"bbr\"\n[design]\nkind = \"share\"\nshare = \"10 %\"\npairs = 40\nobserve = 4\nseed = {seed}\n\
             [[metric]]\nname = \"completion\"\nharm = \"5 %\"\n"
        );
        let experiment = Experiment::read(&text, "t.toml", &|_| Ok(())).expect("it is whole");
        let mut trial = Trial::new(&experiment).expect("it can be started");
        let mut random = Random::stream(seed, "slices");
        for period in 0..trial.slots().len() {
            let level = random.normal();
            for own in 0..80 {
                let treated = own % 2 == 1;
                let more = if treated && period >= trial.observed() { effect } else { 0.0 };
                let busy = Span::from_secs_f64(libm::exp(level + more + random.normal()));
                let age = Span::from_secs(3);
                trial.close(&Closed { period, age, treated, bytes: 100_000, busy, timeouts: 0 });
            }
            if trial.judge(period + 1).is_some() {
                break;
            }
        }
        trial
    }

    #[test]
    fn a_share_compares_both_arms_of_each_slice() {
        let calm = share(0.0, 1);
        assert_eq!((calm.judged(), calm.voided(), calm.groups()), (40, 0, 40));
        let effect = calm.shown()[0].effect.expect("forty slices");
        assert!(effect[0].abs() < 2.0 * effect[1] && effect[1] < 0.1, "{effect:?}");
        let harmed = share(0.4, 1);
        assert!(harmed.judged() < 30, "{}", harmed.judged());
        assert!((harmed.shown()[0].effect.expect("slices")[0] - 0.4).abs() < 0.2);
    }

    #[test]
    fn steps_give_all_four_effects() {
        let text = "name = \"t\"\ntreatment = \"bbr\"\n[design]\nkind = \"steps\"\nsteps = [\"0 %\", \"50 %\", \"100 %\"]\nperiod = \"60 s\"\nburn_in = \"10 s\"\nburn_out = \"10 s\"\npairs = 5\nobserve = 2\n";
        let experiment = Experiment::read(text, "t.toml", &|_| Ok(())).expect("it is whole");
        let mut trial = Trial::new(&experiment).expect("it can be started");
        for period in 0..trial.slots().len() {
            let share = trial.slots()[period].share;
            // In seconds: nobody treated 1; half of them 4 and 8, all 2.
            let arms: &[(bool, u64)] = match () {
                () if share == 0.0 => &[(false, 1)],
                () if share == 1.0 => &[(true, 2)],
                () => &[(false, 8), (true, 4)],
            };
            for (treated, seconds) in arms {
                for _ in 0..40 {
                    trial.close(&Closed {
                        period,
                        age: Span::from_secs(20),
                        treated: *treated,
                        bytes: 100_000,
                        busy: Span::from_secs(*seconds),
                        timeouts: 0,
                    });
                }
            }
            trial.judge(period + 1);
        }
        let near = |own: Option<[f64; 2]>, expected: f64| {
            let [mean, half] = own.expect("five blocks");
            assert!((mean - libm::log(expected)).abs() < 1e-9 && half < 1e-9, "{mean} {half}");
        };
        near(trial.shown()[0].effect, 2.0);
        let steps = trial.at_shares(Metric::Completion);
        assert_eq!(steps.iter().map(|own| own.share).collect::<Vec<_>>(), [0.5, 1.0]);
        near(steps[0].test, 0.5);
        near(steps[0].spillover, 8.0);
        near(steps[0].partial, 4.0);
        assert_eq!((steps[1].test, steps[1].spillover), (None, None));
        near(steps[1].partial, 2.0);
    }

    #[test]
    fn an_experiment_goes_on_from_its_kept_periods() {
        let mut one = trial(8, 3);
        let mut random = Random::stream(3, "trial");
        let mut kept = String::new();
        let mut other = trial(8, 3);
        for period in 0..one.slots().len() {
            fill(&mut one, period, 0.2, &mut random);
            if period == 11 {
                one.void(period);
            }
            one.judge(period + 1);
            kept += &one.kept(period).line();
        }
        // A line that is cut off was being written when the agent ended.
        let cut = &kept[..kept.len() - 20];
        assert_eq!(KeptPeriod::read(cut, "p").expect("it is whole up to there").len(), 23);
        let damaged = kept.replacen("\"void\"", "\"viod\"", 1);
        let told = KeptPeriod::read(&damaged, "p").expect_err("a key is wrong").to_string();
        assert!(told.starts_with("p:1: ") && told.contains("viod"), "{told}");
        let (first, rest) = (KeptPeriod::read(&kept, "p").expect("it is whole"), 24);
        assert_eq!(first.len(), rest);
        other.restore(first).expect("it is of this experiment");
        assert_eq!((other.over(), other.voided()), (24, 1));
        assert_eq!(other.shown(), one.shown());
        let mut short = trial(2, 3);
        let all = KeptPeriod::read(&kept, "p").expect("it is whole");
        assert!(short.restore(all).expect_err("too many").to_string().contains("24 periods"));
    }

    #[test]
    fn designs_that_cannot_be_started_are_told() {
        let refused = |design: &str| {
            let text = format!("name = \"t\"\ntreatment = \"bbr\"\n[design]\n{design}\n");
            Trial::new(&Experiment::read(&text, "t.toml", &|_| Ok(())).expect("it is whole"))
                .expect_err(design)
        };
        assert!(refused("pairs = 3").contains("no period"));
        assert!(refused("period = \"2 min\"\nobserve = 0").contains("observe"));
    }
}
