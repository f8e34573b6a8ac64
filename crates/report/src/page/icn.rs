//! Curves that only information-centric networks have.

use super::lines::{Curve, extremes, grid, growth, keep, sum};
use super::panels::{CLASS, PATH, Part, REFUSED, SAID, SHAPER};
use narrows_measure::{
    ConsumerRecord, ConsumerSample, LinkRecord, RatesSample, Record, SubflowRecord,
};
use narrows_units::Time;

/// Classes of Interests, in the order of their dashes.
const CLASSES: [&str; 2] = ["primary", "secondary"];

/// Returns the links for which Interests were sent.
pub(crate) fn carrying(run: &Record) -> impl Iterator<Item = &LinkRecord> {
    let rates = run.icn.iter().flat_map(|icn| &icn.rates);
    rates.zip(&run.links).filter(|(rates, _)| rates.total.sent > 0).map(|(_, link)| link)
}

/// Returns goodput by class, goodput by path, and the rate of refused Interests: for all consumers
/// together, and if `each` is set also for each consumer. The elements are panel, consumer, part
/// and curve.
pub(crate) fn of_flows(
    run: &Record,
    each: bool,
    per: usize,
) -> Vec<(usize, Option<usize>, Option<Part>, Curve)> {
    let Some(icn) = &run.icn else { return Vec::new() };
    let consumers: Vec<_> = icn
        .consumers
        .iter()
        .zip(&run.flows)
        .map(|(consumer, flow)| (consumer, flow.start))
        .collect();
    let mut groups = vec![(None, consumers.clone())];
    if each && consumers.len() > 1 {
        groups.extend(
            consumers.iter().enumerate().map(|(place, consumer)| (Some(place), vec![*consumer])),
        );
    }
    let second = icn.consumers.iter().any(|consumer| consumer.total.secondary.get() > 0);
    let refused = icn.consumers.iter().any(|consumer| consumer.total.nacks > 0);
    let mut curves = Vec::new();
    for (place, members) in groups {
        let start = members.iter().map(|(_, start)| *start).min().unwrap_or(Time::ZERO);
        let grown = |of: fn(&ConsumerSample) -> f64| {
            let counted = |(consumer, _): &(&ConsumerRecord, Time)| {
                keep(grid(&consumer.samples, run.interval, |s| s.at, |s| Some(of(s))))
            };
            growth(&sum(&members.iter().map(counted).collect::<Vec<_>>()), run.interval, per, start)
        };
        let class = |part: usize| Some(Part { part, of: CLASSES[part].to_owned() });
        if second {
            curves.push((
                CLASS,
                place,
                class(0),
                grown(|sample| sample.counters.primary.bits() as f64 / 1e6),
            ));
            curves.push((
                CLASS,
                place,
                class(1),
                grown(|sample| sample.counters.secondary.bits() as f64 / 1e6),
            ));
        }
        if refused {
            curves.push((REFUSED, place, None, grown(|sample| sample.counters.nacks as f64)));
        }
        if let [(consumer, start)] = members[..] {
            let path = |(part, subflow)| {
                (
                    PATH,
                    place,
                    Some(Part { part, of: format!("path {}", part + 1) }),
                    brought(run, subflow, per, start),
                )
            };
            curves.extend(
                consumer
                    .subflows
                    .iter()
                    .enumerate()
                    .filter(|_| consumer.subflows.len() > 1)
                    .map(path),
            );
        }
    }
    curves
}

/// Returns the goodput of a path, both classes together.
fn brought(run: &Record, subflow: &SubflowRecord, per: usize, start: Time) -> Curve {
    let bits = grid(
        &subflow.samples,
        run.interval,
        |s| s.at,
        |s| Some((s.primary + s.secondary).bits() as f64 / 1e6),
    );
    growth(&keep(bits), run.interval, per, start)
}

/// Returns the rates advertised for a link, and the number of Interests waiting for it. The
/// elements are panel, part and curve.
pub(crate) fn of_link(run: &Record, link: usize, bins: usize) -> Vec<(usize, Option<Part>, Curve)> {
    let Some((icn, rates)) = run.icn.as_ref().and_then(|icn| Some((icn, icn.rates.get(link)?)))
    else {
        return Vec::new();
    };
    let curve = |of: fn(&RatesSample) -> f64| {
        extremes(
            &[grid(&rates.samples, run.interval, |sample| sample.at, |sample| Some(of(sample)))],
            run.interval,
            bins,
        )
    };
    let mut curves = vec![(SHAPER, None, curve(|sample| f64::from(sample.queue)))];
    let class = |part: usize| Some(Part { part, of: CLASSES[part].to_owned() });
    if icn.law.is_some() {
        curves.push((SAID, class(0), curve(|sample| sample.primary.as_mbps())));
    }
    if rates.samples.iter().any(|sample| !sample.secondary.is_zero()) {
        curves.push((SAID, class(1), curve(|sample| sample.secondary.as_mbps())));
    }
    curves
}
