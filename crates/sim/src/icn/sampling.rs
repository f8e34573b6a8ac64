//! Records of nodes and consumers: samples on the way, and the record at the end.

use super::instance::ConsumerInstance;
use super::nodes::{Nodes, Tally};
use super::parcel::Parcel;
use super::probes::Probes;
use narrows_measure::{
    ConsumerCounters, ConsumerSample, FlowCounters, FlowRecord, FlowSample, Histogram, IcnRecord,
    InterestCounters, RatesSample, Record,
};
use narrows_network::Network;
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Rates;

impl Nodes<'_> {
    /// The record of a finished run.
    pub(super) fn record(self, network: Network<Parcel>, events: u64) -> Record {
        let scenario = self.scenario;
        let icn = self.icn;
        let end = Time::ZERO + scenario.duration;
        let counts = self.counts();
        let interests: Vec<InterestCounters> =
            (0..self.far_ends.len()).map(|link| self.interests(link)).collect();
        let (pending, expired, cached) =
            self.forwarders.iter().fold((0, 0, 0), |(pending, expired, cached), node| {
                let counters = node.counters();
                (
                    pending + node.pending() as u64,
                    expired + counters.expired,
                    cached + counters.cache_hits,
                )
            });
        let Probes {
            flows,
            mut consumers,
            mut rates,
            flows_at_warmup,
            consumers_at_warmup,
            rates_at_warmup,
            ..
        } = self.probes;
        for ((consumer, (_, total)), before) in
            consumers.iter_mut().zip(&counts).zip(&consumers_at_warmup)
        {
            (consumer.total, consumer.steady) = (*total, total.since(before));
        }
        for consumer in &mut consumers[icn.consumers.len()..] {
            consumer.many = true;
        }
        for ((rates, total), before) in rates.iter_mut().zip(interests).zip(&rates_at_warmup) {
            (rates.total, rates.steady) = (total, total.since(before));
        }
        let plans = icn.flow_records(scenario);
        let flow_records =
            plans.into_iter().zip(flows).zip(self.tallies).zip(counts).zip(&flows_at_warmup);
        let flow_records =
            flow_records.map(|((((plan, samples), tally), (total, _)), before)| FlowRecord {
                end: tally.finished.or(plan.end),
                completed: tally.finished.is_some(),
                transfers: tally.transfers,
                total,
                steady: total.since(before),
                rtt: tally.rtt,
                samples,
                ..plan
            });
        let flow_records = flow_records.collect();
        let record = IcnRecord {
            law: icn.law.as_ref().map(|law| law.text().to_owned()),
            rates,
            consumers,
            pending,
            expired,
            cached,
        };
        let events = events + network.events();
        scenario
            .record()
            .flows(flow_records)
            .links(network.finish(end, scenario.link_plans()))
            .events(events)
            .icn(record)
            .finish()
    }

    /// Of each flow what it has done so far.
    fn counts(&self) -> Vec<(FlowCounters, ConsumerCounters)> {
        let gone = |tally: &Tally| {
            (FlowCounters { dropped: tally.dropped, ..tally.gone }, tally.gone_asking)
        };
        let mut counts: Vec<_> = self.tallies.iter().map(gone).collect();
        for instance in self.instances.iter().filter(|instance| self.counts_itself(instance)) {
            let (flow, consumer) = &mut counts[instance.flow];
            instance.add_to(flow, consumer);
        }
        for ((flow, consumer), tally) in counts.iter_mut().zip(&self.tallies) {
            flow.arrived_wire = consumer.primary + consumer.secondary;
            flow.late_goodput =
                tally.stopped_with.map_or(Bytes::ZERO, |before| flow.goodput - before);
        }
        counts
    }

    /// True unless what it has done has gone to its flow.
    fn counts_itself(&self, instance: &ConsumerInstance) -> bool {
        instance.flow < self.icn.consumers.len() || !instance.over
    }

    /// Interests for a link on which Data comes in.
    fn interests(&self, coming: usize) -> InterestCounters {
        let (node, face) = self.far_ends[coming];
        let counters = self.forwarders[node].face(face).counters;
        let [refused_primary, refused_secondary] = counters.refused;
        InterestCounters {
            sent: counters.interests_out,
            refused_primary,
            refused_secondary,
            evicted: counters.evicted,
        }
    }

    /// Takes one sample of every face and flow.
    pub(super) fn sample_flows(&mut self, now: Time) {
        for (coming, (node, face)) in self.far_ends.iter().enumerate() {
            let state = self.forwarders[*node].face(*face);
            let rates = state.rates.unwrap_or(Rates { primary: Rate::ZERO, secondary: Rate::ZERO });
            let sample = RatesSample {
                at: now,
                primary: rates.primary,
                secondary: rates.secondary,
                queue: state.waiting as u32,
            };
            self.probes.rates[coming].samples.push(sample);
        }
        let counts = self.counts();
        for (flow, (counted, asking)) in counts.iter().enumerate() {
            let tally = &self.tallies[flow];
            let mut sample = FlowSample {
                at: now,
                goodput: counted.goodput,
                arrived_wire: counted.arrived_wire,
                sent: counted.sent,
                dropped: counted.dropped,
                connections: tally.working,
                ..FlowSample::default()
            };
            let mut asks =
                ConsumerSample { at: now, counters: *asking, ..ConsumerSample::default() };
            if let Some(instance) =
                self.instances.get(flow).filter(|_| flow < self.icn.consumers.len())
            {
                instance.consumer.sample(&mut sample, &mut asks);
                instance.consumer.sample_subflows(now, &mut self.probes.consumers[flow].subflows);
            }
            self.probes.flows[flow].push(sample);
            self.probes.consumers[flow].samples.push(asks);
        }
    }

    /// The latest sample of each flow, with the flow's number.
    pub(super) fn latest_samples(&self) -> impl Iterator<Item = (usize, FlowSample)> {
        self.probes
            .flows
            .iter()
            .enumerate()
            .filter_map(|(flow, samples)| Some((flow, *samples.last()?)))
    }

    /// The warm-up is over: counts from here on are the steady ones.
    pub(super) fn note_warmup(&mut self) {
        let counts = self.counts();
        (self.probes.flows_at_warmup, self.probes.consumers_at_warmup) = counts.into_iter().unzip();
        self.probes.rates_at_warmup =
            (0..self.far_ends.len()).map(|link| self.interests(link)).collect();
        self.tallies.iter_mut().for_each(|tally| tally.rtt = Histogram::new());
    }
}
