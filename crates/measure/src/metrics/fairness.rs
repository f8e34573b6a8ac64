//! How equal the flows' rates are, and from when on.

use super::contest::Contest;
use super::convergence::{departed, lasting, offered, throughput};
use super::share::max_min;
use super::{Better, Metric};
use crate::part::standing;
use crate::statistics::mean;
use crate::{FlowRecord, Record};
use narrows_units::Time;

pub(super) const JAIN: Metric = Metric {
    name: "jain",
    unit: "",
    better: Better::Higher,
    summary: "Jain's fairness index of the flows' goodput: 1 if all are equal, 1/n if one flow has everything.",
    formula: "(sum x)^2 / (n sum x^2), x being each flow's goodput while all n ran: from the last start (or the end of warm-up, if later) to the first end. \
              Flows that make transfers are left out if any flow does not, and so are flows that ended before the last began. Not defined for one flow.",
    source: "Jain, Chiu and Hawe, DEC TR-301, 1984; RFC 5166, section 2.3",
    compute: jain,
};

pub(super) const RATE_DEVIATION: Metric = Metric {
    name: "rate_deviation",
    unit: "%",
    better: Better::Lower,
    summary: "Largest deviation of a flow's goodput from the mean of all flows.",
    formula: "largest |x - mean| / mean, x being each flow's goodput as in jain",
    source: "the largest of the differences that jain averages",
    compute: rate_deviation,
};

pub(super) const FAIR_AFTER: Metric = Metric {
    name: "fair_after",
    unit: "s",
    better: Better::Lower,
    summary: "Time from the last flow's start until rates are nearly equal and stay so.",
    formula: "the smallest t such that Jain's index of the flows' throughputs (wire bytes arrived) is 0.9 or more in every window within five windows' time from t on. Windows begin at any sample and last as those of convergence do; the flows are those of jain. Not defined if it never happens",
    source: "convergence to fairness as Xia et al., VCP, SIGCOMM 2005, section 4, show it; the index, its bound and the five windows are ours",
    compute: fair_after,
};

pub(super) const SHARE_MIN: Metric = Metric {
    name: "share_min",
    unit: "%",
    better: Better::Higher,
    summary: "Smallest part of its max-min fair share that a flow has.",
    formula: "smallest x / s, x being each flow's throughput (wire bytes arrived) while all ran, as in jain, and s its max-min fair share of what the links could carry then, in an information-centric network less what else than this Data they sent: Interests and NACKs. Where routes change, s is the mean over the time. Not defined if a flow's Data may come by several paths",
    source: "Bertsekas and Gallager, Data Networks, 1992, section 6.5.2; RFC 5166, section 2.3",
    compute: share_min,
};

pub(super) const SHARE_MAX: Metric = Metric {
    name: "share_max",
    unit: "%",
    better: Better::Lower,
    summary: "Largest part of its max-min fair share that a flow has.",
    formula: "largest x / s, as in share_min",
    source: "as share_min",
    compute: share_max,
};

/// The bound of fairness: five flows of which one has nothing have 0.8, two of which one has twice
/// as much as the other 0.9.
const FAIR: f64 = 0.9;

pub(super) fn jain(record: &Record) -> Option<f64> {
    index(&shares(record)?)
}

pub(super) fn rate_deviation(record: &Record) -> Option<f64> {
    let shares = shares(record)?;
    let mean = mean(&shares)?;
    let largest = shares.iter().map(|share| (share - mean).abs()).fold(0.0, f64::max);
    (mean > 0.0).then(|| 100.0 * largest / mean)
}

pub(super) fn fair_after(record: &Record) -> Option<f64> {
    let contest = Contest::of(record).filter(|contest| contest.flows.len() > 1)?;
    let steps = contest.window(record);
    let interval = record.interval.as_nanos().max(1);
    let instants = (contest.to.since(contest.from).as_nanos() / interval).checked_sub(steps)? + 1;
    let fair = |instant| {
        let from = contest.from + record.interval * instant;
        let rates: Option<Vec<f64>> = contest
            .flows
            .iter()
            .map(|flow| throughput(flow, from, from + record.interval * steps))
            .collect();
        rates.and_then(|rates| index(&rates)).is_some_and(|index| index >= FAIR)
    };
    lasting(record, steps, &(0..instants).map(fair).collect::<Vec<bool>>())
}

pub(super) fn share_min(record: &Record) -> Option<f64> {
    parts(record)?.into_iter().reduce(f64::min)
}

pub(super) fn share_max(record: &Record) -> Option<f64> {
    parts(record)?.into_iter().reduce(f64::max)
}

