//! Round trips, one-way delays and queues.

use super::{Better, Metric, bottleneck};
use crate::statistics::mean;
use crate::{FlowRecord, Histogram, LinkRecord, Record};
use narrows_units::{Span, Time};

pub(super) const RTT_P50: Metric = Metric {
    name: "rtt_p50",
    unit: "ms",
    better: Better::Lower,
    summary: "Median round trip.",
    formula: "median of all round trips that senders measured since warm-up, pooled over flows; to within 1.6 % (histogram buckets)",
    source: "RFC 5166, section 2.1",
    compute: rtt_p50,
};

pub(super) const RTT_P95: Metric = Metric {
    name: "rtt_p95",
    unit: "ms",
    better: Better::Lower,
    summary: "95th percentile of round trips.",
    formula: "95th percentile of the same round trips as rtt_p50",
    source: "RFC 5166, section 2.1; the 95th percentile as in Winstein et al., NSDI 2013, and Yan et al., Pantheon, USENIX ATC 2018 (there of one-way \
             delay)",
    compute: rtt_p95,
};

pub(super) const RTT_P99: Metric = Metric {
    name: "rtt_p99",
    unit: "ms",
    better: Better::Lower,
    summary: "99th percentile of round trips.",
    formula: "99th percentile of the same round trips as rtt_p50",
    source: "RFC 5166, section 2.1",
    compute: rtt_p99,
};

pub(super) const RTT_MEAN: Metric = Metric {
    name: "rtt_mean",
    unit: "ms",
    better: Better::Lower,
    summary: "Mean round trip.",
    formula: "mean of the same round trips as rtt_p50; exact",
    source: "the average RTT of draft-huitema-ccwg-c4-test, section Tests and metrics",
    compute: rtt_mean,
};

pub(super) const DELAY_P95: Metric = Metric {
    name: "delay_p95",
    unit: "ms",
    better: Better::Lower,
    summary: "95th percentile of one-way delays of data packets.",
    formula: "95th percentile of the delays of data packets since warm-up, from leaving the sending host to arriving, pooled over flows",
    source: "Yan et al., Pantheon, USENIX ATC 2018",
    compute: delay_p95,
};

pub(super) const SELF_INFLICTED: Metric = Metric {
    name: "self_inflicted",
    unit: "ms",
    better: Better::Lower,
    summary: "95th percentile of one-way delay beyond propagation.",
    formula: "95th percentile over data packets since warm-up, pooled over flows, of one-way delay - the propagation delays of the links of the flow's route at the start of the run. Transmission times and other flows' queues are part of it; to within 1.6 % of the whole delay",
    source: "the self-inflicted delay of Winstein, Sivaraman and Balakrishnan, NSDI 2013, section 5, as Yan et al., Pantheon, USENIX ATC 2018, show it against a constant rate",
    compute: self_inflicted,
};

pub(super) const STANDING_QUEUE: Metric = Metric {
    name: "standing_queue",
    unit: "ms",
    better: Better::Lower,
    summary: "Part of the bottleneck's queue that does not drain within a round trip.",
    formula: "mean over time since warm-up of the smallest queue in each window, divided by the rate the link had. Windows follow each other and last the \
              longest base round trip of the flows through the link, or four samples where that is longer; the rate is the capacity offered in the second \
              before the window's end, or since warm-up if the link had no capacity then.",
    source: "the standing queue of Nichols and Jacobson, Controlling Queue Delay, ACM Queue 2012: the minimum over a round trip; window and mean are ours",
    compute: standing_queue,
};

pub(super) const QUEUEING_P50: Metric = Metric {
    name: "queueing_p50",
    unit: "ms",
    better: Better::Lower,
    summary: "Median time that packets wait in the bottleneck's queue.",
    formula: "median of the times since warm-up from a packet's arrival in the bottleneck's queue to the start of its transmission",
    source: "RFC 7928, section 2",
    compute: queueing_p50,
};

pub(super) const QUEUEING_P95: Metric = Metric {
    name: "queueing_p95",
    unit: "ms",
    better: Better::Lower,
    summary: "95th percentile of the time that packets wait in the bottleneck's queue.",
    formula: "95th percentile of the same times as queueing_p50",
    source: "RFC 7928, section 2",
    compute: queueing_p95,
};

pub(super) fn rtt_p50(record: &Record) -> Option<f64> {
    quantile(&pooled(record, |flow| &flow.rtt), 0.50)
}

