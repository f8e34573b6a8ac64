//! The record of a run, from what its nodes and the emulator have measured.

use super::egress::Drops;
use super::messages::{ConsumerReport, FaceReport, NodeReport};
use crate::emulator::Emulated;
use narrows_measure::{
    ConsumerRecord, Emulation, FlowRecord, Histogram, IcnRecord, RatesRecord, Record, SubflowRecord, SubflowSample, Transfer, Transfers,
};
use narrows_scenario::{Icn, Ideal, NodeId, Scenario};
use narrows_units::{Bytes, Rate, Span, Time};

/// The record. Of each node its report, and the flows of its consumers.
pub fn record(
    scenario: &Scenario,
    icn: &Icn,
    emulated: Emulated<Drops>,
    reports: Vec<(NodeReport, Vec<usize>)>,
    emulation: Emulation,
) -> Record {
    let mut flows = icn.flow_records(scenario);
    let mut consumers = vec![ConsumerRecord::default(); flows.len()];
    let mut rates = vec![RatesRecord::default(); scenario.links.len()];
    let (mut pending, mut expired, mut cached) = (0, 0, 0);
    for (node, (report, own)) in reports.into_iter().enumerate() {
        let faces = icn.faces.iter().filter(|face| face.node == NodeId(node));
        faces.zip(&report.faces).for_each(|(face, measured)| rates[face.coming.0] = rates_record(measured));
        for (flow, measured) in own.into_iter().zip(report.consumers) {
            let drops = Own { drops: &emulated.flows, flow };
            consumers[flow] = consumer_record(&measured);
            fill(scenario, icn, &mut flows[flow], &mut consumers[flow], measured, &drops);
        }
        pending += report.pending;
        expired += report.expired;
        cached += report.cached;
    }
    let law = icn.law.as_ref().map(|law| law.text().to_owned());
    let record = IcnRecord { law, rates, consumers, pending, expired, cached };
    scenario.record().flows(flows).links(emulated.links).events(emulated.stats.packets).icn(record).emulation(emulation).finish()
}

/// The drops of one flow.
struct Own<'a> {
    drops: &'a Drops,
    flow: usize,
}

fn rates_record(measured: &FaceReport) -> RatesRecord {
    let total = measured.total.counters();
    RatesRecord { total, steady: total.since(&measured.at_warmup.counters()), samples: measured.samples() }
}

fn consumer_record(measured: &ConsumerReport) -> ConsumerRecord {
    let subflow = |(path, samples): &(u64, Vec<[u64; 5]>)| SubflowRecord {
        path: *path,
        samples: samples
            .iter()
            .map(|[at, primary, secondary, primary_rate, secondary_rate]| SubflowSample {
                at: Time::from_nanos(*at),
                primary: Bytes::new(*primary),
                secondary: Bytes::new(*secondary),
                primary_rate: Rate::from_bps(*primary_rate),
                secondary_rate: Rate::from_bps(*secondary_rate),
            })
            .collect(),
    };
    ConsumerRecord { subflows: measured.subflows.iter().map(subflow).collect(), ..ConsumerRecord::default() }
}

/// Writes what was measured of a consumer into its records.
fn fill(scenario: &Scenario, icn: &Icn, flow: &mut FlowRecord, consumer: &mut ConsumerRecord, measured: ConsumerReport, own: &Own<'_>) {
    let Own { drops, flow: number } = *own;
    let (total, asked) = measured.total.counters(drops.total[number], measured.stopped_with);
    let (before, asked_before) = measured.at_warmup.counters(drops.at_warmup[number], None);
    (flow.total, flow.steady) = (total, total.since(&before));
    (consumer.total, consumer.steady) = (asked, asked.since(&asked_before));
    for (place, moment) in measured.samples.iter().enumerate() {
        let (flow_sample, consumer_sample) = moment.samples(drops.samples.get(place).map_or(0, |all| all[number]));
        flow.samples.push(flow_sample);
        consumer.samples.push(consumer_sample);
    }
    flow.rtt = Histogram::from(&measured.rtt);
    let plan = &icn.consumers[number];
    let Some(segments) = plan.segments else { return };
    let mut transfers = Transfers::default();
    let counts = plan.start >= Time::ZERO + scenario.warmup;
    transfers.begun = u64::from(counts);
    if let Some(finished) = measured.finished.map(Time::from_nanos) {
        let size = Bytes::new(segments * icn.prefixes[plan.prefix.0].data.get());
        let ideal = Ideal::new(scenario, icn, plan.at, plan.prefix).time(segments);
        let took = finished.since(plan.start.min(finished)).max(Span::from_nanos(1));
        let transfer = Transfer { start: plan.start, size, took, ideal };
        if counts {
            transfers.count(&transfer);
        }
        transfers.list.push(transfer);
        (flow.end, flow.completed) = (Some(finished), true);
    }
    flow.transfers = Some(transfers);
}
