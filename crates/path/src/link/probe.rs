//! The records of a link that a world writes down.

use crate::{Limit, Link, LinkConfig, Packet, RateSource};
use narrows_measure::{LinkCounters, LinkNature, LinkRecord, LinkSample};
use narrows_units::{Bytes, Time};

/// The series of one link, and its counts at the end of the warm-up.
#[derive(Clone, Debug, Default)]
pub struct LinkProbe {
    samples: Vec<LinkSample>,
    at_warmup: LinkCounters,
    warmup: Time,
}

impl LinkProbe {
    /// With room for so many samples.
    pub fn new(expected: usize) -> LinkProbe {
        LinkProbe { samples: Vec::with_capacity(expected), ..LinkProbe::default() }
    }

    /// Takes a sample.
    pub fn sample<P: Packet>(&mut self, now: Time, link: &mut Link<P>) {
        link.settle(now);
        let (queue, queue_packets) = link.waiting();
        let counters = link.counters();
        self.samples.push(LinkSample {
            at: now,
            queue,
            queue_packets,
            departed_bytes: link.transmitted(now),
            dropped: counters.lost + counters.overflowed + counters.dropped_early,
            marked: counters.marked,
            capacity: link.capacity(now).unwrap_or(Bytes::ZERO),
        });
    }

    /// The latest sample.
    pub fn latest(&self) -> Option<&LinkSample> {
        self.samples.last()
    }

    /// The warm-up is over: counts from here on are the steady ones.
    pub fn end_warmup<P: Packet>(&mut self, now: Time, link: &mut Link<P>) {
        link.settle(now);
        self.at_warmup = count(now, link);
        self.warmup = now;
        link.forget_delays();
    }

    /// The record of a link at the end of its run. `constant` says that nothing changes its rate.
    pub fn finish<P: Packet>(
        self,
        end: Time,
        link: &mut Link<P>,
        name: &str,
        config: &LinkConfig,
        constant: bool,
    ) -> LinkRecord {
        link.settle(end);
        let total = count(end, link);
        let capacity = |until| link.capacity(until);
        LinkRecord {
            name: name.to_owned(),
            rate: match config.rate {
                RateSource::Constant(rate) if constant => Some(rate),
                _ => None,
            },
            delay: config.delay,
            buffer: match config.limit {
                Limit::Bytes(bytes) => Some(bytes),
                _ => None,
            },
            buffer_packets: match config.limit {
                Limit::Packets(packets) => Some(packets),
                _ => None,
            },
            nature: LinkNature {
                queue: config
                    .queue
                    .as_ref()
                    .map_or_else(String::new, |queue| queue.text().to_owned()),
                loss: config.loss.summary(),
                aggregate: config.delivery.aggregate,
            },
            total,
            steady: total.since(&self.at_warmup),
            capacity: capacity(end).zip(capacity(self.warmup)).map(|(all, before)| all - before),
            queueing: link.queueing().clone(),
            left_queued: link.not_departed(),
            left_in_flight: link.propagating(),
            samples: self.samples,
        }
    }
}

/// Counts up to `now`; of a packet in transmission, the bytes that have left.
fn count<P: Packet>(now: Time, link: &Link<P>) -> LinkCounters {
    LinkCounters { departed_bytes: link.transmitted(now), ..link.counters() }
}
