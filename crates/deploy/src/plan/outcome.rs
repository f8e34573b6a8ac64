//! The conclusions from the runs of a plan.

use super::job::{Job, JobKind, Timing};
use super::reduced::Reduced;
use super::whole::{Plan, RAMP};
use crate::experiment::{DesignKind, Metric, Unit};
use crate::measured::{Classes, Measured};
use crate::order::{Arm, switchback};
use narrows_measure::sequential::{Mean, differences_for, half_width};
use narrows_units::Span;
use serde::Serialize;

/// Most pairs that a plan proposes.
const MOST_PAIRS: usize = 2000;
/// Fewest connections of an arm in a period whose numbers count.
const FEWEST: u64 = 30;
/// The result of an A/B test beside the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It shows an effect of the opposite sign.
    WrongSign,
    /// Its interval and the interval of the truth do not overlap.
    Wrong,
    /// The intervals overlap.
    Right,
    /// There are too few seeds or connections to tell.
    Unknown,
}

/// A metric in the plan. Effects are treatment less control: of logarithms for shares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The metric.
    #[serde(serialize_with = "name")]
    pub metric: Metric,
    /// All connections treated, against none.
    #[serde(serialize_with = "mean")]
    pub truth: Option<Mean>,
    /// Treated connections against others beside them.
    #[serde(serialize_with = "mean")]
    pub test: Option<Mean>,
    /// Untreated connections in the A/B test, against none treated.
    #[serde(serialize_with = "mean")]
    pub spillover: Option<Mean>,
    /// The effect that the chosen switchback measures, over all its pairs.
    #[serde(serialize_with = "mean")]
    pub switchback: Option<Mean>,
    /// The result of the A/B test beside the truth.
    pub verdict: Verdict,
}

/// A share of the ramp-up: the first metric, against a network without treatment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ramp {
    /// Share of treated connections.
    pub share: f64,
    /// Treated connections against untreated ones beside them.
    #[serde(serialize_with = "mean")]
    pub test: Option<Mean>,
    /// Treated connections.
    #[serde(serialize_with = "mean")]
    pub treated: Option<Mean>,
    /// Untreated connections.
    #[serde(serialize_with = "mean")]
    pub control: Option<Mean>,
}

/// A timing of the switchback.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Length of a period in seconds.
    pub period_s: u64,
    /// Length of its beginning that does not count, in seconds.
    pub burn_in_s: u64,
    /// Length of its end that does not count, in seconds.
    pub burn_out_s: u64,
    /// True if the file has it.
    pub of_file: bool,
    /// Simulated pairs.
    pub simulated: usize,
    /// Pairs with too few connections.
    pub void: usize,
    /// Standard deviation of a pair's difference.
    pub deviation: f64,
    /// Effect of earlier periods: its mean difference less the difference of the same periods in
    /// runs with one arm.
    pub bias: f64,
    /// Half width of the bias's interval.
    pub bias_half: f64,
    /// Pairs for the wanted width; `None` if more than 2000 are needed.
    pub pairs: Option<usize>,
    /// Half width with the pairs of the file.
    pub half: f64,
    /// True if its bias is at most a third of the wanted width.
    pub unbiased: bool,
}

/// The conclusions from the runs of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Name of the experiment.
    pub name: String,
    /// Controllers of the two arms in the simulator.
    pub arms: [String; 2],
    /// Number of seeds.
    pub seeds: u32,
    /// Share of treated connections in the A/B test.
    pub share: f64,
    /// Wanted half width of the first metric, as a logarithm.
    pub width: f64,
    /// Pairs of the file.
    pub file_pairs: usize,
    /// The metrics of the experiment.
    pub metrics: Vec<Compared>,
    /// The ramp-up; empty if it was not simulated.
    pub ramp: Vec<Ramp>,
    /// The timings; the file has the first.
    pub candidates: Vec<Candidate>,
    /// Index of the chosen timing.
    pub chosen: Option<usize>,
    /// Index of the timing of the file's switchback: its own, or the chosen one if it names no
    /// period. None if its design is another, or its periods have too few connections.
    pub file_timing: Option<usize>,
    /// Largest ratio of the mean completion of 200 connections to that of all, without treatment.
    pub emergency: Option<f64>,
    /// Deviations of a host's observation relative to the simulated ones, by which all are
    /// multiplied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<f64>,
}

fn name<S: serde::Serializer>(metric: &Metric, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(metric.name())
}

fn mean<S: serde::Serializer>(own: &Option<Mean>, to: S) -> Result<S::Ok, S::Error> {
    own.map(|own| [own.mean, own.half, own.deviation]).serialize(to)
}

