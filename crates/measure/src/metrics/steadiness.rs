//! How steady rates are, and how soon they come to where they stay.

use super::{Better, Metric, bottleneck};
use crate::part::standing;
use crate::statistics::{mean, relative_deviation};
use crate::{FlowRecord, LinkSample, Record};
use narrows_units::{Span, Time};

pub(super) const UTILISATION_MIN: Metric = Metric {
    name: "utilisation_min",
    unit: "%",
    better: Better::Higher,
    summary: "Smallest share of the bottleneck's capacity that was used in any second.",
    formula: "smallest share, over windows of 1 s that begin at any sample since warm-up (or of one interval between samples, where that is longer), of the bytes that the bottleneck could have sent in it",
    source: "the utilisation over time that papers plot; window and minimum are ours",
    compute: utilisation_min,
};

pub(super) const UTILISATION_SWING: Metric = Metric {
    name: "utilisation_swing",
    unit: "%",
    better: Better::Lower,
    summary: "Coefficient of variation of the bottleneck's per-second throughput.",
    formula: "standard deviation of the wire bytes that departed from it in consecutive intervals of 1 s since warm-up (or of one interval between samples, where that is longer), with m - 1 of m / their mean",
    source: "the steadiness of links that MIRCC (Mahdian, Arianfar, Gibson and Oran, ACM ICN 2016), figure 7, shows; the number is ours",
    compute: utilisation_swing,
};

pub(super) const STABILITY: Metric = Metric {
    name: "stability",
    unit: "",
    better: Better::Lower,
    summary: "Mean coefficient of variation of the flows' goodput over intervals of 5 s.",
    formula: "mean over flows of (standard deviation of x over k, with m - 1) / mean of x, x(k) being the flow's goodput in the k-th of m intervals of 5 s since warm-up, or since its start if that is later, while it ran. Flows with fewer than two such intervals or nothing delivered are left out",
    source: "Jin, Wei and Low, FAST TCP: Motivation, Architecture, Algorithms, Performance, INFOCOM 2004, section V (stability)",
    compute: stability,
};

pub(super) const VARIATION: Metric = Metric {
    name: "variation",
    unit: "%",
    better: Better::Lower,
    summary: "Mean coefficient of variation of the flows' goodput over intervals of 1 s.",
    formula: "as stability, over intervals of 1 s",
    source: "Dong et al., PCC, NSDI 2015, section 4.2.2 (standard deviation of throughputs of one second), relative to the mean",
    compute: variation,
};

pub(super) const RESPONSIVENESS: Metric = Metric {
    name: "responsiveness",
    unit: "s",
    better: Better::Lower,
    summary: "Time after which the running mean of goodput stays within 10 % of the whole run's mean.",
    formula: "k * 5 s, k being the last interval of 5 s such that the mean of x(1) ... x(k) differs by more than 10 % from the mean of all intervals, x(k) being all flows' goodput in the k-th interval since the run began; 0 s without such an interval",
    source: "Jin, Wei and Low, FAST TCP: Motivation, Architecture, Algorithms, Performance, INFOCOM 2004, section V (responsiveness, running average)",
    compute: responsiveness,
};

pub(super) const RESPONSIVENESS_INSTANT: Metric = Metric {
    name: "responsiveness_instant",
    unit: "s",
    better: Better::Lower,
    summary: "Time after which goodput stays within 10 % of the whole run's mean.",
    formula: "k * 5 s, k being the last interval of 5 s such that x(k) differs by more than 10 % from the mean of all intervals, x as in responsiveness; 0 s without such an interval",
    source: "Jin, Wei and Low, FAST TCP: Motivation, Architecture, Algorithms, Performance, INFOCOM 2004, section V (responsiveness, instantaneous)",
    compute: responsiveness_instant,
};

/// The part by which throughput may differ from its mean over the run.
const TOLERANCE: f64 = 0.1;

pub(super) fn utilisation_min(record: &Record) -> Option<f64> {
    let link = bottleneck(record)?;
    let length = whole(record, Span::from_secs(1));
    let warm = Time::ZERO + record.warmup;
    let over = Time::ZERO + record.duration;
    let used = |from: &LinkSample, to: &LinkSample| {
        let capacity = to.capacity.saturating_sub(from.capacity).get();
        (capacity > 0).then(|| {
            100.0 * to.departed_bytes.saturating_sub(from.departed_bytes).get() as f64
                / capacity as f64
        })
    };
    let begun = standing(&link.samples, warm);
    let starts =
        std::iter::once(&begun).chain(link.samples.iter().filter(|sample| sample.at > warm));
    let windows = starts.take_while(|sample| sample.at + length <= over);
    windows
        .filter_map(|from| used(from, &standing(&link.samples, from.at + length)))
        .reduce(f64::min)
}

