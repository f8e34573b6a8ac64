//! How much waits at the bottleneck, from samples.

use super::{Better, Metric, bottleneck};
use crate::statistics::mean;
use crate::{Changed, LinkRecord, LinkSample, Record};
use narrows_units::Time;

pub(super) const QUEUE_MEAN: Metric = Metric {
    name: "queue_mean",
    unit: "packets",
    better: Better::Lower,
    summary: "Mean queue length of the bottleneck.",
    formula: "mean of the packets in the bottleneck's queue, without the packet in transmission, at the samples since warm-up",
    source: "RFC 5166, section 2.2",
    compute: queue_mean,
};

pub(super) const QUEUE_MAX: Metric = Metric {
    name: "queue_max",
    unit: "packets",
    better: Better::Lower,
    summary: "Largest queue length of the bottleneck.",
    formula: "largest number of packets in the bottleneck's queue, without the packet in transmission, at the samples since warm-up; what lies between samples is not seen",
    source: "RFC 5166, section 2.2",
    compute: queue_max,
};

pub(super) const BUFFER_MEAN: Metric = Metric {
    name: "buffer_mean",
    unit: "%",
    better: Better::Lower,
    summary: "Mean occupancy of the bottleneck's buffer.",
    formula: "mean of the filled part of the buffer, in packets or bytes as it is limited, at the samples since warm-up. Not defined without a limit, or if it changes",
    source: "Xia et al., VCP, SIGCOMM 2005, section 4",
    compute: buffer_mean,
};

pub(super) const BUFFER_MAX: Metric = Metric {
    name: "buffer_max",
    unit: "%",
    better: Better::Lower,
    summary: "Largest occupancy of the bottleneck's buffer.",
    formula: "largest of the same parts as buffer_mean; what lies between samples is not seen",
    source: "as buffer_mean",
    compute: buffer_max,
};

pub(super) fn queue_mean(record: &Record) -> Option<f64> {
    mean(&packets(record)?)
}

pub(super) fn queue_max(record: &Record) -> Option<f64> {
    packets(record)?.into_iter().reduce(f64::max)
}

pub(super) fn buffer_mean(record: &Record) -> Option<f64> {
    mean(&filled(record)?)
}

pub(super) fn buffer_max(record: &Record) -> Option<f64> {
    filled(record)?.into_iter().reduce(f64::max)
}

/// The packets waiting at each sample since warm-up.
fn packets(record: &Record) -> Option<Vec<f64>> {
    let link = bottleneck(record)?;
    Some(steady(record, link).iter().map(|sample| sample.queue_packets as f64).collect())
}

/// The percentage of the buffer that is filled at each sample since warm-up.
fn filled(record: &Record) -> Option<Vec<f64>> {
    let link = bottleneck(record)?;
    if record.changes.iter().any(|change| change.what == Changed::Buffer && change.of == link.name)
    {
        return None;
    }
    let of = |sample: &LinkSample| match (link.buffer_packets, link.buffer) {
        (Some(packets), _) => Some(sample.queue_packets as f64 / f64::from(packets)),
        (None, Some(bytes)) => Some(sample.queue.get() as f64 / bytes.get() as f64),
        (None, None) => None,
    };
    steady(record, link).iter().map(|sample| of(sample).map(|share| 100.0 * share)).collect()
}

fn steady<'a>(record: &Record, link: &'a LinkRecord) -> &'a [LinkSample] {
    let warm = Time::ZERO + record.warmup;
    &link.samples[link.samples.partition_point(|sample| sample.at <= warm)..]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, link, record};
    use super::*;
    use crate::Change;
    use narrows_units::Bytes;

    /// 200 steady samples that hold 1 to 200 packets of 1500 B; before them 9,000.
    fn rising() -> Record {
        let mut run = record(vec![flow("a")], vec![link("narrow", 10)]);
        for (i, sample) in run.links[0].samples.iter_mut().enumerate() {
            sample.queue_packets = if i < 100 { 9_000 } else { i as u64 - 99 };
            sample.queue = Bytes::new(1_500 * sample.queue_packets);
        }
        run
    }

    #[test]
    fn packets_since_warm_up() {
        assert_eq!((queue_mean(&rising()), queue_max(&rising())), (Some(100.5), Some(200.0)));
    }

    #[test]
    fn parts_of_a_buffer_of_packets_or_bytes() {
        let mut run = rising();
        assert_eq!((buffer_mean(&run), buffer_max(&run)), (None, None));
        run.links[0].buffer = Some(Bytes::new(600_000));
        assert_eq!((buffer_mean(&run), buffer_max(&run)), (Some(25.125), Some(50.0)));
        run.links[0].buffer_packets = Some(200);
        assert_eq!((buffer_mean(&run), buffer_max(&run)), (Some(50.25), Some(100.0)));
        run.changes.push(Change {
            at: Time::ZERO,
            of: "narrow".to_owned(),
            what: Changed::Buffer,
            to: "9 packets".to_owned(),
        });
        assert_eq!(buffer_max(&run), None);
    }
}
