//! Curves over time for information-centric networks.

use super::curve::{BINS, Traced, bin, kept};
use crate::page::lines::{extremes, grid, growth, sum};
use narrows_measure::{ConsumerCounters, ConsumerRecord, RatesRecord, RatesSample, Record};
use narrows_scenario::paper::Trace;
use narrows_units::{Bytes, Time};

/// Returns the rates stamped into Data from a link, or for [`Trace::Shaper`] the queue of Interests
/// for the link.
pub(super) fn of_link(record: &Record, trace: Trace, link: usize) -> Vec<Traced> {
    let Some(rates) = record.icn.as_ref().and_then(|icn| icn.rates.get(link)) else {
        return Vec::new();
    };
    let name = &record.links[link].name;
    let over = |value: fn(&RatesSample) -> f64| {
        grid(&rates.samples, record.interval, |sample| sample.at, |sample| Some(value(sample)))
    };
    let curve = |name: String, value| Traced {
        name,
        curve: extremes(&[over(value)], record.interval, BINS),
    };
    match trace {
        Trace::Shaper => vec![curve(name.clone(), |sample| f64::from(sample.queue))],
        _ if has_secondary(rates) => vec![
            curve(format!("{name}, primary"), |sample| sample.primary.as_mbps()),
            curve(format!("{name}, secondary"), |sample| sample.secondary.as_mbps()),
        ],
        _ => vec![curve(name.clone(), |sample| sample.primary.as_mbps())],
    }
}

/// True if the rate law has a second class.
fn has_secondary(rates: &RatesRecord) -> bool {
    rates.samples.iter().any(|sample| !sample.secondary.is_zero())
}

/// Returns the rate at which some consumers together receive Data of each class; only the first
/// class if no consumer received Data of the second.
pub(super) fn classes(record: &Record, name: &str, members: &[usize]) -> Vec<Traced> {
    let Some(icn) = &record.icn else { return Vec::new() };
    let own = |members: &[usize]| {
        members.iter().filter_map(|place| icn.consumers.get(*place)).collect::<Vec<_>>()
    };
    let consumers = own(members);
    let since = members.iter().map(|place| record.flows[*place].start).min().unwrap_or(Time::ZERO);
    let curve = |name: String, of: fn(&ConsumerCounters) -> Bytes| {
        let counted = |consumer: &&ConsumerRecord| {
            let bits = grid(
                &consumer.samples,
                record.interval,
                |s| s.at,
                |s| Some(of(&s.counters).bits() as f64 / 1e6),
            );
            kept(bits)
        };
        let counts = sum(&consumers.iter().map(counted).collect::<Vec<_>>());
        Traced { name, curve: growth(&counts, record.interval, bin(record), since) }
    };
    if consumers.iter().any(|consumer| consumer.total.secondary > Bytes::ZERO) {
        vec![
            curve(format!("{name}, primary"), |counters| counters.primary),
            curve(format!("{name}, secondary"), |counters| counters.secondary),
        ]
    } else {
        vec![curve(name.to_owned(), |counters| counters.primary)]
    }
}

/// Returns the rate at which each consumer receives Data on each path, both classes together.
pub(super) fn subflows(record: &Record, members: &[usize]) -> Vec<Traced> {
    let Some(icn) = &record.icn else { return Vec::new() };
    let mut traced = Vec::new();
    for place in members {
        let Some(consumer) = icn.consumers.get(*place) else { continue };
        for (number, subflow) in consumer.subflows.iter().enumerate() {
            let bits = |bytes: Bytes| Some(bytes.bits() as f64 / 1e6);
            let counts = kept(grid(
                &subflow.samples,
                record.interval,
                |s| s.at,
                |s| bits(s.primary + s.secondary),
            ));
            let curve = growth(&counts, record.interval, bin(record), record.flows[*place].start);
            traced.push(Traced {
                name: format!("{}, path {}", record.flows[*place].name, number + 1),
                curve,
            });
        }
    }
    traced
}
