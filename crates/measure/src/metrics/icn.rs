//! The metrics of consumers and shapers in information-centric networks.

use super::{Better, Metric};
use crate::part::standing;
use crate::statistics::mean;
use crate::{ConsumerCounters, IcnRecord, Record};
use narrows_units::{Bytes, Time};

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
    let sum = |of: fn(&ConsumerCounters) -> u64| {
        consumers.iter().map(|consumer| of(&consumer.steady)).sum::<u64>()
    };
    let interests = sum(|counters| counters.interests);
    (interests > 0).then(|| 100.0 * sum(|counters| counters.nacks) as f64 / interests as f64)
}

pub(super) fn shaper_max(record: &Record) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let samples = icn(record)?.rates.iter().flat_map(|rates| &rates.samples);
    samples.filter(|sample| sample.at > warm).map(|sample| f64::from(sample.queue)).reduce(f64::max)
}

pub(super) fn subflow_balance(record: &Record) -> Option<f64> {
    let from = Time::ZERO + record.warmup;
    let to = Time::ZERO + record.duration;
    let balance = |subflows: &[crate::SubflowRecord]| {
        let bytes = |record: &crate::SubflowRecord| {
            let sum = |at| {
                let sample = standing(&record.samples, at);
                sample.primary + sample.secondary
            };
            (sum(to) - sum(from)).get() as f64
        };
        let bytes: Vec<f64> = subflows.iter().map(bytes).collect();
        let most =
            bytes.iter().copied().reduce(f64::max).filter(|most| bytes.len() > 1 && *most > 0.0)?;
        Some(100.0 * bytes.iter().copied().fold(most, f64::min) / most)
    };
    let balances: Vec<f64> =
        icn(record)?.consumers.iter().filter_map(|consumer| balance(&consumer.subflows)).collect();
    mean(&balances)
}

pub(super) fn icn(record: &Record) -> Option<&IcnRecord> {
    record.icn.as_deref()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::fixture::{record, sending};
    use super::*;
    use crate::{
        ConsumerRecord, ConsumerSample, RatesRecord, RatesSample, SubflowRecord, SubflowSample,
    };
    use narrows_units::{Rate, Span};

    /// 30 s of which 20 are steady, one consumer that follows the rate given at each second, and
    /// gets it.
    pub(in super::super) fn following(kbps: impl Fn(f64) -> u64) -> Record {
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
        let consumer = ConsumerRecord {
            many: false,
            total,
            steady: total.since(&before),
            samples,
            subflows: Vec::new(),
        };
        run.icn = Some(Box::new(IcnRecord {
            law: Some("mircc".to_owned()),
            consumers: vec![consumer],
            ..IcnRecord::default()
        }));
        run
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
    fn the_fullest_shaper_and_the_balance_of_subflows() {
        let mut run = following(|_| 800);
        let icn = run.icn.as_mut().unwrap();
        let sample = |s, queue| RatesSample {
            at: Time::ZERO + Span::from_secs(s),
            queue,
            ..RatesSample::default()
        };
        icn.rates = vec![RatesRecord {
            samples: vec![sample(9, 50), sample(11, 7), sample(12, 3)],
            ..RatesRecord::default()
        }];
        let subflow = |bytes: [u64; 2]| {
            let sample = |s, bytes| SubflowSample {
                at: Time::ZERO + Span::from_secs(s),
                primary: Bytes::new(bytes),
                ..SubflowSample::default()
            };
            SubflowRecord {
                path: bytes[1],
                samples: vec![sample(10, bytes[0]), sample(30, bytes[1])],
            }
        };
        icn.consumers[0].subflows = vec![subflow([1000, 5000]), subflow([500, 3500])];
        assert_eq!(shaper_max(&run), Some(7.0));
        assert_eq!(subflow_balance(&run), Some(75.0));
        assert_eq!(subflow_balance(&record(vec![], vec![])), None);
    }
}