pub(super) fn rtt_p95(record: &Record) -> Option<f64> {
    quantile(&pooled(record, |flow| &flow.rtt), 0.95)
}

pub(super) fn rtt_p99(record: &Record) -> Option<f64> {
    quantile(&pooled(record, |flow| &flow.rtt), 0.99)
}

pub(super) fn rtt_mean(record: &Record) -> Option<f64> {
    pooled(record, |flow| &flow.rtt).mean().map(|span| span.as_millis_f64())
}

pub(super) fn delay_p95(record: &Record) -> Option<f64> {
    quantile(&pooled(record, |flow| &flow.one_way), 0.95)
}

pub(super) fn self_inflicted(record: &Record) -> Option<f64> {
    let beyond = |flow: &FlowRecord| {
        let propagation: Span =
            flow.route.iter().fold(Span::ZERO, |sum, link| sum + record.links[*link].delay);
        let middles: Vec<(u64, u64)> = flow.one_way.middles().collect();
        middles
            .into_iter()
            .map(move |(middle, count)| (middle.saturating_sub(propagation.as_nanos()), count))
    };
    let mut delays: Vec<(u64, u64)> = record.flows.iter().flat_map(beyond).collect();
    delays.sort_unstable();
    let wanted = (delays.iter().map(|(_, count)| count).sum::<u64>() * 95).div_ceil(100);
    let mut seen = 0;
    let found = delays.iter().find(|(_, count)| {
        seen += count;
        seen >= wanted
    });
    found.map(|(delay, _)| Span::from_nanos(*delay).as_millis_f64())
}

pub(super) fn queueing_p50(record: &Record) -> Option<f64> {
    quantile(&bottleneck(record)?.queueing, 0.50)
}

pub(super) fn queueing_p95(record: &Record) -> Option<f64> {
    quantile(&bottleneck(record)?.queueing, 0.95)
}

pub(super) fn standing_queue(record: &Record) -> Option<f64> {
    let link = bottleneck(record)?;
    let warm = Time::ZERO + record.warmup;
    let steady = &link.samples[link.samples.partition_point(|sample| sample.at <= warm)..];
    let length = window(record, link).min(steady.len());
    if length == 0 {
        return None;
    }
    let smallest = steady.chunks_exact(length).map(|window| {
        let queue = window.iter().map(|sample| sample.queue.bits()).min().unwrap_or(0);
        let rate = link.recent_bps(window[length - 1].at).or_else(|| steady_bps(record, link));
        rate.map(|bps| queue as f64 * 1e3 / bps)
    });
    let delays: Vec<f64> = smallest.collect::<Option<_>>()?;
    mean(&delays)
}

fn pooled<'a>(record: &'a Record, of: impl Fn(&'a FlowRecord) -> &'a Histogram) -> Histogram {
    let mut all = Histogram::new();
    for flow in &record.flows {
        all.merge(of(flow));
    }
    all
}

fn quantile(histogram: &Histogram, q: f64) -> Option<f64> {
    histogram.quantile(q).map(|span| span.as_millis_f64())
}

/// How many samples a queue has to drain: the longest base round trip of the flows through the
/// link.
fn window(record: &Record, link: &LinkRecord) -> usize {
    let place = record.links.iter().position(|other| std::ptr::eq(other, link));
    let routed = record.flows.iter().any(|flow| !flow.route.is_empty());
    let through = record
        .flows
        .iter()
        .filter(|flow| !routed || flow.links().any(|crossed| Some(crossed) == place));
    let longest = through.map(|flow| flow.base_rtt.as_nanos()).max().unwrap_or(0);
    longest.div_ceil(record.interval.as_nanos().max(1)).max(4) as usize
}

