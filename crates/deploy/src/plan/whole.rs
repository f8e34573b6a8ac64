//! A plan: its runs, their scenarios, and what is kept of them.

use super::job::{Job, JobKind, Parts, Timing};
use super::network::Exposed;
use super::observed::Observed;
use super::reduced::Reduced;
use crate::experiment::{DesignKind, Experiment};
use crate::measured::{Measured, largest_moving_mean};
use crate::order::{Arm, switchback};
use narrows_measure::{FlowRecord, Record};
use narrows_scenario::{Scenario, ScenarioError};
use narrows_units::{Span, Time};

/// Shares of treated connections of the ramp-up that a plan shows.
pub const RAMP: [f64; 7] = [0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0];

/// Length of a part of a run in which the load is constant, where the load varies.
const PART: Span = Span::from_secs(60);
/// Length of the runs that tell the total effect and the A/B test.
const LENGTH: Span = Span::from_secs(20 * 60);
/// Part of such a run that does not count at its beginning and at its end.
const EDGES: (Span, Span) = (Span::from_secs(60), Span::from_secs(60));
/// Simulated length of a switchback at least, and pairs of it at least.
const SWITCHED: (Span, usize) = (Span::from_secs(20 * 60), 8);

/// Transfers in a row whose mean completion is compared for emergencies.
const WINDOW: usize = 200;

/// How much a plan simulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Number of seeds.
    pub seeds: u32,
    /// True if the ramp-up is simulated.
    pub ramp: bool,
}

impl Effort {
    /// Returns the number of runs of a plan whose second timing is without bias.
    pub fn runs(self) -> u64 {
        let shares = if self.ramp { RAMP.len() + 1 } else { 3 };
        u64::from(self.seeds) * (shares + 2 * 3) as u64
    }
}

/// A plan: the experiment, and the network on which it is simulated.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The experiment.
    pub experiment: Experiment,
    /// The exposed flows and the network.
    pub network: Exposed,
    /// Controllers of the two arms in the simulator.
    pub arms: [String; 2],
    /// How much is simulated.
    pub effort: Effort,
    /// The noise of a host's traffic, if it was observed.
    pub observed: Option<Observed>,
}

impl Plan {
    /// Returns the share of treated connections that the A/B test of the plan has.
    pub fn share(&self) -> f64 {
        match self.experiment.design.kind {
            DesignKind::Share { share, .. } => share,
            _ => self.experiment.plan.as_ref().map_or(0.5, |own| own.share),
        }
    }

    /// Returns the wanted half width of the first metric's interval, as a logarithm.
    pub fn width(&self) -> f64 {
        libm::log(1.0 + self.experiment.plan.as_ref().map_or(0.1, |own| own.width))
    }

    /// Returns the runs that tell the total effect, the A/B test and the ramp-up.
    pub fn first_jobs(&self) -> Vec<Job> {
        let mut shares = vec![0.0, 1.0, self.share()];
        let more: Vec<f64> = RAMP.into_iter().filter(|own| !shares.contains(own)).collect();
        shares.extend(more.into_iter().filter(|_| self.effort.ramp));
        let of_share =
            |share: f64| (1..=u64::from(self.effort.seeds)).map(move |seed| (share, seed));
        let job = |(share, seed)| Job { kind: JobKind::Share(share), seed };
        shares.into_iter().flat_map(of_share).map(job).collect()
    }

    /// Returns the runs of a timing.
    pub(super) fn jobs_of(&self, timing: Timing) -> Vec<Job> {
        let kinds = [
            JobKind::Switchback(timing),
            JobKind::Steady(timing, Arm::Control),
            JobKind::Steady(timing, Arm::Treatment),
        ];
        let of = |kind: JobKind| {
            (1..=u64::from(self.effort.seeds)).map(move |seed| Job { kind: kind.clone(), seed })
        };
        kinds.into_iter().flat_map(of).collect()
    }

    /// The timings of the file and of the observation.
    fn given(&self) -> impl Iterator<Item = Timing> {
        let design = &self.experiment.design;
        let of_file = design.period.filter(|_| !matches!(design.kind, DesignKind::Share { .. }));
        let of_file = of_file.map(|period| Timing {
            period,
            burn_in: design.burn_in,
            burn_out: design.burn_out,
        });
        of_file.into_iter().chain(self.observed.as_ref().map(|own| own.timing))
    }

    /// True if the file or the observation has this timing.
    pub(super) fn is_given(&self, timing: &Timing) -> bool {
        self.given().any(|own| own == *timing)
    }

