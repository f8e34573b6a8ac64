//! The goals of a search. Each defines the controllers of the runs, and a score from 0 to 1
//! computed from their records.

use super::genomes::GenomeKind;
use super::text::Cast;
use narrows_measure::harm::signed;
use narrows_measure::metrics::{Better, STARVED_PART};
use narrows_measure::{FlowRecord, LinkRecord, Record};
use narrows_units::{Bytes, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of bad performance that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// The longest time without any delivery.
    Stall,
    /// Unused capacity.
    Idle,
    /// A queue that is longer than necessary.
    Delay,
    /// Loss of goodput of a CUBIC flow on the same link.
    Harm,
    /// Time in which one of two flows of the controller is starved.
    Starve,
    /// A rate that stays low after the cause has gone.
    Stuck,
    /// Lost packets.
    Waste,
}

/// A score and the numbers that it is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The score, from 0 (as good as the references) to 1.
    pub value: f64,
    /// The controller's measured number: see [`Goal::number`].
    pub subject: f64,
    /// The measured number of the reference that it is compared with.
    pub reference: f64,
    /// True if the controller could not continue, so that there is nothing to compare.
    #[serde(default)]
    pub faulty: bool,
}

impl Score {
    /// The score of a network that says nothing about the controller.
    pub const NONE: Score = Score { value: 0.0, subject: 0.0, reference: 0.0, faulty: false };
}

