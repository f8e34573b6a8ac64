//! How far two worlds are apart on one scenario: the same numbers wherever a simulation is laid
//! beside the kernel.

use crate::metrics::{bottleneck, metric};
use crate::{FlowCounters, LinkRecord, Record};
use narrows_units::Bytes;
use std::fmt;

/// A measured quantity of two worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// The metric `goodput`.
    Throughput,
    /// The metric `queueing_p50`, of one link.
    QueueingP50,
    /// The metric `queueing_p95`, of one link.
    QueueingP95,
    /// Retransmissions among data packets sent.
    Retransmitted,
    /// The metric `fct_mean`: the mean completion time of transfers.
    Completion,
    /// The metric `jain`.
    Jain,
}

impl Quantity {
    /// The part of packets that wait no longer than a queueing delay.
    fn quantile(self) -> f64 {
        if self == Quantity::QueueingP50 { 0.50 } else { 0.95 }
    }

    /// All of them, in the order of tables.
    pub const ALL: [Quantity; 6] = [
        Quantity::Throughput,
        Quantity::QueueingP50,
        Quantity::QueueingP95,
        Quantity::Retransmitted,
        Quantity::Completion,
        Quantity::Jain,
    ];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Throughput => "throughput",
            Quantity::QueueingP50 => "queueing p50",
            Quantity::QueueingP95 => "queueing p95",
            Quantity::Retransmitted => "retransmitted",
            Quantity::Completion => "completion",
            Quantity::Jain => "Jain",
        }
    }

    /// The unit of its values; empty for a pure number.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Throughput => "Mbit/s",
            Quantity::QueueingP50 | Quantity::QueueingP95 => "ms",
            Quantity::Retransmitted => "%",
            Quantity::Completion => "s",
            Quantity::Jain => "",
        }
    }
}

/// The values of one quantity in two worlds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Of what.
    pub quantity: Quantity,
    /// The mean over seeds in the world that is the reference, in the metric's unit
    /// (retransmissions in percent).
    pub reference: f64,
    /// The mean over seeds in the other world.
    pub other: f64,
    /// How far the other is from the reference.
    pub gap: Gap,
}

/// How far apart two values are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gap {
    /// The difference in percent of the reference.
    Percent(f64),
    /// The other over the reference.
    Factor(f64),
    /// The difference itself.
    Difference(f64),
}

impl Gap {
    /// Its size without its direction: percent, a factor of at least one, or a difference.
    pub fn size(self) -> f64 {
        match self {
            Gap::Percent(value) | Gap::Difference(value) => value.abs(),
            Gap::Factor(value) => value.max(1.0 / value),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Percent(value) => write!(f, "{value:+.1} %"),
            Gap::Factor(value) => write!(f, "x{value:.2}"),
            Gap::Difference(value) => write!(f, "{value:+.3}"),
        }
    }
}

/// The distances of `other` from `reference`, one record per seed each; a quantity that one of them
/// does not define is left out (Jain's index of one flow, the completion of bulk data).
///
/// Queueing delays are those of one link in both worlds: the bottleneck of the first run of
/// `other`. A world may have its own bottleneck where two links are nearly as busy. Throughput,
/// queueing delays and completion times are compared as differences in percent of the reference. A
/// queueing delay shorter than the transmission of a mean data packet, headers included, is
/// compared in percent of that time, for queues come in whole packets. Retransmissions are compared
/// as the ratio of their shares of what was sent; one packet is added to both, so that a single
/// packet is not infinitely more than none. Jain's indices are compared as a difference.
pub fn distances(reference: &[Record], other: &[Record]) -> Vec<Distance> {
    let link = other.first().and_then(bottleneck).map(|link| link.name.as_str());
    Quantity::ALL
        .into_iter()
        .filter_map(|quantity| distance(quantity, link, reference, other))
        .collect()
}

fn distance(
    quantity: Quantity,
    link: Option<&str>,
    reference: &[Record],
    other: &[Record],
) -> Option<Distance> {
    let percent = |from: f64, to: f64, least: f64| {
        let scale = from.max(least);
        Gap::Percent(if scale > 0.0 { 100.0 * (to - from) / scale } else { 0.0 })
    };
    let measured = |name: &str| Some((mean(name, reference)?, mean(name, other)?));
    let (from, to, gap) = match quantity {
        Quantity::Throughput | Quantity::Completion => {
            let (from, to) =
                measured(if quantity == Quantity::Throughput { "goodput" } else { "fct_mean" })?;
            (from, to, percent(from, to, 0.0))
        }
        Quantity::QueueingP50 | Quantity::QueueingP95 => {
            let link = link?;
            let quantile = quantity.quantile();
            let from = queueing(reference, link, quantile)?;
            let to = queueing(other, link, quantile)?;
            (from, to, percent(from, to, packet_ms(reference.first()?, link)))
        }
        Quantity::Retransmitted => {
            let ((share, smoothed), (other_share, other_smoothed)) =
                (retransmitted(reference)?, retransmitted(other)?);
            (share, other_share, Gap::Factor(other_smoothed / smoothed))
        }
        Quantity::Jain => {
            let (from, to) = measured("jain")?;
            (from, to, Gap::Difference(to - from))
        }
    };
    Some(Distance { quantity, reference: from, other: to, gap })
}

/// The mean of a metric over the runs that define it.
fn mean(name: &str, runs: &[Record]) -> Option<f64> {
    let values: Vec<f64> = runs.iter().filter_map(metric(name)?.compute).collect();
    crate::statistics::mean(&values)
}

/// The mean over runs of a quantile of the queueing delays of the link with this name, in ms.
fn queueing(runs: &[Record], link: &str, quantile: f64) -> Option<f64> {
    let of_run =
        |run: &Record| Some(named(run, link)?.queueing.quantile(quantile)?.as_millis_f64());
    let values: Vec<f64> = runs.iter().filter_map(of_run).collect();
    crate::statistics::mean(&values)
}