    /// Returns the timings to try, ours: what does not count at the beginning is the 99th percentile
    /// of completion in the slower arm, what does not count at the end the 95th, and periods are 2,
    /// 4, 8 and 16 times the first, rounded up to 1, 2 or 5 times a power of ten.
    pub(super) fn timings(&self, first: &[(Job, Reduced)]) -> Vec<Timing> {
        let slower = |q: f64| {
            let one_arm = first.iter().filter(|(job, _)| {
                matches!(job.kind, JobKind::Share(share) if share == 0.0 || share == 1.0)
            });
            let of = |(_, own): &(Job, Reduced)| own.whole().completion_quantile(q);
            one_arm.filter_map(of).fold(0.0, f64::max)
        };
        let seconds = |own: f64| Span::from_secs(libm::ceil(own) as u64);
        let (late, most) = (slower(0.95).max(1.0), slower(0.99).max(1.0));
        let candidate = |times: f64| Timing {
            period: round_up(times * most),
            burn_in: seconds(most),
            burn_out: seconds(late),
        };
        let mut all: Vec<Timing> = [2.0, 4.0, 8.0, 16.0].map(candidate).into();
        all.retain(|own| own.period > own.burn_in + own.burn_out);
        let mut given: Vec<Timing> = self.given().collect();
        all.retain(|own| !given.contains(own));
        given.append(&mut all);
        given.dedup();
        given
    }

    /// Returns the scenario of a run.
    ///
    /// # Errors
    ///
    /// The network does not take the flows.
    pub fn scenario(&self, job: &Job) -> Result<Scenario, ScenarioError> {
        let parts = self.parts(job);
        let variation = self.experiment.plan.as_ref().map_or(0.0, |own| own.variation);
        self.network.scenario(&self.arms, &parts, variation, job.seed)
    }

    /// Keeps of the record of a run what the plan needs.
    pub fn reduced(&self, job: &Job, record: &Record) -> Reduced {
        let parts = self.parts(job);
        let start = |part: usize| Time::ZERO + parts.length * part as u64;
        let end = start(parts.shares.len());
        let (count, burn_in, burn_out) = match &job.kind {
            JobKind::Share(_) => (1, EDGES.0, EDGES.1),
            JobKind::Switchback(timing) | JobKind::Steady(timing, _) => {
                (parts.shares.len(), timing.burn_in, timing.burn_out)
            }
        };
        let mut all = vec![<[Measured; 2]>::default(); count];
        for flow in &record.flows {
            let Some((part, arm)) = self.network.place(&flow.name, &parts) else { continue };
            let (from, until) = match &job.kind {
                JobKind::Share(_) => (Time::ZERO + burn_in, before(end, burn_out)),
                _ => (start(part) + burn_in, before(start(part + 1), burn_out)),
            };
            all[part.min(count - 1)][arm].add(flow, from, until, parts.length);
        }
        let exposed = |own: &&FlowRecord| self.network.place(&own.name, &parts).is_some();
        let flows = record.flows.iter().filter(exposed);
        let transfers = flows.flat_map(|own| own.transfers.iter().flat_map(|all| &all.list));
        Reduced { parts: all, moving: largest_moving_mean(transfers, WINDOW) }
    }

    /// Returns the number of periods or parts of a run, their length, and the share that each
    /// treats.
    fn parts(&self, job: &Job) -> Parts {
        match &job.kind {
            JobKind::Share(share) => {
                let count = (LENGTH.as_nanos() / PART.as_nanos()) as usize;
                Parts { length: PART, shares: vec![*share; count] }
            }
            JobKind::Switchback(timing) => {
                let shares = self.order(job.seed, timing).into_iter().map(|arm| self.treated(arm));
                Parts { length: timing.period, shares: shares.collect() }
            }
            JobKind::Steady(timing, arm) => {
                let count = self.order(job.seed, timing).len();
                Parts { length: timing.period, shares: vec![self.treated(*arm); count] }
            }
        }
    }

    /// Returns the order of the periods of a simulated switchback.
    fn order(&self, seed: u64, timing: &Timing) -> Vec<Arm> {
        let pairs = (SWITCHED.0.as_nanos() / (2 * timing.period.as_nanos())) as usize;
        switchback(seed, 0, pairs.max(SWITCHED.1))
    }

    /// Returns the share of the connections that a period of this arm treats.
    fn treated(&self, arm: Arm) -> f64 {
        match (arm, &self.experiment.design.kind) {
            (Arm::Control, _) => 0.0,
            (Arm::Treatment, DesignKind::Switchback { high, .. }) => *high,
            (Arm::Treatment, _) => 1.0,
        }
    }
}

fn before(time: Time, span: Span) -> Time {
    Time::ZERO + (time.since(Time::ZERO) - span)
}

/// Rounds a number of seconds up to 1, 2 or 5 times a power of ten.
fn round_up(seconds: f64) -> Span {
    let power = libm::pow(10.0, libm::floor(libm::log10(seconds.max(1.0))));
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|own| own * power >= seconds * 0.999_999);
    Span::from_secs((times.unwrap_or(10.0) * power) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_round() {
        for (seconds, rounded) in
            [(0.3, 1), (1.0, 1), (1.1, 2), (28.0, 50), (56.0, 100), (112.0, 200), (500.0, 500)]
        {
            assert_eq!(round_up(seconds), Span::from_secs(rounded), "{seconds}");
        }
    }
}