impl Outcome {
    /// Draws the conclusions from the runs of a plan.
    pub fn of(plan: &Plan, first: &[(Job, Reduced)], second: &[(Job, Reduced)]) -> Outcome {
        let runs = Runs::of(plan, first);
        let metrics: Vec<Metric> = plan.experiment.metrics.iter().map(|own| own.metric).collect();
        let main = metrics[0];
        let (timings, mut candidates): (Vec<Timing>, Vec<Candidate>) =
            candidates(plan, &runs.classes, second, main).into_iter().unzip();
        let observed = observed(plan, &timings, &candidates);
        for own in candidates.iter_mut().filter(|_| observed.is_some()) {
            own.spread(own.deviation * observed.unwrap_or(1.0), plan);
        }
        let chosen = chosen(&candidates);
        let compared = |metric: &Metric| {
            let (truth, test) = (runs.total(*metric), runs.test(*metric, plan.share()));
            Compared {
                metric: *metric,
                truth,
                test,
                spillover: runs.against_none(*metric, plan.share(), 0),
                switchback: chosen.and_then(|place| {
                    let (classes, timing) = (&runs.classes, timings[place]);
                    let own = Switchbacks { runs: second, classes, timing };
                    let pairs: Vec<f64> = own.differences(*metric).into_iter().flatten().collect();
                    Mean::of(&pairs)
                }),
                verdict: verdict(truth, test),
            }
        };
        let ramp = |share: &f64| Ramp {
            share: *share,
            test: runs.test(main, *share),
            treated: runs.against_none(main, *share, 1),
            control: runs.against_none(main, *share, 0),
        };
        let shown = RAMP.iter().filter(|_| plan.effort.ramp);
        Outcome {
            name: plan.experiment.name.clone(),
            arms: plan.arms.clone(),
            seeds: plan.effort.seeds,
            share: plan.share(),
            width: plan.width(),
            file_pairs: file_pairs(plan),
            metrics: metrics.iter().map(compared).collect(),
            ramp: shown.map(ramp).collect(),
            chosen,
            file_timing: file_timing(plan, &candidates, chosen),
            candidates,
            emergency: runs.moving(),
            observed,
        }
    }
}

/// The runs of shares, by share and seed.
struct Runs<'a> {
    all: &'a [(Job, Reduced)],
    classes: Classes,
}

impl<'a> Runs<'a> {
    fn of(plan: &Plan, all: &'a [(Job, Reduced)]) -> Runs<'a> {
        let mut runs = Runs { all, classes: Classes::default() };
        runs.classes = match &plan.observed {
            Some(own) => own.classes.clone(),
            None => Classes::of(runs.none()),
        };
        debug_assert!(runs.share(plan.share()).next().is_some());
        runs
    }

    /// The runs of a share: seed, control and treatment.
    fn share(&self, share: f64) -> impl Iterator<Item = (u64, &'a [Measured; 2])> {
        let of_share = self.all.iter().filter(move |(job, _)| job.kind == JobKind::Share(share));
        of_share.map(|(job, own)| (job.seed, &own.parts[0]))
    }

    /// The control of the runs without treatment.
    fn none(&self) -> impl Iterator<Item = &'a Measured> {
        self.share(0.0).map(|(_, own)| &own[0])
    }

    /// The largest moving mean of the runs without treatment.
    fn moving(&self) -> Option<f64> {
        let none = self.all.iter().filter(|(job, _)| job.kind == JobKind::Share(0.0));
        none.filter_map(|(_, own)| own.moving).reduce(f64::max)
    }

    fn number(&self, own: &Measured, metric: Metric) -> Option<f64> {
        own.number(metric, &self.classes)
    }

    /// All treated against none treated, seed by seed.
    fn total(&self, metric: Metric) -> Option<Mean> {
        self.against_none(metric, 1.0, 1)
    }

    /// An arm of the runs of a share against none treated, seed by seed.
    fn against_none(&self, metric: Metric, share: f64, arm: usize) -> Option<Mean> {
        let none =
            |seed: u64| self.share(0.0).find(|(own, _)| *own == seed).map(|(_, own)| &own[0]);
        let differences = self.share(share).filter_map(|(seed, own)| {
            Some(self.number(&own[arm], metric)? - self.number(none(seed)?, metric)?)
        });
        Mean::of(&differences.collect::<Vec<_>>())
    }

    /// The treatment against the control beside it, seed by seed.
    fn test(&self, metric: Metric, share: f64) -> Option<Mean> {
        let differences = self.share(share).filter_map(|(_, own)| {
            Some(self.number(&own[1], metric)? - self.number(&own[0], metric)?)
        });
        Mean::of(&differences.collect::<Vec<_>>())
    }
}

