//! Adaptation of flows to changes of the path.

use super::sending::seconds;
use narrows_measure::metrics::{Better, Metric, bottleneck};
use narrows_measure::{LinkRecord, Record, Sample, standing};
use narrows_units::{Bytes, Span, Time};
use std::collections::BTreeMap;

pub(super) const REGRET: Metric = Metric {
    name: "regret",
    unit: "%",
    better: Better::Lower,
    summary: "Share of the bottleneck's capacity that brought no data.",
    formula: "1 - wire bytes of data that arrived since warm-up / bytes that the bottleneck could have carried since warm-up",
    source: "RFC 9743, section 7.9, asks for responsiveness to changes of the path and sets no measure; ours",
    compute: |record| {
        let link = bottleneck(record)?;
        let capacity = link.capacity.filter(|_| seconds(record) > 0.0)?;
        let arrived: u64 = record.flows.iter().map(|flow| flow.steady.arrived_wire.get()).sum();
        (capacity > Bytes::ZERO).then(|| 100.0 * (1.0 - arrived as f64 / capacity.get() as f64))
    },
};

pub(super) const LOST_FOR_GOOD: Metric = Metric {
    name: "lost_for_good",
    unit: "%",
    better: Better::Lower,
    summary: "Share of the bottleneck's capacity that brought no data, where flows never recovered from a change.",
    formula: "regret, if there is a change, such as that to a rate of 20 Mbit/s, after which nine tenths of the bottleneck were never used before the next one (see \
              recovery), however often it came since warm-up; else 0",
    source: "RFC 9743, section 7.9, asks for robustness to changes of the path and sets no measure; ours",
    compute: |record| {
        let mut back: BTreeMap<Vec<(&str, &str)>, bool> = BTreeMap::new();
        for ((from, _), until) in recoveries(record)? {
            let same = record
                .changes
                .iter()
                .filter(|change| change.at == from)
                .map(|change| (change.of.as_str(), change.to.as_str()))
                .collect();
            *back.entry(same).or_default() |= until.is_some();
        }
        if back.into_values().all(|back| back) { Some(0.0) } else { (REGRET.compute)(record) }
    },
};

pub(super) const RECOVERY: Metric = Metric {
    name: "recovery",
    unit: "s",
    better: Better::Lower,
    summary: "Longest time after a change until nine tenths of the bottleneck are used.",
    formula: "largest over the changes since warm-up after which the bottleneck carries something, until the next change: the time from the change to the end of the \
              first window in which the wire bytes of data that arrived are 90 % or more of those that the bottleneck could carry. A window lasts two base round \
              trips, at least 0.2 s. A change that the flows had not recovered from when the next came counts with that time; not defined if they had not at the end",
    source: "RFC 9743, sections 7.8 and 7.9, which set no measure; the nine tenths and the window are ours",
    compute: recovery,
};

pub(super) const FILLING: Metric = Metric {
    name: "filling",
    unit: "s",
    better: Better::Lower,
    summary: "Time from the first flow's start until eight tenths of the bottleneck are used.",
    formula: "as recovery, from the first start on, with 80 %",
    source: "RFC 9743, section 7.5, which sets no measure; the eight tenths are ours",
    compute: |record| {
        let link = bottleneck(record)?;
        let start = record.flows.iter().map(|flow| flow.start).min()?;
        used(record, link, start, Time::ZERO + record.duration, 0.8)
            .map(|at| at.since(start).as_secs_f64())
    },
};

pub(super) const RISE_60: Metric = rise(
    "rise_60",
    "Time until six tenths of the bottleneck are used.",
    "as rise_80, with 60 %",
    |record| risen(record, 0.6),
);

pub(super) const RISE_80: Metric = rise(
    "rise_80",
    "Time until eight tenths of the bottleneck are used.",
    "time from the end of the warm-up to the end of the first window in which the wire bytes of data that arrived are 80 % or more of those that the bottleneck could \
     carry. A window lasts two base round trips, at least 0.2 s",
    |record| risen(record, 0.8),
);

pub(super) const RISE_90: Metric = rise(
    "rise_90",
    "Time until nine tenths of the bottleneck are used.",
    "as rise_80, with 90 %",
    |record| risen(record, 0.9),
);

const fn rise(
    name: &'static str,
    summary: &'static str,
    formula: &'static str,
    compute: fn(&Record) -> Option<f64>,
) -> Metric {
    let source = "draft-irtf-iccrg-tcpeval-01, transients, which measures the window against the BDP; for controllers without a window, what arrives is measured here";
    Metric { name, unit: "s", better: Better::Lower, summary, formula, source, compute }
}

fn risen(record: &Record, part: f64) -> Option<f64> {
    let from = Time::ZERO + record.warmup;
    let at = used(record, bottleneck(record)?, from, Time::ZERO + record.duration, part)?;
    Some(at.since(from).as_secs_f64())
}

fn recovery(record: &Record) -> Option<f64> {
    let over = Time::ZERO + record.duration;
    let mut longest: Option<f64> = None;
    for ((from, to), until) in recoveries(record)? {
        let until = match until {
            Some(at) => at,
            None if to == over => return None,
            None => to,
        };
        let took = until.since(from).as_secs_f64();
        longest = Some(longest.map_or(took, |longest| longest.max(took)));
    }
    longest
}

/// A time interval.
type During = (Time, Time);

/// Returns for each change after which the bottleneck carries data: the interval until the next
/// change, and the time at which nine tenths of the bottleneck are used again.
fn recoveries(record: &Record) -> Option<Vec<(During, Option<Time>)>> {
    let link = bottleneck(record)?;
    let over = Time::ZERO + record.duration;
    let mut times: Vec<Time> = record
        .changes
        .iter()
        .map(|change| change.at)
        .filter(|at| *at >= Time::ZERO + record.warmup)
        .collect();
    times.dedup();
    let spans = times
        .iter()
        .enumerate()
        .map(|(place, from)| (*from, times.get(place + 1).copied().unwrap_or(over)));
    let carries = |(from, to): &(Time, Time)| {
        carried(&link.samples, |sample| sample.capacity, *from, *to) > Bytes::ZERO
    };
    Some(
        spans
            .filter(carries)
            .map(|(from, to)| ((from, to), used(record, link, from, to, 0.9)))
            .collect(),
    )
}

/// Returns the end of the first window between `from` and `to` in which this part of a link's
/// capacity is used.
fn used(record: &Record, link: &LinkRecord, from: Time, to: Time, part: f64) -> Option<Time> {
    let rtt = record.flows.iter().map(|flow| flow.base_rtt).max()?;
    let window = (rtt * 2).max(Span::from_millis(200));
    let arrived = |from: Time, to: Time| -> u64 {
        record
            .flows
            .iter()
            .map(|flow| carried(&flow.samples, |sample| sample.arrived_wire, from, to).get())
            .sum()
    };
    let ends =
        link.samples.iter().map(|sample| sample.at).filter(|at| *at >= from + window && *at <= to);
    ends.into_iter().find(|at| {
        let begin = *at - window;
        let capacity = carried(&link.samples, |sample| sample.capacity, begin, *at).get() as f64;
        capacity > 0.0 && arrived(begin, *at) as f64 >= part * capacity
    })
}

/// Returns the growth of a count between two times, from the latest sample at each.
fn carried<T: Sample>(samples: &[T], count: impl Fn(T) -> Bytes, from: Time, to: Time) -> Bytes {
    count(standing(samples, to)).saturating_sub(count(standing(samples, from)))
}