pub(super) fn utilisation_swing(record: &Record) -> Option<f64> {
    let link = bottleneck(record)?;
    let step = whole(record, Span::from_secs(1));
    let warm = Time::ZERO + record.warmup;
    let over = Time::ZERO + record.duration;
    let sent = |k: u64| standing(&link.samples, warm + step * k).departed_bytes;
    let seconds = over.since(warm).as_nanos() / step.as_nanos();
    let sent: Vec<f64> =
        (0..seconds).map(|k| sent(k + 1).saturating_sub(sent(k)).get() as f64).collect();
    Some(100.0 * relative_deviation(&sent)?)
}

pub(super) fn stability(record: &Record) -> Option<f64> {
    mean_deviation(record, Span::from_secs(5))
}

pub(super) fn variation(record: &Record) -> Option<f64> {
    mean_deviation(record, Span::from_secs(1)).map(|deviation| 100.0 * deviation)
}

pub(super) fn responsiveness(record: &Record) -> Option<f64> {
    let (step, rates) = aggregate(record)?;
    let mut sum = 0.0;
    let running = rates.iter().zip(1..).map(|(rate, count)| {
        sum += rate;
        sum / f64::from(count)
    });
    last_away(step, &running.collect::<Vec<f64>>(), &rates)
}

pub(super) fn responsiveness_instant(record: &Record) -> Option<f64> {
    let (step, rates) = aggregate(record)?;
    last_away(step, &rates, &rates)
}

/// The mean over flows of the deviation of their goodput in consecutive intervals, relative to its
/// mean.
fn mean_deviation(record: &Record, interval: Span) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let over = Time::ZERO + record.duration;
    let step = whole(record, interval);
    let deviation = |flow: &FlowRecord| {
        relative_deviation(&rates(
            flow,
            flow.start.max(warm),
            flow.end.unwrap_or(over).min(over),
            step,
        ))
    };
    mean(&record.flows.iter().filter_map(deviation).collect::<Vec<f64>>())
}

/// All flows' goodput together in consecutive intervals of five seconds.
fn aggregate(record: &Record) -> Option<(Span, Vec<f64>)> {
    let step = whole(record, Span::from_secs(5));
    let each = record
        .flows
        .iter()
        .map(|flow| rates(flow, record.begin(), Time::ZERO + record.duration, step));
    each.reduce(|all, next| all.iter().zip(next).map(|(all, next)| all + next).collect())
        .map(|rates| (step, rates))
}

/// The end of the last interval whose value is away from the mean of `rates`.
fn last_away(step: Span, values: &[f64], rates: &[f64]) -> Option<f64> {
    let mean = mean(rates).filter(|mean| *mean > 0.0)?;
    let away = |value: &f64| (value - mean).abs() > TOLERANCE * mean;
    Some((step * values.iter().rposition(away).map_or(0, |last| last as u64 + 1)).as_secs_f64())
}

/// A flow's goodput in bytes in each interval from `from` on that ends by `to`.
fn rates(flow: &FlowRecord, from: Time, to: Time, step: Span) -> Vec<f64> {
    let count = to.since(from).as_nanos() / step.as_nanos();
    let at = |k: u64| standing(&flow.samples, from + step * k).goodput;
    (0..count).map(|k| at(k + 1).saturating_sub(at(k)).get() as f64).collect()
}

