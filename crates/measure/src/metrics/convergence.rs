//! How long flows take to reach their fair shares.

use super::contest::Contest;
use super::share::max_min;
use super::{Better, Metric};
use crate::part::{Sample, standing};
use crate::{FlowRecord, LinkRecord, Record};
use narrows_units::{Bytes, Rate, Time};

pub(super) const CONVERGENCE: Metric = Metric {
    name: "convergence",
    unit: "s",
    better: Better::Lower,
    summary: "Time from the last flow's start until every flow has its fair share and keeps it.",
    formula: "the smallest t such that in every window (starting at any sample) within five windows' time from t on, every flow's throughput (wire bytes \
              arrived) is within 25 % of its max-min fair share of what the links could carry in that window, on the routes that hold when it begins. A window lasts 1 s, or 10 of the longest base \
              round trips where that is longer. For one flow, its share is its own mean throughput over the second half of its time. The flows are those of \
              jain. Not defined if it never happens, if a flow's share is zero, or if a flow's Data may come by several paths.",
    source: "Dong et al., PCC, NSDI 2015, section 4.2.2 (ideal equal rate, 25 %, five seconds); RFC 5166, section 2.3, for max-min shares",
    compute: convergence,
};

const TOLERANCE: f64 = 0.25;
const WINDOWS: usize = 5;

pub(super) fn convergence(record: &Record) -> Option<f64> {
    let contest = Contest::of(record)?;
    let interval = record.interval.as_nanos().max(1);
    let steps = contest.window(record);
    let instants = (contest.to.since(contest.from).as_nanos() / interval).checked_sub(steps)? + 1;
    let mut shares = Shares::new(record, &contest);
    let settled: Vec<bool> = (0..instants)
        .map(|i| {
            let from = contest.from + record.interval * i;
            let to = from + record.interval * steps;
            shares.over(from, to).is_some_and(|shares| {
                let within = |(flow, share): (&&FlowRecord, &f64)| {
                    throughput(flow, from, to).is_some_and(|rate| {
                        *share > 0.0 && (rate - share).abs() <= TOLERANCE * share
                    })
                };
                contest.flows.iter().zip(shares).all(within)
            })
        })
        .collect();
    lasting(record, steps, &settled)
}

/// The seconds until the first instant from which on something holds in every window within five
/// windows' time; instants are samples apart, windows last `steps`.
pub(super) fn lasting(record: &Record, steps: u64, holds: &[bool]) -> Option<f64> {
    let starts = (WINDOWS - 1) * steps as usize + 1;
    let first = holds.windows(starts).position(|holds| holds.iter().all(|holds| *holds))?;
    Some((record.interval * first as u64).as_secs_f64())
}

/// The fair shares of the contest's flows, computed anew only when a capacity or a route changes.
/// Not defined if Data may come by several paths.
pub(super) struct Shares<'a> {
    links: Vec<&'a LinkRecord>,
    flows: Vec<&'a FlowRecord>,
    routes: Vec<&'a [usize]>,
    capacity: Vec<Option<f64>>,
    shares: Option<Vec<f64>>,
    alone: bool,
}

impl<'a> Shares<'a> {
    pub fn new(record: &'a Record, contest: &Contest<'a>) -> Shares<'a> {
        let alone = contest.flows.len() == 1;
        let shares = alone.then(|| {
            let half = contest.from + contest.to.since(contest.from) / 2;
            throughput(contest.flows[0], half, contest.to).map(|mean| vec![mean])
        });
        let flows = contest.flows.clone();
        Shares {
            links: record.links.iter().collect(),
            flows,
            routes: Vec::new(),
            capacity: Vec::new(),
            shares: shares.flatten(),
            alone,
        }
    }

    pub fn over(&mut self, from: Time, to: Time) -> Option<&[f64]> {
        if !self.alone {
            if self.flows.iter().any(|flow| flow.multipath) {
                return None;
            }
            let capacity: Vec<Option<f64>> =
                self.links.iter().map(|link| offered(link, from, to)).collect();
            let routes: Vec<&[usize]> = self.flows.iter().map(|flow| flow.route_at(from)).collect();
            if capacity != self.capacity || routes != self.routes {
                self.shares = max_min(&routes, &capacity).into_iter().collect();
                (self.capacity, self.routes) = (capacity, routes);
            }
        }
        self.shares.as_deref()
    }
}

/// Bytes per second that a link could carry.
pub(super) fn offered(link: &LinkRecord, from: Time, to: Time) -> Option<f64> {
    link.capacity?;
    let sampled = growth(&link.samples, |sample| sample.capacity, from, to);
    sampled.or(link.rate.map(Rate::bytes_per_sec))
}

