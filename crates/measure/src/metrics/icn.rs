//! What is measured of consumers and shapers in information-centric networks.

use super::{Better, Metric, bottleneck};
use crate::part::{standing, until};
use crate::{ConsumerCounters, IcnRecord, Record};
use narrows_units::{Bytes, Span, Time};

pub(super) const PRIMARY_GOODPUT: Metric = Metric {
    name: "primary_goodput",
    unit: "Mbit/s",
    better: Better::Higher,
    summary: "Data rate of primary Interests, summed over all consumers.",
    formula: "bytes of Data for primary Interests received since warm-up / time since warm-up. Defined for information-centric networks only, as are the metrics below",
    source: "the primary class of Mahdian, Arianfar, Gibson and Oran, MIRCC, ACM ICN 2016, section 3.3",
    compute: primary_goodput,
};

pub(super) const SECONDARY_GOODPUT: Metric = Metric {
    name: "secondary_goodput",
    unit: "Mbit/s",
    better: Better::Higher,
    summary: "Data rate of secondary Interests, summed over all consumers.",
    formula: "as primary_goodput, for secondary Interests",
    source: "as primary_goodput",
    compute: secondary_goodput,
};

pub(super) const NACKS: Metric = Metric {
    name: "nacks",
    unit: "%",
    better: Better::Lower,
    summary: "Share of Interests that were answered with a Nack.",
    formula: "Nacks that consumers received since warm-up / Interests that they sent since warm-up, retransmissions included",
    source: "refused Interests of Wang, Rozhnova, Narayanan, Oran and Rhee, An Improved Hop-by-hop Interest Shaper, ACM ICN 2013",
    compute: nacks,
};

pub(super) const SHAPER_MAX: Metric = Metric {
    name: "shaper_max",
    unit: "Interests",
    better: Better::Lower,
    summary: "Largest queue of Interests in any shaper.",
    formula: "largest number of Interests in a shaper at the samples since warm-up; what lies between samples is not seen",
    source: "as nacks",
    compute: shaper_max,
};

pub(super) const SUBFLOW_BALANCE: Metric = Metric {
    name: "subflow_balance",
    unit: "%",
    better: Better::Higher,
    summary: "How evenly a consumer uses its paths: 100 if each path brings the same.",
    formula: "mean over consumers with two or more paths of (Data received on the least used path / Data received on the most used path), since warm-up",
    source: "ours, for the equal paths of MIRCC, section 4.3.4",
    compute: subflow_balance,
};

pub(super) const STAMPED_RATE: Metric = Metric {
    name: "stamped_rate",
    unit: "Mbit/s",
    better: Better::Neither,
    summary: "Mean primary rate that the bottleneck's receiving end writes into Data.",
    formula: "mean of its samples since warm-up",
    source: "R(t) of MIRCC, section 3; its slide 23",
    compute: stamped_rate,
};

pub(super) const RATE_SETTLING: Metric = Metric {
    name: "rate_settling",
    unit: "s",
    better: Better::Lower,
    summary: "Settling time of the advertised rate.",
    formula: "where links advertise rates, from the last consumer's start (or the end of warm-up, if later) to the end of the last bin of 250 ms in which the mean primary rate that consumers follow is more than 20 % away from its mean over the last 10 s (or the last half of the bins, if they are fewer). If that bin is one of these, the rate has not settled, and the whole time observed counts",
    source: "the settling that MIRCC, section 3.2, figure 3 shows; bins and bounds are ours",
    compute: rate_settling,
};

pub(super) const RATE_DIP: Metric = Metric {
    name: "rate_dip",
    unit: "%",
    better: Better::Higher,
    summary: "Lowest advertised rate while settling, relative to the settled rate.",
    formula: "smallest of the bins of rate_settling / the mean with which rate_settling compares them",
    source: "as rate_settling",
    compute: rate_dip,
};

pub(super) const RATE_SWING: Metric = Metric {
    name: "rate_swing",
    unit: "%",
    better: Better::Lower,
    summary: "Coefficient of variation of the advertised rate once settled.",
    formula: "standard deviation of the bins of rate_settling over the last 10 s / their mean",
    source: "as rate_settling",
    compute: rate_swing,
};

/// Rates are looked at as means over so long.
const BIN: Span = Span::from_millis(250);
/// What a rate comes to is its mean over so long at the end.
const SETTLED: Span = Span::from_secs(10);
/// The part by which a settled rate may differ from that.
const TOLERANCE: f64 = 0.2;

pub(super) fn primary_goodput(record: &Record) -> Option<f64> {
    class_goodput(record, |counters| counters.primary)
}

pub(super) fn secondary_goodput(record: &Record) -> Option<f64> {
    class_goodput(record, |counters| counters.secondary)
}

fn class_goodput(record: &Record, of: fn(&ConsumerCounters) -> Bytes) -> Option<f64> {
    let consumers = &icn(record)?.consumers;
    let bits: u64 = consumers.iter().map(|consumer| of(&consumer.steady).bits()).sum();
    let time = (record.duration - record.warmup).as_secs_f64();
    (!consumers.is_empty() && time > 0.0).then(|| bits as f64 / time / 1e6)
}