fn steady_bps(record: &Record, link: &LinkRecord) -> Option<f64> {
    let bits = link.capacity?.bits();
    let span = record.duration - record.warmup;
    (bits > 0 && !span.is_zero()).then(|| bits as f64 / span.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, link, record};
    use super::*;
    use narrows_units::Bytes;

    #[test]
    fn quantiles_pool_the_flows() {
        let mut run = record(vec![flow("a"), flow("b")], vec![]);
        assert_eq!(rtt_p50(&run), None);
        for ms in 1..=50 {
            run.flows[0].rtt.record(Span::from_millis(ms));
            run.flows[1].rtt.record(Span::from_millis(50 + ms));
            run.flows[1].one_way.record(Span::from_millis(20));
        }
        for (got, want) in [
            (rtt_p50(&run), 50.0),
            (rtt_p95(&run), 95.0),
            (rtt_mean(&run), 50.5),
            (rtt_p99(&run), 99.0),
            (delay_p95(&run), 20.0),
        ] {
            assert!((got.unwrap() / want - 1.0).abs() < 0.016, "{got:?} for {want}");
        }
    }

    #[test]
    fn what_flows_add_to_their_own_propagation() {
        // Over one link of 15 ms and over two; 19 of 20 packets of each add 2 ms, and one adds 10
        // or 20.
        let mut run = record(vec![flow("a"), flow("b")], vec![link("near", 10), link("far", 10)]);
        (run.flows[0].route, run.flows[1].route) = (vec![0], vec![0, 1]);
        assert_eq!(self_inflicted(&run), None);
        for (flow, base, late) in [(0, 15, 10), (1, 30, 20)] {
            (0..19).for_each(|_| run.flows[flow].one_way.record(Span::from_millis(base + 2)));
            run.flows[flow].one_way.record(Span::from_millis(base + late));
        }
        // Within 1.6 % of the delays, so 0.5 ms.
        assert!(self_inflicted(&run).is_some_and(|got| (got - 2.0).abs() < 0.5));
        run.flows.pop();
        run.flows[0].one_way.record(Span::from_millis(25));
        assert_eq!(self_inflicted(&run), Some(10.0));
    }

    #[test]
    fn a_queue_has_the_round_trips_of_its_own_flows_to_drain() {
        let mut run = swinging();
        for (i, sample) in run.links[0].samples.iter_mut().enumerate() {
            sample.queue = Bytes::new(if i % 50 == 0 { 0 } else { 12_500 });
        }
        let alone = standing_queue(&run);
        run.links.push(link("elsewhere", 10));
        run.links[1].samples.clear();
        run.flows.push(flow("far"));
        (run.flows[0].route, run.flows[1].route) = (vec![0], vec![1]);
        run.flows[1].base_rtt = Span::from_secs(100);
        run.links[0].steady.departed_bytes = Bytes::new(1_000_000);
        assert_eq!(standing_queue(&run), alone);
        assert!(alone.is_some_and(|queue| (9.0..10.0).contains(&queue)), "{alone:?}");
        run.flows[1].later_routes = vec![(narrows_units::Time::ZERO, vec![0])];
        assert_eq!(standing_queue(&run), Some(0.0));
    }

    /// A queue that swings between 12,500 and 25,000 bytes on 10 Mbit/s: 10 ms of it never drain.
    fn swinging() -> Record {
        let mut run = record(vec![flow("a")], vec![link("narrow", 10)]);
        for (i, sample) in run.links[0].samples.iter_mut().enumerate() {
            sample.queue = Bytes::new(if i % 2 == 0 { 25_000 } else { 12_500 });
        }
        run
    }

    #[test]
    fn the_standing_queue_is_what_stays() {
        assert_eq!(standing_queue(&swinging()), Some(10.0));
    }

    #[test]
    fn a_queue_that_empties_within_each_window_does_not_stand() {
        let mut run = swinging();
        for sample in run.links[0].samples.iter_mut().step_by(4) {
            sample.queue = Bytes::ZERO;
        }
        assert_eq!(standing_queue(&run), Some(0.0));
    }

    #[test]
    fn a_long_round_trip_lengthens_the_window() {
        let mut run = swinging();
        for sample in run.links[0].samples.iter_mut().step_by(10) {
            sample.queue = Bytes::ZERO;
        }
        assert!(standing_queue(&run).unwrap() > 0.0);
        run.flows[0].base_rtt = Span::from_secs(1);
        assert_eq!(standing_queue(&run), Some(0.0));
    }

    #[test]
    fn warm_up_does_not_count() {
        let mut run = swinging();
        let warm = Time::ZERO + run.warmup;
        for sample in run.links[0].samples.iter_mut().filter(|sample| sample.at <= warm) {
            sample.queue = Bytes::new(1_000_000);
        }
        assert_eq!(standing_queue(&run), Some(10.0));
    }

    #[test]
    fn queueing_delay_is_the_bottlenecks() {
        let mut run = record(vec![flow("a")], vec![link("narrow", 10)]);
        assert_eq!(queueing_p50(&run), None);
        for ms in 1..=60 {
            run.links[0].queueing.record(Span::from_nanos(ms));
        }
        assert_eq!((queueing_p50(&run), queueing_p95(&run)), (Some(30e-6), Some(57e-6)));
    }
}