/// Bytes per second that a link sent.
pub(super) fn departed(link: &LinkRecord, from: Time, to: Time) -> Option<f64> {
    growth(&link.samples, |sample| sample.departed_bytes, from, to)
}

/// Wire bytes per second that arrived.
pub(super) fn throughput(flow: &FlowRecord, from: Time, to: Time) -> Option<f64> {
    growth(&flow.samples, |sample| sample.arrived_wire, from, to)
}

/// The mean growth per second of a count between the samples that stood at `from` and `to`.
fn growth<T: Sample>(
    samples: &[T],
    count: impl Fn(T) -> Bytes,
    from: Time,
    to: Time,
) -> Option<f64> {
    let before = standing(samples, from);
    let after = standing(samples, to);
    let span = after.at().since(before.at());
    (!span.is_zero())
        .then(|| count(after).saturating_sub(count(before)).get() as f64 / span.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{link, record, sending};
    use super::*;
    use narrows_units::Span;

    fn two(first: fn(f64) -> f64, second: fn(f64) -> f64) -> Record {
        let mut run =
            record(vec![sending("a", first), sending("b", second)], vec![link("narrow", 10)]);
        run.flows.iter_mut().for_each(|flow| flow.route = vec![0]);
        run
    }

    #[test]
    fn the_last_to_reach_its_share_decides() {
        // Shares are 5 Mbit/s; b begins at 10 s and has 3.75 or more from 12 s on.
        let mut run = two(
            |s| if s < 12.0 { 9.0 } else { 5.0 },
            |s| {
                if s < 10.0 {
                    0.0
                } else if s < 12.0 {
                    1.0
                } else {
                    4.5
                }
            },
        );
        run.flows[1].start = Time::ZERO + Span::from_secs(10);
        // The first whole window inside 3.75..6.25 for both begins when at most 5/16 of it is a's
        // 9, b needing 3.75 = 1 + 3.5 x: x >= 0.786.
        assert_eq!(convergence(&run), Some(1.8));
    }

    #[test]
    fn a_share_left_again_within_five_windows_does_not_count() {
        let swing = |s: f64| if (s as u64 / 4).is_multiple_of(2) { 5.0 } else { 9.0 };
        assert_eq!(convergence(&two(swing, |_| 5.0)), None);
    }

    #[test]
    fn shares_are_those_of_the_routes_that_hold() {
        // From 8 s on, b has a link of 2 Mbit/s for itself, and a the one of 10.
        let mut run =
            two(|s| if s < 8.0 { 5.0 } else { 10.0 }, |s| if s < 8.0 { 5.0 } else { 2.0 });
        assert_eq!(convergence(&run), Some(0.0), "five windows are over by then");
        run.flows.iter_mut().for_each(|flow| flow.start = Time::ZERO + Span::from_secs(4));
        assert_eq!(convergence(&run), None);
        run.links.push(link("new", 2));
        run.flows[1].later_routes = vec![(Time::ZERO + Span::from_secs(8), vec![1])];
        assert_eq!(convergence(&run), Some(4.0));
        run.flows[0].multipath = true;
        assert_eq!(convergence(&run), None);
    }

    #[test]
    fn one_flow_is_held_against_itself() {
        let run = record(vec![sending("a", |s| if s < 5.0 { 1.0 } else { 8.0 })], vec![]);
        // 1 + 7 x >= 6 needs x >= 5/7 of the window after 5 s.
        assert_eq!(convergence(&run), Some(4.8));
    }

    #[test]
    fn nothing_is_no_fair_share() {
        assert_eq!(
            convergence(&record(vec![sending("a", |_| 0.0)], vec![])),
            None,
            "nothing ever arrives"
        );
        assert_eq!(
            convergence(&record(vec![sending("a", |s| if s < 5.0 { 8.0 } else { 0.0 })], vec![])),
            None,
            "nothing arrives any more"
        );
        let mut dead = two(|_| 0.0, |_| 0.0);
        dead.links[0] = link("narrow", 0);
        assert_eq!(convergence(&dead), None, "the link carries nothing");
    }

    #[test]
    fn a_long_round_trip_lengthens_the_window() {
        let mut run = two(|s| if (s as u64).is_multiple_of(2) { 2.0 } else { 8.0 }, |_| 5.0);
        assert_eq!(convergence(&run), None);
        run.flows[0].base_rtt = Span::from_millis(200);
        assert_eq!(convergence(&run), Some(0.0));
    }
}