/// Compares an A/B test with the truth.
fn verdict(truth: Option<Mean>, test: Option<Mean>) -> Verdict {
    let (Some(truth), Some(test)) = (truth.map(|own| own.ends()), test.map(|own| own.ends()))
    else {
        return Verdict::Unknown;
    };
    let sign = |(low, high): (f64, f64)| match () {
        () if low > 0.0 => 1,
        () if high < 0.0 => -1,
        () => 0,
    };
    match () {
        () if sign(truth) * sign(test) < 0 => Verdict::WrongSign,
        () if test.1 < truth.0 || truth.1 < test.0 => Verdict::Wrong,
        () => Verdict::Right,
    }
}

/// Returns the number of pairs of the file, or of the default.
fn file_pairs(plan: &Plan) -> usize {
    match plan.experiment.design.kind {
        DesignKind::Switchback { pairs, .. } => pairs as usize,
        _ => 24,
    }
}

/// Returns the index of the timing of the file's switchback.
fn file_timing(plan: &Plan, candidates: &[Candidate], chosen: Option<usize>) -> Option<usize> {
    let design = &plan.experiment.design;
    match design.kind {
        DesignKind::Switchback { .. } if design.period.is_none() => chosen,
        DesignKind::Switchback { .. } => candidates.iter().position(|own| own.of_file),
        _ => None,
    }
}

/// The switchbacks of a timing.
struct Switchbacks<'a> {
    runs: &'a [(Job, Reduced)],
    classes: &'a Classes,
    timing: Timing,
}

impl<'a> Switchbacks<'a> {
    /// The runs of a kind: seed and periods.
    fn of(&self, kind: JobKind) -> impl Iterator<Item = (u64, &'a [[Measured; 2]])> + use<'a> {
        let there = move |(job, own): &'a (Job, Reduced)| {
            (job.kind == kind).then_some((job.seed, own.parts.as_slice()))
        };
        self.runs.iter().filter_map(there)
    }

    /// Returns the number of a period of this arm; `None` if it has too few connections. Where a
    /// share is treated, the treated connections are the arm.
    fn number(&self, period: &[Measured; 2], arm: Arm, metric: Metric) -> Option<f64> {
        let own = &period[usize::from(arm == Arm::Treatment)];
        own.number(metric, self.classes).filter(|_| own.is_enough(FEWEST))
    }

    /// Returns for each pair the numbers of its treated and of its control period, with `less`
    /// taken away; `None` for a void pair.
    fn pairs(
        &self,
        metric: Metric,
        less: &dyn Fn(u64, usize, Arm) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        let mut pairs = Vec::new();
        for (seed, periods) in self.of(JobKind::Switchback(self.timing)) {
            let order = switchback(seed, 0, periods.len() / 2);
            for pair in 0..periods.len() / 2 {
                let number = |wanted: Arm| {
                    let place = (2 * pair..2 * pair + 2).find(|place| order[*place] == wanted)?;
                    Some(self.number(&periods[place], wanted, metric)? - less(seed, place, wanted)?)
                };
                let both = number(Arm::Treatment).zip(number(Arm::Control));
                pairs.push(both.map(|(treated, control)| treated - control));
            }
        }
        pairs
    }

    /// Returns the differences of the pairs, treatment less control; `None` for a void pair.
    fn differences(&self, metric: Metric) -> Vec<Option<f64>> {
        self.pairs(metric, &|_, _, _| Some(0.0))
    }

    /// Returns for each valid pair what its periods feel of those before: its difference, less the
    /// difference of the same periods, with the same connections, in runs with one arm.
    fn biases(&self, metric: Metric) -> Vec<f64> {
        let steady = |seed: u64, place: usize, arm: Arm| {
            let mut runs = self.of(JobKind::Steady(self.timing, arm));
            let (_, periods) = runs.find(|(own, _)| *own == seed)?;
            self.number(&periods[place], arm, metric)
        };
        self.pairs(metric, &steady).into_iter().flatten().collect()
    }
}

/// Returns the deviation of a host's pairs relative to the simulated ones of the same timing.
fn observed(plan: &Plan, timings: &[Timing], candidates: &[Candidate]) -> Option<f64> {
    let own = plan.observed.as_ref()?;
    let place = timings.iter().position(|timing| *timing == own.timing)?;
    let simulated = candidates[place].deviation;
    (simulated > 0.0).then(|| own.deviation / simulated)
}