/// The time rounded up to whole intervals between samples.
fn whole(record: &Record, time: Span) -> Span {
    let interval = record.interval.as_nanos().max(1);
    Span::from_nanos(time.as_nanos().div_ceil(interval) * interval)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{link, record, sending};
    use super::*;

    fn one(mbps: impl Fn(f64) -> f64) -> Record {
        let mut run = record(vec![sending("a", mbps)], vec![link("narrow", 10)]);
        let counts: Vec<_> =
            run.flows[0].samples.iter().map(|sample| sample.arrived_wire).collect();
        for (sample, count) in run.links[0].samples.iter_mut().zip(counts) {
            sample.departed_bytes = count;
        }
        run.links[0].steady.departed_bytes = run.links[0].capacity.unwrap();
        run
    }

    fn near(got: Option<f64>, wanted: f64) {
        assert!(got.is_some_and(|got| (got - wanted).abs() < 1e-9), "{got:?}, not {wanted}");
    }

    #[test]
    fn the_smallest_second_counts_wherever_it_begins() {
        // Half a second of nothing from 20.3 s on, in the middle of 8 Mbit/s of 10; the first
        // second of the run does not count.
        near(
            utilisation_min(&one(
                |s| if (20.25..20.75).contains(&s) || s < 1.0 { 0.0 } else { 8.0 },
            )),
            40.0,
        );
        near(utilisation_min(&one(|s| if s < 10.0 { 0.0 } else { 8.0 })), 80.0);
    }

    #[test]
    fn stability_is_the_mean_relative_deviation_of_five_second_means() {
        // Steady intervals 10-15, 15-20, 20-25, 25-30 s: 2, 4, 2, 4 Mbit/s have mean 3 and
        // deviation sqrt(4/3); the other flow is constant.
        let swings = |s: f64| if (s as u64 / 5).is_multiple_of(2) { 2.0 } else { 4.0 };
        near(stability(&one(swings)), (4.0f64 / 3.0).sqrt() / 3.0);
        near(
            stability(&record(vec![sending("a", swings), sending("b", |_| 7.0)], vec![])),
            (4.0f64 / 3.0).sqrt() / 6.0,
        );
        // Changes within the intervals do not show.
        near(stability(&one(|s| if (s as u64).is_multiple_of(5) { 5.0 } else { 0.0 })), 0.0);
    }

    #[test]
    fn variation_has_intervals_of_a_second() {
        // Twenty seconds, half of them 2 and half 4: mean 3, deviation sqrt(20/19).
        near(
            variation(&one(|s| if (s as u64).is_multiple_of(2) { 2.0 } else { 4.0 })),
            100.0 * (20.0f64 / 19.0).sqrt() / 3.0,
        );
    }

    #[test]
    fn a_links_seconds_are_compared_with_their_mean() {
        // As the flow's: half of twenty seconds 2 and half 4. Changes within a second do not
        // show.
        near(
            utilisation_swing(&one(|s| if (s as u64).is_multiple_of(2) { 2.0 } else { 4.0 })),
            100.0 * (20.0f64 / 19.0).sqrt() / 3.0,
        );
        near(utilisation_swing(&one(|s| if (10.0 * s) as u64 % 10 < 5 { 2.0 } else { 4.0 })), 0.0);
        assert_eq!(utilisation_swing(&one(|_| 0.0)), None);
    }

    #[test]
    fn a_flow_counts_while_it_runs() {
        // It runs from 12 to 23 s: two whole intervals, 1 and 3 Mbit/s: deviation sqrt(2) of mean
        // 2.
        let mut run = one(|s| {
            if !(12.0..23.0).contains(&s) {
                0.0
            } else if s < 17.0 {
                1.0
            } else {
                3.0
            }
        });
        (run.flows[0].start, run.flows[0].end) =
            (Time::ZERO + Span::from_secs(12), Some(Time::ZERO + Span::from_secs(23)));
        near(stability(&run), 2f64.sqrt() / 2.0);
    }

    #[test]
    fn responsiveness_is_when_the_mean_arrives() {
        // Intervals 0, 6, 6, 6, 6, 6: the mean over the run is 5. Running means 0, 3, 4, 4.5, 4.8,
        // 5: 4 is the last that is away by more than 0.5.
        let run = one(|s| if s < 5.0 { 0.0 } else { 6.0 });
        assert_eq!(responsiveness(&run), Some(15.0));
        // Every interval is a fifth or more away from 5.
        assert_eq!(responsiveness_instant(&run), Some(30.0));
        assert_eq!(
            (responsiveness(&one(|_| 5.0)), responsiveness_instant(&one(|_| 5.0))),
            (Some(0.0), Some(0.0))
        );
    }

    #[test]
    fn responsiveness_is_of_all_flows_together() {
        let (rising, falling) =
            (|s: f64| if s < 15.0 { 2.0 } else { 8.0 }, |s: f64| if s < 15.0 { 8.0 } else { 2.0 });
        let run = record(vec![sending("a", rising), sending("b", falling)], vec![]);
        assert_eq!((responsiveness(&run), responsiveness_instant(&run)), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn nothing_sent_has_no_steadiness() {
        let run = one(|_| 0.0);
        assert_eq!(
            (stability(&run), variation(&run), responsiveness(&run), responsiveness_instant(&run)),
            (None, None, None, None)
        );
    }
}