/// Smallest part of the capacity that a reference must use to count.
const WELL: f64 = 0.7;
/// Queueing delay below which no difference counts, our choice: smaller delays go unnoticed.
const UNNOTICED_MS: f64 = 5.0;
/// Stall with a score of 1, in seconds.
const STALL_S: f64 = 30.0;
/// Length of a window of starvation, as in the metric.
const WINDOW: Span = Span::from_secs(1);
/// Last part of a run, in which being stuck is judged.
const LAST: Span = Span::from_secs(10);
/// Controller of the flows that may be harmed.
const VICTIM: &str = "cubic";

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Goal {
    /// All goals.
    pub const ALL: [Goal; 7] =
        [Goal::Stall, Goal::Idle, Goal::Delay, Goal::Harm, Goal::Starve, Goal::Stuck, Goal::Waste];

    /// Returns the name in options and lists.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Stall => "stall",
            Goal::Idle => "idle",
            Goal::Delay => "delay",
            Goal::Harm => "harm",
            Goal::Starve => "starve",
            Goal::Stuck => "stuck",
            Goal::Waste => "waste",
        }
    }

    /// Returns the goal of this name.
    ///
    /// # Errors
    ///
    /// There is no such goal. The text lists the known goals.
    pub fn named(name: &str) -> Result<Goal, String> {
        let known = || Goal::ALL.map(Goal::name).join(", ");
        Goal::ALL
            .into_iter()
            .find(|goal| goal.name() == name)
            .ok_or_else(|| format!("there is no goal \"{name}\"; choose from {}", known()))
    }

    /// Returns the formula of the score, for people.
    pub fn formula(self) -> &'static str {
        match self {
            Goal::Stall => {
                "(longest time without new payload while the link had capacity - the same of the first reference) / 30 s"
            }
            Goal::Idle => {
                "(u of the best reference - u) / the larger, u being payload delivered / capacity that UDP left; 0 where no reference has 0.7"
            }
            Goal::Delay => {
                "(q - q of the best reference) / q, q being queueing_p95; references count from u = 0.7 on, and a q below 5 ms as 5 ms"
            }
            Goal::Harm => {
                "harm to CUBIC's goodput beside it - the largest of the harm that a reference does and that of an even share, harm being (alone - beside) / alone"
            }
            Goal::Starve => {
                "share of all windows of 1 s in which one flow has less than a tenth of its fair share - the same of the first reference"
            }
            Goal::Stuck => {
                "1 - payload delivered / capacity in the last 10 of 30 s in which the first state of the network is back; 0 where no reference has 0.7"
            }
            Goal::Waste => "share of packets lost - the largest of the references'",
        }
    }

    /// Names the number in [`Score::subject`] and [`Score::reference`].
    pub fn number(self) -> &'static str {
        match self {
            Goal::Stall => "longest stall in s",
            Goal::Idle => "part of the capacity used",
            Goal::Delay => "95th percentile of queueing in ms",
            Goal::Harm => "harm to CUBIC's goodput",
            Goal::Starve => "part of the time with a starved flow",
            Goal::Stuck => "part of the capacity used at last",
            Goal::Waste => "part of the packets lost",
        }
    }

    /// Returns the kind of network that is searched by default.
    pub fn kind(self) -> GenomeKind {
        match self {
            Goal::Idle | Goal::Delay => GenomeKind::Steps,
            Goal::Harm => GenomeKind::Pair,
            Goal::Starve => GenomeKind::Acks,
            Goal::Stall | Goal::Stuck => GenomeKind::Cross,
            Goal::Waste => GenomeKind::Drops,
        }
    }

    /// True if the first state of the network must return before the end, constant and without
    /// events.
    pub fn has_tail(self) -> bool {
        matches!(self, Goal::Stall | Goal::Stuck)
    }

    /// True if the goal makes sense for networks of a kind. Being stuck after a change makes no
    /// sense if nothing changes.
    pub fn suits(self, kind: GenomeKind) -> bool {
        self != Goal::Stuck || !kind.shape().constant
    }

    /// Returns the controllers of each run: the attacked controller first, then each reference in
    /// its place, then further runs that the score needs.
    pub fn casts(self, kind: GenomeKind, subject: &str, references: &[String]) -> Vec<Cast> {
        let own = |a: &str| Some(a.to_owned());
        let all = || std::iter::once(subject).chain(references.iter().map(String::as_str));
        match self {
            Goal::Harm => {
                let mut casts: Vec<Cast> =
                    all().map(|a| Cast { a: own(a), b: own(VICTIM) }).collect();
                casts.push(Cast { a: None, b: own(VICTIM) });
                casts
            }
            Goal::Starve => all().take(2).map(|a| Cast { a: own(a), b: own(a) }).collect(),
            _ => all()
                .map(|a| Cast { a: own(a), b: own(a).filter(|_| kind.shape().two_groups) })
                .collect(),
        }
    }

    /// Returns how many of the casts differ only in who takes the controller's place: the
    /// controller and its references.
    pub fn alike(self, casts: usize) -> usize {
        if self == Goal::Harm { casts - 1 } else { casts }
    }

    /// Computes the score from the records, which are in the order of the casts.
    pub fn score(self, runs: &[Record]) -> Score {
        let none = Score::NONE;
        let Some((own, references)) = runs.split_first() else { return none };
        let scored = |value: f64, subject, reference| Score {
            value: value.clamp(0.0, 1.0),
            subject,
            reference,
            ..none
        };
        match self {
            Goal::Stall => {
                let (own, reference) = (stall(own), references.first().map_or(0.0, stall));
                scored((own - reference) / STALL_S, own, reference)
            }
            Goal::Idle => {
                let (own, reference) = (used(own), references.iter().map(used).fold(0.0, f64::max));
                let value =
                    if reference >= WELL { (reference - own) / own.max(reference) } else { 0.0 };
                scored(value, own, reference)
            }
            Goal::Delay => {
                let Some(own) = queueing(own) else { return none };
                let well = references.iter().filter(|run| used(run) >= WELL).filter_map(queueing);
                let Some(reference) = well.reduce(f64::min) else {
                    return Score { subject: own, ..none };
                };
                let value = if own > 0.0 { (own - reference.max(UNNOTICED_MS)) / own } else { 0.0 };
                scored(value, own, reference)
            }
            Goal::Harm => {
                let Some((alone, references)) = references.split_last() else { return none };
                let alone = delivered(alone, "b");
                let harm = |run: &Record| {
                    signed(Better::Higher, alone, delivered(run, "b")).unwrap_or(0.0)
                };
                // In a short run, references may not yet have converged to their share, so their
                // harm is no fair measure. An even share counts as no harm.
                let (a, b) = (group(own, "a").count() as f64, group(own, "b").count() as f64);
                let even = if a + b > 0.0 { a / (a + b) } else { 0.0 };
                let (own, reference) =
                    (harm(own), references.iter().map(harm).fold(even, f64::max));
                scored(own - reference, own, reference)
            }
            Goal::Starve => {
                let (own, reference) = (starved(own), references.first().map_or(0.0, starved));
                scored(own - reference, own, reference)
            }
            Goal::Stuck => {
                let (own, reference) =
                    (used_at_last(own), references.iter().map(used_at_last).fold(0.0, f64::max));
                scored(if reference >= WELL { 1.0 - own } else { 0.0 }, own, reference)
            }
            Goal::Waste => {
                let (own, reference) = (lost(own), references.iter().map(lost).fold(0.0, f64::max));
                scored(own - reference, own, reference)
            }
        }
    }

    /// Returns metrics of a whole run that may distinguish the controller from its references, the
    /// most significant first.
    pub fn metrics(self) -> &'static [&'static str] {
        match self {
            Goal::Idle | Goal::Stall | Goal::Stuck => {
                &["goodput", "utilisation", "utilisation_min"]
            }
            Goal::Delay => &["queueing_p95", "rtt_p95"],
            Goal::Harm => &["share_min", "jain", "goodput"],
            Goal::Starve => &["starved", "share_min", "jain"],
            Goal::Waste => &["loss", "retransmitted"],
        }
    }
}

/// The groups of flows with controllers.
const GROUPS: [&str; 2] = ["a", "b"];

/// Returns the flows of a group.
fn group<'a>(run: &'a Record, name: &'a str) -> impl Iterator<Item = &'a FlowRecord> {
    run.flows.iter().filter(move |flow| narrows_measure::group_of(&flow.name) == name)
}

