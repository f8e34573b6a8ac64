//! How long flows go without their share.

use super::contest::Contest;
use super::convergence::{Shares, throughput};
use super::{Better, Metric};
use crate::{FlowRecord, Record};
use narrows_units::Time;

pub(super) const STARVED: Metric = Metric {
    name: "starved",
    unit: "s",
    better: Better::Lower,
    summary: "Longest period in which a flow had less than a tenth of its fair share.",
    formula: "over windows as convergence has them, starting at every sample after warm-up: the longest run of windows in which one flow's throughput (wire \
              bytes arrived) was below 10 % of its max-min fair share, from the start of the first window to the end of the last. The flows are those of \
              jain, two or more; of these, flows that make transfers and flows without a controller may offer less and do not starve. Not defined if a flow's Data may come by several paths. Five seconds and more are starvation.",
    source: "RFC 9743, section 5.2, which sets no threshold; Arun, Alizadeh and Balakrishnan, Starvation in End-to-End Congestion Control, SIGCOMM 2022; \
             the tenth and the five seconds are ours",
    compute: starved,
};

/// A flow with less than this part of its fair share starves.
pub const STARVED_PART: f64 = 0.1;

pub(super) fn starved(record: &Record) -> Option<f64> {
    starved_flows(record)?.into_iter().flatten().reduce(f64::max)
}

/// The metric `starved` flow by flow: the longest period in seconds in which each had less than a
/// tenth of its fair share, in the record's order; `None` for a flow that took no part or may offer
/// less. `None` where the metric is not defined.
pub fn starved_flows(record: &Record) -> Option<Vec<Option<f64>>> {
    let contest = Contest::of(record).filter(|contest| contest.flows.len() > 1)?;
    let interval = record.interval.as_nanos().max(1);
    let steps = contest.window(record);
    let begin = contest.from.max(Time::ZERO + record.warmup);
    if contest.to <= begin {
        return None;
    }
    let greedy = |flow: &FlowRecord| flow.transfers.is_none() && flow.controller != "none";
    if !contest.flows.iter().any(|flow| greedy(flow)) {
        return None;
    }
    let instants = (contest.to.since(begin).as_nanos() / interval).checked_sub(steps)? + 1;
    let mut shares = Shares::new(record, &contest);
    let mut without = vec![0u64; contest.flows.len()];
    let mut most = vec![0u64; contest.flows.len()];
    for instant in 0..instants {
        let from = begin + record.interval * instant;
        let to = from + record.interval * steps;
        let shares = shares.over(from, to)?;
        for (((flow, share), without), most) in
            contest.flows.iter().zip(shares).zip(&mut without).zip(&mut most)
        {
            let hungry = throughput(flow, from, to).is_some_and(|rate| rate < STARVED_PART * share);
            *without = if hungry { *without + 1 } else { 0 };
            *most = (*most).max(*without);
        }
    }
    // So many windows in a row, each of `steps` samples.
    let time = |most: u64| {
        if most == 0 { 0.0 } else { (record.interval * (most - 1 + steps)).as_secs_f64() }
    };
    let place = |flow: &FlowRecord| {
        contest.flows.iter().position(|own| std::ptr::eq(*own, flow)).filter(|_| greedy(flow))
    };
    let of = |flow: &FlowRecord| place(flow).map(|place| time(most[place]));
    Some(record.flows.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{link, record, sending};
    use super::*;

    fn beside(rate: fn(f64) -> f64) -> Option<f64> {
        let mut run =
            record(vec![sending("a", |_| 5.0), sending("b", rate)], vec![link("narrow", 10)]);
        run.flows.iter_mut().for_each(|flow| flow.route = vec![0]);
        starved(&run)
    }

    #[test]
    fn only_below_a_tenth_of_the_share() {
        // The share is 5 Mbit/s, the steady part from 10 s to 30 s.
        assert_eq!(beside(|_| 0.6), Some(0.0));
        assert_eq!(beside(|_| 0.4), Some(20.0));
    }

    #[test]
    fn the_longest_time_at_a_stretch_counts() {
        // Nothing from 12 to 20 s; a window of a second that reaches into 5 Mbit/s by less than a
        // tenth of it counts: 9.99 s would be too much.
        assert_eq!(beside(|s| if (12.0..20.0).contains(&s) { 0.0 } else { 5.0 }), Some(8.0));
        assert_eq!(beside(|s| if (s as u64).is_multiple_of(2) { 0.0 } else { 5.0 }), Some(1.0));
    }

    #[test]
    fn who_offers_little_does_not_starve() {
        let mut run =
            record(vec![sending("a", |_| 5.0), sending("b", |_| 0.4)], vec![link("narrow", 10)]);
        run.flows.iter_mut().for_each(|flow| flow.route = vec![0]);
        run.flows[1].controller = "none".to_owned();
        assert_eq!(starved_flows(&run), Some(vec![Some(0.0), None]));
        run.flows.iter_mut().for_each(|flow| flow.transfers = Some(Default::default()));
        assert_eq!(starved(&run), None);
    }

    #[test]
    fn one_flow_is_not_starved_by_itself() {
        assert_eq!(starved(&record(vec![sending("a", |_| 0.0)], vec![link("narrow", 10)])), None);
    }
}