pub(super) fn nacks(record: &Record) -> Option<f64> {
    let consumers = &icn(record)?.consumers;
    let sum = |of: fn(&ConsumerCounters) -> u64| consumers.iter().map(|consumer| of(&consumer.steady)).sum::<u64>();
    let interests = sum(|counters| counters.interests);
    (interests > 0).then(|| 100.0 * sum(|counters| counters.nacks) as f64 / interests as f64)
}

pub(super) fn shaper_max(record: &Record) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let samples = icn(record)?.rates.iter().flat_map(|rates| &rates.samples);
    samples.filter(|sample| sample.at > warm).map(|sample| f64::from(sample.queue)).reduce(f64::max)
}

pub(super) fn subflow_balance(record: &Record) -> Option<f64> {
    let (from, to) = (Time::ZERO + record.warmup, Time::ZERO + record.duration);
    let balance = |subflows: &[crate::SubflowRecord]| {
        let bytes = |record: &crate::SubflowRecord| {
            let sum = |at| {
                let sample = standing(&record.samples, at);
                sample.primary + sample.secondary
            };
            (sum(to) - sum(from)).get() as f64
        };
        let bytes: Vec<f64> = subflows.iter().map(bytes).collect();
        let most = bytes.iter().copied().reduce(f64::max).filter(|most| bytes.len() > 1 && *most > 0.0)?;
        Some(100.0 * bytes.iter().copied().fold(most, f64::min) / most)
    };
    let balances: Vec<f64> = icn(record)?.consumers.iter().filter_map(|consumer| balance(&consumer.subflows)).collect();
    (!balances.is_empty()).then(|| balances.iter().sum::<f64>() / balances.len() as f64)
}

pub(super) fn stamped_rate(record: &Record) -> Option<f64> {
    let link = bottleneck(record)?;
    let rates = &icn(record)?.rates.get(record.links.iter().position(|other| other.name == link.name)?)?.samples;
    let warm = Time::ZERO + record.warmup;
    let steady = rates.iter().filter(|sample| sample.at > warm).map(|sample| sample.primary.as_bps() as f64 / 1e6);
    let (sum, count) = steady.fold((0.0, 0u64), |(sum, count), rate| (sum + rate, count + 1));
    (count > 0).then(|| sum / count as f64)
}

pub(super) fn rate_settling(record: &Record) -> Option<f64> {
    let (start, rates) = followed(record)?;
    let settled = settled(&rates)?;
    let away = |(_, rate): &(Time, f64)| (rate - settled).abs() > TOLERANCE * settled;
    let last = match rates.iter().rposition(away) {
        None => return Some(0.0),
        Some(last) if last + tail(&rates).len() >= rates.len() => rates.len() - 1,
        Some(last) => last,
    };
    Some(rates[last].0.since(start).as_secs_f64())
}

pub(super) fn rate_dip(record: &Record) -> Option<f64> {
    let (_, rates) = followed(record)?;
    let settled = settled(&rates)?;
    rates.iter().map(|(_, rate)| 100.0 * rate / settled).reduce(f64::min)
}

pub(super) fn rate_swing(record: &Record) -> Option<f64> {
    let (_, rates) = followed(record)?;
    let tail = tail(&rates);
    let mean = settled(&rates)?;
    let squares: f64 = tail.iter().map(|(_, rate)| (rate - mean) * (rate - mean)).sum();
    Some(100.0 * (squares / tail.len() as f64).sqrt() / mean)
}

fn icn(record: &Record) -> Option<&IcnRecord> {
    record.icn.as_deref()
}

/// When the last consumer began, and from then on the mean over consumers at work of the primary rates they follow, bin by bin, with the
/// bin's end.
fn followed(record: &Record) -> Option<(Time, Vec<(Time, f64)>)> {
    let (begin, over) = (Time::ZERO + record.warmup, Time::ZERO + record.duration);
    let start = record.flows.iter().map(|flow| flow.start).max()?.max(begin);
    let step = BIN.max(record.interval);
    let icn = icn(record).filter(|icn| icn.law.is_some())?;
    let series: Vec<_> = icn.consumers.iter().map(|consumer| consumer.samples.as_slice()).collect();
    let mut bins = Vec::new();
    let mut from = start;
    while from + step <= over {
        let to = from + step;
        let within = series.iter().flat_map(|samples| until(samples, to).iter().rev().take_while(|sample| sample.at > from));
        let rates = within.map(|sample| sample.primary_rate.as_bps() as f64).filter(|rate| *rate > 0.0);
        let (sum, count) = rates.fold((0.0, 0u64), |(sum, count), rate| (sum + rate, count + 1));
        bins.push((to, if count == 0 { 0.0 } else { sum / count as f64 }));
        from = to;
    }
    Some((start, bins))
}

/// What the rate has come to.
fn settled(rates: &[(Time, f64)]) -> Option<f64> {
    let tail = tail(rates);
    let mean = tail.iter().map(|(_, rate)| rate).sum::<f64>() / tail.len() as f64;
    (mean > 0.0).then_some(mean)
}

