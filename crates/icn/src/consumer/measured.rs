//! Records of consumers that a world keeps.

use super::{AnyConsumer, ByClass, ConsumerCounters, Subflow};
use crate::name::Content;
use narrows_measure as measure;
use narrows_measure::{ConsumerSample, FlowCounters, FlowSample, SubflowRecord, SubflowSample};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Rates;

impl ConsumerCounters {
    /// Adds these counts to those of a run, whose Data has this size.
    pub fn add_to(
        &self,
        data: Bytes,
        flow: &mut FlowCounters,
        consumer: &mut measure::ConsumerCounters,
    ) {
        let interests = self.interests.primary + self.interests.secondary;
        flow.sent += interests;
        flow.retransmitted += self.retransmissions;
        flow.arrived += self.data.primary + self.data.secondary + self.duplicates;
        flow.duplicates += self.duplicates;
        flow.goodput += self.goodput;
        flow.declared_lost += self.nacks.total() + self.timeouts;
        flow.timeouts += self.timeouts;
        consumer.primary += Bytes::new(self.data.primary * data.get());
        consumer.secondary += Bytes::new(self.data.secondary * data.get());
        consumer.nacks += self.nacks.total();
        consumer.interests += interests;
    }
}

impl<C: Content> AnyConsumer<C> {
    /// Writes its present state into the samples of a moment. One that has everything has no rates.
    pub fn sample(&self, flow: &mut FlowSample, consumer: &mut ConsumerSample) {
        let (primary, secondary) =
            if self.finished() { (Rate::ZERO, Rate::ZERO) } else { self.rates() };
        (consumer.primary_rate, consumer.secondary_rate) = (primary, secondary);
        flow.rtt = self.latest_rtt();
        flow.in_flight = self.in_flight() as u32;
        flow.cwnd = self.in_flight() as f64;
        flow.pacing = Some(Rate::from_bps(primary.as_bps().saturating_add(secondary.as_bps())))
            .filter(|rate| !rate.is_zero());
    }

    /// Adds a sample of each of its paths to their records, of new ones with a record.
    pub fn sample_subflows(&self, now: Time, records: &mut Vec<SubflowRecord>) {
        self.subflows().for_each(|subflow| record_subflow(records, now, subflow));
    }
}

fn record_subflow(records: &mut Vec<SubflowRecord>, now: Time, subflow: &Subflow) {
    let place = records.iter().position(|record| record.path == subflow.id).unwrap_or_else(|| {
        records.push(SubflowRecord { path: subflow.id, samples: Vec::new() });
        records.len() - 1
    });
    let ByClass { primary, secondary } = subflow.received;
    let Rates { primary: primary_rate, secondary: secondary_rate } = subflow.rates;
    records[place].samples.push(SubflowSample {
        at: now,
        primary,
        secondary,
        primary_rate,
        secondary_rate,
    });
}
