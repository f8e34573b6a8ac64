//! How much flows keep in flight.

use super::{Better, Metric};
use crate::{FlowRecord, Record};
use narrows_units::Time;

pub(super) const CWND_MEAN: Metric = Metric {
    name: "cwnd_mean",
    unit: "segments",
    better: Better::Neither,
    summary: "Mean congestion window.",
    formula: "mean over flows of the mean of their windows at the samples since warm-up while they ran",
    source: "the congestion window of RFC 5681; the means are ours",
    compute: cwnd_mean,
};

pub(super) fn cwnd_mean(record: &Record) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let mean = |flow: &FlowRecord| {
        let runs = |at: Time| at > warm && at > flow.start && flow.end.is_none_or(|end| at <= end);
        let steady = flow.samples.iter().filter(|sample| runs(sample.at) && sample.cwnd > 0.0);
        let (sum, count) =
            steady.fold((0.0, 0u64), |(sum, count), sample| (sum + sample.cwnd, count + 1));
        (count > 0).then(|| sum / count as f64)
    };
    let (sum, count) = record
        .flows
        .iter()
        .filter_map(mean)
        .fold((0.0, 0u64), |(sum, count), mean| (sum + mean, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, record, sending};
    use super::*;
    use narrows_units::Span;

    #[test]
    fn the_mean_of_the_flows_means_while_they_run() {
        let mut run =
            record(vec![sending("a", |_| 1.0), sending("b", |_| 1.0), flow("datagrams")], vec![]);
        for (i, (a, b)) in
            (0..300).zip([900.0, 10.0, 20.0].into_iter().flat_map(|cwnd| [(cwnd, 40.0); 100]))
        {
            (run.flows[0].samples[i].cwnd, run.flows[1].samples[i].cwnd) =
                (a, if i < 150 { 700.0 } else { b });
        }
        run.flows[1].start = Time::ZERO + Span::from_secs(15);
        // Since 10 s: 15 and, from its start, 40.
        assert_eq!(cwnd_mean(&run), Some(27.5));
        run.flows[0].end = Some(Time::ZERO + Span::from_secs(20));
        assert_eq!(cwnd_mean(&run), Some(25.0));
    }
}