/// The bins of the end.
fn tail(rates: &[(Time, f64)]) -> &[(Time, f64)] {
    let Some((end, _)) = rates.last() else { return rates };
    let first = rates.partition_point(|(at, _)| *at + SETTLED <= *end);
    &rates[first.max(rates.len() / 2)..]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{link, record, sending};
    use super::*;
    use crate::{ConsumerRecord, ConsumerSample, RatesRecord, RatesSample, SubflowRecord, SubflowSample};
    use narrows_units::Rate;

    /// 30 s of which 20 are steady, one consumer that follows the rate given at each second, and gets it.
    fn following(kbps: impl Fn(f64) -> u64) -> Record {
        let mut run = record(vec![sending("c", |_| 1.0)], vec![]);
        let mut counters = ConsumerCounters::default();
        let samples = (1..=300).map(|i| {
            let at = Time::ZERO + Span::from_millis(100) * i;
            let rate = Rate::from_kbps(kbps(at.as_secs_f64()));
            counters.primary += rate.bytes_in(Span::from_millis(100));
            counters.interests += 10;
            counters.nacks += u64::from(i > 200);
            ConsumerSample { at, primary_rate: rate, secondary_rate: Rate::ZERO, counters }
        });
        let samples: Vec<_> = samples.collect();
        let before = samples[99].counters;
        let total = samples[299].counters;
        let consumer = ConsumerRecord { many: false, total, steady: total.since(&before), samples, subflows: Vec::new() };
        run.icn = Some(Box::new(IcnRecord { law: Some("mircc".to_owned()), consumers: vec![consumer], ..IcnRecord::default() }));
        run
    }

    #[test]
    fn a_rate_settles_once_it_stays_within_a_fifth_of_what_it_comes_to() {
        // From 10 s on: 500 for one second, 100 for another, then 250.
        let run = following(|s| {
            if s <= 11.0 {
                500
            } else if s <= 12.0 {
                100
            } else {
                250
            }
        });
        assert_eq!(rate_settling(&run), Some(2.0));
        assert!((rate_dip(&run).unwrap() - 40.0).abs() < 1e-9);
        assert_eq!(rate_swing(&run), Some(0.0));
        let never = following(|s| if (s as u64).is_multiple_of(2) { 100 } else { 300 });
        // It counts as the 20 s observed.
        assert_eq!(rate_settling(&never), Some(20.0));
        // Half the mean, but for bins in which the rate changes.
        assert!((40.0..=50.0).contains(&rate_swing(&never).unwrap()));
        let mut window = run;
        window.icn.as_mut().unwrap().law = None;
        assert_eq!((rate_settling(&window), rate_dip(&window), rate_swing(&window)), (None, None, None), "no link says a rate");
    }

    #[test]
    fn classes_and_refusals_are_counted_since_the_warm_up() {
        let run = following(|_| 800);
        assert!((primary_goodput(&run).unwrap() - 0.8).abs() < 1e-9);
        assert_eq!(secondary_goodput(&run), Some(0.0));
        // 100 of 2000 Interests.
        assert_eq!(nacks(&run), Some(5.0));
    }

    #[test]
    fn what_a_link_says_is_a_mean_since_the_warm_up() {
        let mut run = following(|_| 800);
        run.links = vec![link("other", 10), link("asked", 10)];
        let sample =
            |s, mbps| RatesSample { at: Time::ZERO + Span::from_secs(s), primary: Rate::from_mbps(mbps), ..RatesSample::default() };
        let rates = |samples| RatesRecord { samples, ..RatesRecord::default() };
        let asked = rates(vec![sample(9, 90), sample(11, 7), sample(12, 4)]);
        run.icn.as_mut().unwrap().rates = vec![rates(vec![sample(11, 1)]), asked];
        assert_eq!(stamped_rate(&run.at_link("asked")), Some(5.5));
        assert_eq!(stamped_rate(&run.at_link("other")), Some(1.0));
    }

    #[test]
    fn the_fullest_shaper_and_the_balance_of_subflows() {
        let mut run = following(|_| 800);
        let icn = run.icn.as_mut().unwrap();
        let sample = |s, queue| RatesSample { at: Time::ZERO + Span::from_secs(s), queue, ..RatesSample::default() };
        icn.rates = vec![RatesRecord { samples: vec![sample(9, 50), sample(11, 7), sample(12, 3)], ..RatesRecord::default() }];
        let subflow = |bytes: [u64; 2]| {
            let sample =
                |s, bytes| SubflowSample { at: Time::ZERO + Span::from_secs(s), primary: Bytes::new(bytes), ..SubflowSample::default() };
            SubflowRecord { path: bytes[1], samples: vec![sample(10, bytes[0]), sample(30, bytes[1])] }
        };
        icn.consumers[0].subflows = vec![subflow([1000, 5000]), subflow([500, 3500])];
        assert_eq!(shaper_max(&run), Some(7.0));
        assert_eq!(subflow_balance(&run), Some(75.0));
        assert_eq!(subflow_balance(&record(vec![], vec![])), None);
    }
}