fn named<'a>(run: &'a Record, link: &str) -> Option<&'a LinkRecord> {
    run.links.iter().find(|other| other.name == link)
}

/// Retransmissions among data packets sent since warm-up, in percent; and the same with one packet
/// added.
fn retransmitted(runs: &[Record]) -> Option<(f64, f64)> {
    let count = |of: fn(&FlowCounters) -> u64| {
        runs.iter().flat_map(|run| &run.flows).map(|flow| of(&flow.steady)).sum::<u64>() as f64
    };
    let again = count(|steady| steady.retransmitted);
    let sent = count(|steady| steady.sent);
    (sent > 0.0).then(|| (100.0 * again / sent, 100.0 * (again + 1.0) / sent))
}

/// The transmission on a link of a data packet as large as they are on the wire on average, in ms;
/// zero without a constant rate or packets.
fn packet_ms(run: &Record, link: &str) -> f64 {
    let rate = named(run, link).and_then(|link| link.rate);
    let (packets, bytes) = run.flows.iter().fold((0, 0), |(packets, bytes), flow| {
        (packets + flow.total.arrived, bytes + flow.total.arrived_wire.get())
    });
    match rate {
        Some(rate) if packets > 0 => rate.time_for(Bytes::new(bytes / packets)).as_millis_f64(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::fixture::{flow, link, record};
    use narrows_units::Span;

    /// One flow on 10 Mbit/s that sent 1000 packets of 1500 B, of which so many again, with a queue
    /// of so many µs.
    fn run(goodput: u64, again: u64, queue_us: u64) -> Record {
        let mut run = record(vec![flow("a")], vec![link("narrow", 10)]);
        let steady = &mut run.flows[0].steady;
        (steady.goodput, steady.sent, steady.retransmitted) = (Bytes::new(goodput), 1000, again);
        (run.flows[0].total.arrived, run.flows[0].total.arrived_wire) =
            (1000, Bytes::new(1_500_000));
        run.links[0].queueing.record(Span::from_micros(queue_us));
        run
    }

    fn gap(of: Quantity, reference: &[Record], other: &[Record]) -> Gap {
        distances(reference, other)
            .into_iter()
            .find(|distance| distance.quantity == of)
            .unwrap()
            .gap
    }

    #[test]
    fn throughput_is_compared_by_the_means_over_seeds() {
        let reference = [run(1_000_000, 0, 0), run(3_000_000, 0, 0)];
        let gap = gap(Quantity::Throughput, &reference, &[run(2_100_000, 0, 0)]);
        assert!(matches!(gap, Gap::Percent(percent) if (percent - 5.0).abs() < 1e-9), "{gap}");
    }

    #[test]
    fn short_queues_are_compared_by_the_time_of_a_packet() {
        let size =
            |from, to| gap(Quantity::QueueingP50, &[run(1, 0, from)], &[run(1, 0, to)]).size();
        assert!((size(20_000, 25_000) - 25.0).abs() < 2.0);
        // A packet of 1500 B takes 1200 µs.
        assert!((size(0, 600) - 50.0).abs() < 1.0);
    }

    #[test]
    fn queues_of_one_link_are_compared_whichever_limits_a_world() {
        // Two links as fast as each other, of which one world uses the first more and the other the
        // second.
        let run = |used: [u64; 2], queues_ms: [u64; 2]| {
            let mut run = record(vec![flow("a")], vec![link("near", 10), link("far", 10)]);
            for ((link, used), queue) in run.links.iter_mut().zip(used).zip(queues_ms) {
                link.steady.departed_bytes = Bytes::new(used);
                link.queueing.record(Span::from_millis(queue));
            }
            run
        };
        let reference = run([900, 901], [20, 100]);
        let other = run([901, 900], [22, 110]);
        assert_eq!(
            (
                bottleneck(&reference).unwrap().name.as_str(),
                bottleneck(&other).unwrap().name.as_str()
            ),
            ("far", "near")
        );
        for quantity in [Quantity::QueueingP50, Quantity::QueueingP95] {
            let compared =
                distances(std::slice::from_ref(&reference), std::slice::from_ref(&other));
            let of = compared.iter().find(|distance| distance.quantity == quantity).unwrap();
            // A histogram keeps 1.6 %.
            assert!((of.reference - 20.0).abs() < 0.4 && (of.other - 22.0).abs() < 0.4, "{of:?}");
        }
    }

    #[test]
    fn a_packet_more_is_no_infinite_ratio() {
        let ratio = |from, to| gap(Quantity::Retransmitted, &[run(1, from, 0)], &[run(1, to, 0)]);
        assert_eq!(ratio(0, 1), Gap::Factor(2.0));
        assert_eq!(ratio(9, 4), Gap::Factor(0.5));
        assert_eq!(ratio(9, 4).size(), 2.0);
    }

    #[test]
    fn one_flow_has_no_fairness() {
        let of = |runs: &[Record]| {
            distances(runs, runs).iter().map(|distance| distance.quantity).collect::<Vec<_>>()
        };
        let defined = [
            Quantity::Throughput,
            Quantity::QueueingP50,
            Quantity::QueueingP95,
            Quantity::Retransmitted,
        ];
        assert_eq!(of(&[run(1, 0, 0)]), defined, "bulk data has no completion times either");
    }

    #[test]
    fn gaps_show_their_direction() {
        let texts = [Gap::Percent(-1.25), Gap::Factor(0.5), Gap::Difference(0.01)]
            .map(|gap| gap.to_string());
        assert_eq!(texts, ["-1.2 %", "x0.50", "+0.010"]);
    }
}