/// Returns the flows with a controller.
fn steered(run: &Record) -> impl Iterator<Item = &FlowRecord> {
    GROUPS.iter().flat_map(|name| group(run, name))
}

fn bottleneck(run: &Record) -> Option<&LinkRecord> {
    run.links.iter().find(|link| link.name == "bottleneck")
}

/// Returns the payload of a group since warm-up, in bytes.
fn delivered(run: &Record, name: &str) -> f64 {
    group(run, name).map(|flow| flow.steady.goodput.get() as f64).sum()
}

/// Returns the ratio of the payload of all flows with controllers to the capacity that other flows
/// left, since warm-up.
fn used(run: &Record) -> f64 {
    let capacity = bottleneck(run).and_then(|link| link.capacity).map_or(0, Bytes::get);
    let others =
        run.flows.iter().filter(|flow| !GROUPS.contains(&narrows_measure::group_of(&flow.name)));
    let left = capacity.saturating_sub(others.map(|flow| flow.steady.arrived_wire.get()).sum());
    if left > 0 {
        GROUPS.iter().map(|name| delivered(run, name)).sum::<f64>() / left as f64
    } else {
        0.0
    }
}

fn queueing(run: &Record) -> Option<f64> {
    narrows_measure::metrics::metric("queueing_p95").and_then(|metric| (metric.compute)(run))
}

/// Returns the ratio of lost to sent packets of flows with controllers, since warm-up.
fn lost(run: &Record) -> f64 {
    let sum = |count: fn(&FlowRecord) -> u64| steered(run).map(count).sum::<u64>() as f64;
    let sent = sum(|flow| flow.steady.sent);
    if sent > 0.0 { sum(|flow| flow.steady.dropped) / sent } else { 0.0 }
}

/// Returns the longest time in which the first flow of group `a` got no new payload while the link
/// had capacity, in seconds. It is measured between samples, after the first delivery.
fn stall(run: &Record) -> f64 {
    let (Some(flow), Some(link)) = (group(run, "a").next(), bottleneck(run)) else { return 0.0 };
    let (mut longest, mut current) = (Span::ZERO, Span::ZERO);
    for (flow, link) in flow.samples.windows(2).zip(link.samples.windows(2)) {
        let idle = flow[0].goodput > Bytes::ZERO && flow[1].goodput == flow[0].goodput;
        let open = link[1].capacity > link[0].capacity;
        current = match idle {
            true if open => current + flow[1].at.since(flow[0].at),
            true => current,
            false => Span::ZERO,
        };
        longest = longest.max(current);
    }
    longest.as_secs_f64()
}

/// Returns the ratio of the payload of flows with controllers to the capacity, in the last seconds
/// of a run.
fn used_at_last(run: &Record) -> f64 {
    let from = Time::ZERO + (run.duration - run.duration.min(LAST));
    let Some(link) = bottleneck(run) else { return 0.0 };
    let capacity = gained(link.samples.iter().map(|sample| (sample.at, sample.capacity)), from);
    let payload: f64 = steered(run)
        .map(|flow| gained(flow.samples.iter().map(|sample| (sample.at, sample.goodput)), from))
        .sum();
    if capacity > 0.0 { payload / capacity } else { 0.0 }
}

/// Returns the growth of a count after a time.
fn gained(samples: impl Iterator<Item = (Time, Bytes)> + Clone, from: Time) -> f64 {
    let before = samples
        .clone()
        .take_while(|(at, _)| *at <= from)
        .last()
        .map_or(0, |(_, count)| count.get());
    samples.last().map_or(0, |(_, count)| count.get()).saturating_sub(before) as f64
}

/// Returns the share of windows since warm-up in which some flow has less than a tenth of its equal
/// share of the bottleneck.
fn starved(run: &Record) -> f64 {
    let Some(link) = bottleneck(run) else { return 0.0 };
    let steps = (WINDOW.as_nanos() / run.interval.as_nanos().max(1)).max(1) as usize;
    let first =
        link.samples.iter().position(|sample| sample.at >= Time::ZERO + run.warmup).unwrap_or(0);
    let flows: Vec<&FlowRecord> = steered(run).collect();
    let (mut all, mut without) = (0, 0);
    for to in first + steps..link.samples.len() {
        let share = (link.samples[to].capacity - link.samples[to - steps].capacity).get() as f64
            / flows.len().max(1) as f64;
        let got = |flow: &FlowRecord| {
            let count =
                |at: usize| flow.samples.get(at).map_or(0, |sample| sample.arrived_wire.get());
            count(to).saturating_sub(count(to - steps)) as f64
        };
        all += 1;
        without += usize::from(flows.iter().any(|flow| got(flow) < STARVED_PART * share));
    }
    if all > 0 { without as f64 / all as f64 } else { 0.0 }
}