/// The part in % of its max-min fair share that each of two flows or more had while all ran.
fn parts(record: &Record) -> Option<Vec<f64>> {
    let contest = Contest::of(record).filter(|contest| contest.flows.len() > 1)?;
    if contest.flows.iter().any(|flow| flow.multipath) {
        return None;
    }
    let from = contest.from.max(Time::ZERO + record.warmup);
    let to = contest.to;
    let mut due = vec![0.0; contest.flows.len()];
    let mut time = 0.0;
    let stretches = stretches(&contest.flows, from, to);
    // Between two samples nothing is known of capacities.
    let told =
        |(from, to): &&(Time, Time)| stretches.len() == 1 || to.since(*from) >= record.interval;
    for &(from, to) in stretches.iter().filter(told) {
        let length = to.since(from).as_secs_f64();
        let shares = fair_shares(record, &contest.flows, from, to)?;
        due.iter_mut().zip(shares).for_each(|(due, share)| *due += share * length);
        time += length;
    }
    let part = |(flow, due): (&&FlowRecord, f64)| {
        throughput(flow, from, to).filter(|_| due > 0.0).map(|rate| 100.0 * rate * time / due)
    };
    contest.flows.iter().zip(due).map(part).collect()
}

/// The time from `from` to `to`, divided where a route changes.
fn stretches(flows: &[&FlowRecord], from: Time, to: Time) -> Vec<(Time, Time)> {
    let changes = flows
        .iter()
        .flat_map(|flow| &flow.later_routes)
        .map(|(at, _)| *at)
        .filter(|at| (from..to).contains(at));
    let mut bounds: Vec<Time> = changes.chain([from, to]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    bounds.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The flows' max-min fair shares in bytes per second of what the links could carry from `from` to
/// `to`, in which no route changes; `None` if one has no share.
fn fair_shares(record: &Record, flows: &[&FlowRecord], from: Time, to: Time) -> Option<Vec<f64>> {
    let routes: Vec<&[usize]> = flows.iter().map(|flow| flow.route_at(from)).collect();
    let crossing = |place: usize| {
        let through = flows.iter().zip(&routes).filter(|(_, route)| route.contains(&place));
        through.filter_map(|(flow, _)| throughput(flow, from, to)).sum::<f64>()
    };
    let capacity = record.links.iter().enumerate().map(|(place, link)| {
        let others = match record.icn {
            Some(_) => (departed(link, from, to)? - crossing(place)).max(0.0),
            None => 0.0,
        };
        Some((offered(link, from, to)? - others).max(0.0))
    });
    max_min(&routes, &Vec::from_iter(capacity)).into_iter().collect()
}

/// Each flow's goodput while all ran, two flows or more.
fn shares(record: &Record) -> Option<Vec<f64>> {
    let contest = Contest::of(record)?;
    let warm = Time::ZERO + record.warmup;
    let over = Time::ZERO + record.duration;
    let from = contest.from.max(warm);
    if contest.flows.len() < 2 || contest.to <= from {
        return None;
    }
    let counted = from == warm && contest.to == over;
    let goodput = |flow: &&FlowRecord| {
        if counted {
            flow.steady.goodput.get()
        } else {
            delivered(flow, contest.to).saturating_sub(delivered(flow, from))
        }
    };
    Some(contest.flows.iter().map(|flow| goodput(flow) as f64).collect())
}

fn index(shares: &[f64]) -> Option<f64> {
    let (sum, squares) =
        shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

fn delivered(flow: &FlowRecord, at: Time) -> u64 {
    standing(&flow.samples, at).goodput.get()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, link, record, sending};
    use super::*;
    use narrows_units::{Bytes, Span};

    #[test]
    fn known_shares() {
        assert_eq!(index(&[1.0, 1.0, 1.0, 1.0]), Some(1.0));
        assert_eq!(index(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(index(&[3.0, 1.0]), Some(0.8));
        assert_eq!(index(&[0.0, 0.0]), None);
    }

    #[test]
    fn exact_counts_where_all_ran_throughout() {
        let mut run = record(vec![flow("a"), flow("b")], vec![]);
        run.flows[0].steady.goodput = Bytes::new(3_000);
        run.flows[1].steady.goodput = Bytes::new(1_000);
        assert_eq!(jain(&run), Some(0.8));
    }

    #[test]
    fn a_late_flow_is_compared_from_its_start() {
        // Until 15 s a has everything, then both have the same.
        let mut run = record(
            vec![
                sending("a", |s| if s < 15.0 { 10.0 } else { 5.0 }),
                sending("b", |s| if s < 15.0 { 0.0 } else { 5.0 }),
            ],
            vec![],
        );
        run.flows[1].start = Time::ZERO + Span::from_secs(15);
        assert_eq!(jain(&run), Some(1.0));
    }

    #[test]
    fn the_largest_deviation_from_the_mean() {
        let run =
            record([2.0, 3.0, 3.0, 4.0, 8.0].map(|rate| sending("f", |_| rate)).to_vec(), vec![]);
        let mut run = run;
        for flow in &mut run.flows {
            flow.steady.goodput = flow.samples[299].goodput - flow.samples[99].goodput;
        }
        // The mean is 4.
        assert_eq!(rate_deviation(&run), Some(100.0));
        run.flows.pop();
        // The mean is 3.
        assert!(rate_deviation(&run).is_some_and(|got| (got - 100.0 / 3.0).abs() < 1e-9));
    }

    #[test]
    fn parts_of_max_min_shares() {
        // Of 10 and 4 Mbit/s: 8 for the first, held at the narrow link by the second to 2 for each
        // of its two.
        let rates = [(7.2, vec![0]), (1.9, vec![0, 1]), (2.1, vec![1])];
        let flows = rates.map(|(rate, route)| FlowRecord { route, ..sending("f", |_| rate) });
        let mut run = record(flows.to_vec(), vec![link("wide", 10), link("narrow", 4)]);
        assert!(
            share_min(&run).is_some_and(|part| (part - 90.0).abs() < 1e-6),
            "{:?}",
            share_min(&run)
        );
        assert!(
            share_max(&run).is_some_and(|part| (part - 105.0).abs() < 1e-6),
            "{:?}",
            share_max(&run)
        );
        // Of 5 Mbit/s of which Interests take 1 there are 4 to share; elsewhere each has 2.5,
        // whatever else crosses.
        run.links[1] = link("narrow", 5);
        for (index, sample) in run.links[1].samples.iter_mut().enumerate() {
            sample.departed_bytes = Bytes::new(5 * 12_500 * (index as u64 + 1));
        }
        let near = |part: Option<f64>, expected: f64| {
            part.is_some_and(|part| (part - expected).abs() < 1e-6)
        };
        assert!(near(share_min(&run), 76.0), "{:?}", share_min(&run));
        run.icn = Some(Box::default());
        assert!(
            near(share_min(&run), 90.0) && near(share_max(&run), 105.0),
            "{:?} {:?}",
            share_min(&run),
            share_max(&run)
        );
        run.flows.truncate(1);
        assert_eq!((share_min(&run), share_max(&run)), (None, None));
    }

    #[test]
    fn a_share_follows_the_route() {
        // Both have half of 10 Mbit/s for the first half of the 20 s after warm-up, then the second
        // has a link of 4 Mbit/s for itself.
        let at = Time::ZERO + Span::from_secs(20);
        let mut run = record(
            vec![
                sending("a", |s| if s < 20.0 { 5.0 } else { 10.0 }),
                sending("b", |s| if s < 20.0 { 5.0 } else { 2.0 }),
            ],
            vec![link("old", 10), link("new", 4)],
        );
        run.flows.iter_mut().for_each(|flow| flow.route = vec![0]);
        run.flows[1].later_routes = vec![(at, vec![1])];
        // Shares of 7.5 and 4.5 Mbit/s on the mean.
        let near = |part: Option<f64>, expected: f64| {
            part.is_some_and(|part| (part - expected).abs() < 1e-6)
        };
        assert!(
            near(share_min(&run), 100.0 * 3.5 / 4.5) && near(share_max(&run), 100.0),
            "{:?} {:?}",
            share_min(&run),
            share_max(&run)
        );
        run.flows[1].multipath = true;
        assert_eq!((share_min(&run), share_max(&run)), (None, None));
    }

    #[test]
    fn fair_once_it_stays_so() {
        // The second flow begins at 5 s and rises by 0.1 of the other's rate each second. Two rates
        // in the ratio of 1 to 2 have an index of 0.9: it has 0.5 for the whole of a window that
        // begins at 10 s, and 0.49 a tenth before.
        let mut run = record(
            vec![
                sending("a", |_| 10.0),
                sending("b", |s| if s < 5.0 { 0.0 } else { (s as u64 - 5) as f64 }),
            ],
            vec![],
        );
        run.flows[1].start = Time::ZERO + Span::from_secs(5);
        assert_eq!(fair_after(&run), Some(5.0));
    }

    #[test]
    fn fair_for_less_than_five_windows_is_not_fair() {
        let rate = |fair: fn(f64) -> bool| {
            fair_after(&record(
                vec![sending("a", |_| 10.0), sending("b", |s| if fair(s) { 10.0 } else { 1.0 })],
                vec![],
            ))
        };
        // A window is fair if half of it is: from 7.5 s until the fourth second after, 40 or 41
        // starts.
        assert_eq!(rate(|s| (8.0..11.85).contains(&s) || s >= 20.0), Some(19.5));
        assert_eq!(rate(|s| (8.0..11.95).contains(&s)), Some(7.5));
        assert_eq!(rate(|_| false), None);
    }

    #[test]
    fn a_part_that_begins_later_asks_from_there() {
        let run = record(
            vec![
                sending("a", |_| 10.0),
                sending("b", |s| {
                    if s < 20.0 {
                        10.0
                    } else if s < 22.0 {
                        1.0
                    } else {
                        10.0
                    }
                }),
            ],
            vec![],
        );
        assert_eq!(fair_after(&run), Some(0.0));
        assert_eq!(
            fair_after(
                &run.between(Time::ZERO + Span::from_secs(20), Time::ZERO + Span::from_secs(30))
            ),
            Some(1.5)
        );
    }

    #[test]
    fn one_flow_is_no_contest() {
        let run = record(vec![flow("a")], vec![]);
        assert_eq!((jain(&run), rate_deviation(&run), fair_after(&run)), (None, None, None));
    }
}
