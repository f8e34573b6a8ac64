//! The effects and the evidence of an experiment so far.

use super::Trial;
use crate::experiment::{Judged, Metric, Unit};
use crate::measured::Measured;
use narrows_measure::sequential::{Mean, evidence, interval_at_any_time};
use serde::Serialize;

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

/// The effects while a share is treated, each with half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AtShare {
    /// The share.
    pub share: f64,
    /// Treated connections against control connections beside them: what an A/B test says.
    pub test: Option<[f64; 2]>,
    /// Control connections against a network in which nobody is treated.
    pub spillover: Option<[f64; 2]>,
    /// Treated connections against a network in which nobody is treated.
    pub partial: Option<[f64; 2]>,
}

impl Trial {
    /// Returns what each metric shows so far.
    pub fn shown(&self) -> Vec<Shown> {
        (0..self.metrics.len()).map(|place| self.shown_of(place, self.differences.len())).collect()
    }

    /// Returns the evidence of each metric that may stop the experiment, after each judged group.
    pub fn course(&self) -> Vec<(Metric, Vec<f64>)> {
        let bounded = self.metrics.iter().enumerate().filter(|(_, own)| own.harm.is_some());
        let course = |(place, own): (usize, &Judged)| {
            let after = |count| self.shown_of(place, count).evidence;
            (own.metric, (0..=self.differences.len()).map_while(after).collect())
        };
        bounded.map(course).collect()
    }

    /// Returns what a metric shows after the first `count` groups.
    fn shown_of(&self, place: usize, count: usize) -> Shown {
        let judged = &self.metrics[place];
        let rho = self.fixed.as_ref().and_then(|(_, rho)| rho[place]);
        let valid: Vec<f64> =
            self.differences[..count].iter().filter_map(|own| own[place]).collect();
        let sign = if judged.metric.more_is_worse() { 1.0 } else { -1.0 };
        let harm: Vec<f64> = valid.iter().map(|own| sign * own).collect();
        let bound = judged.harm.map(|own| match judged.metric.unit() {
            Unit::Share => libm::log(1.0 + own.0),
            Unit::Points | Unit::Per1000 => own.0,
        });
        Shown {
            metric: judged.metric.name(),
            effect: mean(&valid),
            always: rho.and_then(|rho| interval_at_any_time(&valid, rho, self.alpha)),
            evidence: bound.zip(rho).map(|(bound, rho)| evidence(&harm, bound, rho)),
            limit: self.bounded() as f64 / self.alpha,
            pairs: valid.len(),
        }
    }

    /// Returns the difference of each judged group in a metric; `None` for a void one.
    pub fn differences(&self, metric: Metric) -> Vec<Option<f64>> {
        let place = self.metrics.iter().position(|own| own.metric == metric);
        place.map_or_else(Vec::new, |place| self.differences.iter().map(|own| own[place]).collect())
    }

    /// Returns the root mean square of the differences of the observation in a metric: the standard
    /// deviation of a group's difference without an effect. `None` while there is no observation.
    pub fn observed_deviation(&self, metric: Metric) -> Option<f64> {
        let (classes, _) = self.fixed.as_ref()?;
        let place = self.metrics.iter().position(|own| own.metric == metric)?;
        let groups = self.observed_differences(classes);
        let squares: Vec<f64> =
            groups.iter().filter_map(|own| own[place]).map(|own| own * own).collect();
        narrows_measure::statistics::mean(&squares).map(f64::sqrt)
    }

    /// Returns the effects at each share above none, over all judged blocks.
    pub fn at_shares(&self, metric: Metric) -> Vec<AtShare> {
        let Some((classes, _)) = &self.fixed else { return Vec::new() };
        let firsts: Vec<usize> =
            (0..self.differences.len()).map(|own| self.observed + self.group * own).collect();
        let number = |first: usize, share: f64, arm: usize| {
            let place = (first..first + self.group).find(|own| self.slots[*own].share == share)?;
            self.number(place, arm, metric, classes)
        };
        let mut shares: Vec<f64> = self.slots[self.observed..]
            .iter()
            .map(|own| own.share)
            .filter(|own| *own > 0.0)
            .collect();
        shares.sort_by(f64::total_cmp);
        shares.dedup();
        let against = |share: f64, arm: usize, base: (f64, usize)| {
            let pair =
                |first: &usize| Some(number(*first, share, arm)? - number(*first, base.0, base.1)?);
            mean(&firsts.iter().filter_map(pair).collect::<Vec<_>>())
        };
        let at = |share: f64| AtShare {
            share,
            test: against(share, 1, (share, 0)),
            spillover: against(share, 0, (0.0, 0)),
            partial: against(share, 1, (0.0, 0)),
        };
        shares.into_iter().map(at).collect()
    }

    /// Returns all that the compared arms of judged groups measured: control and treatment.
    pub fn sums(&self) -> [Measured; 2] {
        let mut sums = <[Measured; 2]>::default();
        for own in 0..self.differences.len() {
            let ends = self.ends(self.observed + self.group * own);
            if ends.iter().any(|(place, _)| self.void[*place]) {
                continue;
            }
            for (sum, (place, arm)) in sums.iter_mut().zip(ends) {
                sum.merge(&self.periods[place][arm]);
            }
        }
        sums
    }

    /// Returns both arms of a period.
    pub fn measured(&self, period: usize) -> &[Measured; 2] {
        &self.periods[period]
    }

    /// Returns a metric of an arm of a period as people read it; `None` if it does not count.
    pub fn level(&self, period: usize, arm: usize, metric: Metric) -> Option<f64> {
        let own = &self.periods[period][arm];
        own.level(metric).filter(|_| own.is_enough(super::FEWEST))
    }

    /// Returns the exposure of periods with one arm: the part of their bytes that connections of
    /// their own arm got acknowledged; `None` if no such period is over. Connections that outlive
    /// their periods make it small.
    pub fn exposure(&self) -> Option<f64> {
        let (mut own, mut all) = (0, 0);
        for (slot, arms) in self.slots.iter().zip(&self.periods).take(self.over).skip(self.observed)
        {
            let arm = match slot.share {
                0.0 => 0,
                1.0 => 1,
                _ => continue,
            };
            own += arms[arm].acked();
            all += arms[0].acked() + arms[1].acked();
        }
        (all > 0).then(|| own as f64 / all as f64)
    }
}

fn mean(values: &[f64]) -> Option<[f64; 2]> {
    Mean::of(values).map(|own| [own.mean, own.half])
}
