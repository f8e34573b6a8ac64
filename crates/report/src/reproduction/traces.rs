//! Curves of a run over time, reduced to few enough points to draw.

use super::curve::{BINS, Traced, bin, kept};
use super::icn;
use crate::page::lines::{Curve, Point, extremes, grid, growth, sum};
use narrows_measure::metrics::bottleneck;
use narrows_measure::{FlowRecord, FlowSample, LinkRecord, LinkSample, Record};
use narrows_scenario::paper::{Trace, is_named};
use narrows_units::Time;

/// Largest number of flows drawn one by one. If there are more, flows of the same name are merged.
const FLOWS: usize = 12;

impl Traced {
    /// Returns the curves of a run: for the named flows (all flows if `flows` is empty), or for the
    /// named link (the bottleneck if `link` is `None`).
    pub fn of(record: &Record, trace: Trace, flows: &[String], link: Option<&str>) -> Vec<Traced> {
        match trace {
            Trace::Throughput | Trace::Cwnd | Trace::Rtt => of_flows(record, trace, flows),
            Trace::Queue | Trace::Utilisation | Trace::Loss => {
                let one = |link: &LinkRecord| Traced {
                    name: link.name.clone(),
                    curve: of_link(record, trace, link),
                };
                chosen(record, link).map(one).into_iter().collect()
            }
            Trace::Rate | Trace::Shaper => {
                let place = chosen(record, link)
                    .and_then(|link| record.links.iter().position(|own| own.name == link.name));
                place.map_or_else(Vec::new, |link| icn::of_link(record, trace, link))
            }
            Trace::Class => groups(record, flows)
                .into_iter()
                .flat_map(|(name, members)| icn::classes(record, &name, &members))
                .collect(),
            Trace::Subflow => groups(record, flows)
                .into_iter()
                .flat_map(|(_, members)| icn::subflows(record, &members))
                .collect(),
        }
    }
}

/// Returns the link of that name, or the bottleneck.
fn chosen<'a>(record: &'a Record, link: Option<&str>) -> Option<&'a LinkRecord> {
    link.map_or_else(
        || bottleneck(record),
        |name| record.links.iter().find(|link| link.name == name),
    )
}

fn of_flows(record: &Record, trace: Trace, flows: &[String]) -> Vec<Traced> {
    let one = |(name, members): (String, Vec<usize>)| {
        let members: Vec<&FlowRecord> = members.iter().map(|flow| &record.flows[*flow]).collect();
        Traced { name, curve: curve(record, trace, &members) }
    };
    groups(record, flows).into_iter().map(one).collect()
}

/// Groups the requested flows by name: one flow per group, or all flows of the same name if there
/// are too many. Each group has a name and the indices of its flows.
fn groups(record: &Record, flows: &[String]) -> Vec<(String, Vec<usize>)> {
    let asked = |flow: &&FlowRecord| {
        flows.is_empty() || flows.iter().any(|name| is_named(&flow.name, name))
    };
    let each = record.flows.iter().filter(asked).count() <= FLOWS;
    let whole = |name: &str| name.rsplit_once('.').map_or(name, |(whole, _)| whole).to_owned();
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (place, flow) in record.flows.iter().enumerate().filter(|(_, flow)| asked(flow)) {
        let name = if each { flow.name.clone() } else { whole(&flow.name) };
        match groups.iter_mut().find(|(own, _)| *own == name) {
            Some((_, members)) => members.push(place),
            None => groups.push((name, vec![place])),
        }
    }
    let named = |(name, members): (String, Vec<usize>)| {
        let name = if members.len() > 1 { format!("{} × {name}", members.len()) } else { name };
        (name, members)
    };
    groups.into_iter().map(named).collect()
}

/// Merges several flows into one curve: the sum of their throughputs, or the extremes of their
/// windows or round trips.
fn curve(record: &Record, trace: Trace, flows: &[&FlowRecord]) -> Curve {
    let over = |flow: &FlowRecord, value: fn(&FlowSample) -> Option<f64>| {
        let running = |sample: &FlowSample| {
            sample.at > flow.start && flow.end.is_none_or(|end| sample.at <= end)
        };
        grid(
            &flow.samples,
            record.interval,
            |sample| sample.at,
            |sample| value(sample).filter(|_| running(sample)),
        )
    };
    let all = |value: fn(&FlowSample) -> Option<f64>| {
        flows.iter().map(|flow| over(flow, value)).collect::<Vec<_>>()
    };
    match trace {
        Trace::Cwnd => extremes(&all(|sample| Some(sample.cwnd)), record.interval, BINS),
        Trace::Rtt => {
            extremes(&all(|sample| Some(sample.rtt?.as_millis_f64())), record.interval, BINS)
        }
        _ => {
            let first = flows.iter().map(|flow| flow.start).min().unwrap_or(Time::ZERO);
            let counted = |flow: &&FlowRecord| {
                kept(grid(
                    &flow.samples,
                    record.interval,
                    |s| s.at,
                    |s| Some(s.goodput.bits() as f64 / 1e6),
                ))
            };
            growth(
                &sum(&flows.iter().map(counted).collect::<Vec<_>>()),
                record.interval,
                bin(record),
                first,
            )
        }
    }
}

fn of_link(record: &Record, trace: Trace, link: &LinkRecord) -> Curve {
    let over = |value: fn(&LinkSample) -> f64| {
        grid(&link.samples, record.interval, |s| s.at, |s| Some(value(s)))
    };
    let grown = |value: fn(&LinkSample) -> f64| {
        growth(&over(value), record.interval, bin(record), Time::ZERO)
    };
    match trace {
        Trace::Queue => {
            extremes(&[over(|sample| sample.queue_packets as f64)], record.interval, BINS)
        }
        Trace::Loss => grown(|sample| sample.dropped as f64),
        _ => {
            let (used, could) = (
                grown(|sample| sample.departed_bytes.get() as f64),
                grown(|sample| sample.capacity.get() as f64),
            );
            let share = |(used, could): (&Option<Point>, &Option<Point>)| match (used, could) {
                (Some(used), Some(could)) if could.0 > 0.0 => Some(Point(100.0 * used.0 / could.0)),
                _ => None,
            };
            let y = used.y.iter().zip(&could.y).map(share).collect();
            Curve { y, ..used }
        }
    }
}