impl Candidate {
    /// Sets the deviation of a pair, and what follows from it.
    fn spread(&mut self, deviation: f64, plan: &Plan) {
        self.deviation = deviation;
        self.pairs = differences_for(deviation, plan.width(), MOST_PAIRS);
        self.half = half_width(deviation, file_pairs(plan).max(2));
    }

    /// Returns how long an experiment with so many pairs takes, in seconds.
    pub fn length_s(&self, pairs: usize) -> u64 {
        2 * self.period_s * pairs as u64
    }
}

/// Returns the timings that were simulated, and what each gives; timings without enough connections
/// are left out.
fn candidates(
    plan: &Plan,
    classes: &Classes,
    runs: &[(Job, Reduced)],
    metric: Metric,
) -> Vec<(Timing, Candidate)> {
    let mut timings: Vec<Timing> = Vec::new();
    for (job, _) in runs {
        match job.kind {
            JobKind::Switchback(own) if !timings.contains(&own) => timings.push(own),
            _ => {}
        }
    }
    let seconds = |span: Span| span.as_nanos() / 1_000_000_000;
    let design = &plan.experiment.design;
    let candidate = |timing: Timing| {
        let own = Switchbacks { runs, classes, timing };
        let pairs = own.differences(metric);
        let valid: Vec<f64> = pairs.iter().flatten().copied().collect();
        let (measured, bias) = (Mean::of(&valid)?, Mean::of(&own.biases(metric))?);
        let candidate = Candidate {
            period_s: seconds(timing.period),
            burn_in_s: seconds(timing.burn_in),
            burn_out_s: seconds(timing.burn_out),
            of_file: design.period == Some(timing.period)
                && (design.burn_in, design.burn_out) == (timing.burn_in, timing.burn_out),
            simulated: valid.len(),
            void: pairs.len() - valid.len(),
            deviation: measured.deviation,
            bias: bias.mean,
            bias_half: bias.half,
            pairs: differences_for(measured.deviation, plan.width(), MOST_PAIRS),
            half: half_width(measured.deviation, file_pairs(plan).max(2)),
            unbiased: bias.mean.abs() <= plan.width() / 3.0,
        };
        Some((timing, candidate))
    };
    timings.into_iter().filter_map(candidate).collect()
}

/// Returns the timing without bias that takes the least time; if all are biased, the least biased.
fn chosen(candidates: &[Candidate]) -> Option<usize> {
    let time = |place: &usize| {
        let own = &candidates[*place];
        own.pairs.map_or(u64::MAX, |pairs| own.length_s(pairs))
    };
    let all = 0..candidates.len();
    let unbiased = all.clone().filter(|place| candidates[*place].unbiased).min_by_key(time);
    let bias = |place: &usize| candidates[*place].bias.abs();
    unbiased.or_else(|| all.min_by(|one, other| bias(one).total_cmp(&bias(other))))
}

/// Formats an effect as a percentage, or in its unit, with a sign.
pub(crate) fn effect(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => {
            let percent = 100.0 * (libm::exp(value) - 1.0);
            if percent.abs() < 9.95 {
                format!("{percent:+.1} %")
            } else {
                format!("{percent:+.0} %")
            }
        }
        Unit::Points => format!("{value:+.1} points"),
        Unit::Per1000 => format!("{value:+.1} per 1000"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(mean: f64, half: f64) -> Option<Mean> {
        Some(Mean { mean, deviation: half, half })
    }

    #[test]
    fn verdicts_by_hand() {
        assert_eq!(verdict(around(0.3, 0.1), around(-0.4, 0.1)), Verdict::WrongSign);
        assert_eq!(verdict(around(0.3, 0.1), around(0.8, 0.1)), Verdict::Wrong);
        assert_eq!(verdict(around(0.3, 0.1), around(0.2, 0.1)), Verdict::Right);
        // Without a sign of its own, a test cannot have the wrong one.
        assert_eq!(verdict(around(0.3, 0.1), around(-0.05, 0.1)), Verdict::Wrong);
        assert_eq!(verdict(around(0.0, 0.1), around(-0.05, 0.1)), Verdict::Right);
        assert_eq!(verdict(None, around(0.0, 0.1)), Verdict::Unknown);
    }

    #[test]
    fn effects_are_turned_back() {
        assert_eq!(effect(libm::log(1.31), Unit::Share), "+31 %");
        assert_eq!(effect(libm::log(0.97), Unit::Share), "-3.0 %");
        assert_eq!(effect(17.94, Unit::Points), "+17.9 points");
        assert_eq!(effect(-0.26, Unit::Per1000), "-0.3 per 1000");
    }
}
