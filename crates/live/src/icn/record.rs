//! Builds the record of a run from the measurements of its nodes and of the emulator.

use super::asked::Asked;
use super::egress::Drops;
use super::messages::{ConsumerReport, FaceReport, NodeReport};
use super::plan::PlannedNode;
use crate::emulator::Emulated;
use narrows_measure::{
    ConsumerRecord, Emulation, FlowRecord, Histogram, IcnRecord, RatesRecord, Record,
    SubflowRecord, SubflowSample, Transfer, Transfers,
};
use narrows_scenario::{Icn, Ideal, NodeId, PrefixId, Scenario};
use narrows_traffic::LISTED;
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::BTreeMap;

/// Builds the record. `reports` has the report and the plan of each node.
pub fn record(
    scenario: &Scenario,
    icn: &Icn,
    asked: &Asked,
    emulated: Emulated<Drops>,
    reports: Vec<(NodeReport, PlannedNode)>,
    emulation: Emulation,
) -> Record {
    let mut flows = icn.flow_records(scenario);
    let mut consumers = vec![ConsumerRecord::default(); flows.len()];
    let mut rates = vec![RatesRecord::default(); scenario.links.len()];
    let (mut pending, mut expired, mut cached) = (0, 0, 0);
    let mut came = Came { scenario, icn, ideals: BTreeMap::new(), listable: LISTED };
    for (node, (report, PlannedNode { consumers: own, requests: processes, .. })) in
        reports.into_iter().enumerate()
    {
        let faces = icn.faces.iter().filter(|face| face.node == NodeId(node));
        faces
            .zip(&report.faces)
            .for_each(|(face, measured)| rates[face.coming.0] = rates_record(measured));
        for (flow, measured) in own.into_iter().zip(report.consumers) {
            consumers[flow] = consumer_record(&measured);
            fill(
                &mut flows[flow],
                &mut consumers[flow],
                &measured,
                &Own { drops: &emulated.flows, flow },
            );
            let plan = &icn.consumers[flow];
            let Some(segments) = plan.segments else { continue };
            let finished = measured.finished.map(Time::from_nanos);
            flows[flow].transfers = Some(came.transfers([Content {
                at: plan.at,
                prefix: plan.prefix,
                segments,
                start: plan.start,
                finished,
            }]));
            (flows[flow].end, flows[flow].completed) =
                (finished.or(flows[flow].end), finished.is_some());
        }
        for (flow, measured) in processes.into_iter().zip(report.requests) {
            consumers[flow].many = true;
            fill(
                &mut flows[flow],
                &mut consumers[flow],
                &measured.together,
                &Own { drops: &emulated.flows, flow },
            );
            let finished = measured.finished.into_iter().map(|at| at.map(Time::from_nanos));
            flows[flow].transfers = Some(came.transfers(asked.of_flow(flow).zip(finished).map(
                |(request, finished)| Content {
                    at: NodeId(node),
                    prefix: request.content.prefix,
                    segments: request.segments,
                    start: request.at,
                    finished,
                },
            )));
        }
        pending += report.pending;
        expired += report.expired;
        cached += report.cached;
    }
    let law = icn.law.as_ref().map(|law| law.text().to_owned());
    let record = IcnRecord { law, rates, consumers, pending, expired, cached };
    scenario
        .record()
        .flows(flows)
        .links(emulated.links)
        .events(emulated.stats.packets)
        .icn(record)
        .emulation(emulation)
        .finish()
}

/// The drops of one flow.
struct Own<'a> {
    drops: &'a Drops,
    flow: usize,
}

fn rates_record(measured: &FaceReport) -> RatesRecord {
    let total = measured.total.counters();
    RatesRecord {
        total,
        steady: total.since(&measured.at_warmup.counters()),
        samples: measured.samples(),
    }
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
    ConsumerRecord {
        subflows: measured.subflows.iter().map(subflow).collect(),
        ..ConsumerRecord::default()
    }
}

/// Writes the measurements of a consumer, or of several together, into its records.
fn fill(
    flow: &mut FlowRecord,
    consumer: &mut ConsumerRecord,
    measured: &ConsumerReport,
    own: &Own<'_>,
) {
    let Own { drops, flow: number } = *own;
    let (total, asked) = measured.total.counters(drops.total[number], measured.stopped_with);
    let (before, asked_before) = measured.at_warmup.counters(drops.at_warmup[number], None);
    (flow.total, flow.steady) = (total, total.since(&before));
    (consumer.total, consumer.steady) = (asked, asked.since(&asked_before));
    for (place, moment) in measured.samples.iter().enumerate() {
        let (flow_sample, consumer_sample) =
            moment.samples(drops.samples.get(place).map_or(0, |all| all[number]));
        flow.samples.push(flow_sample);
        consumer.samples.push(consumer_sample);
    }
    flow.rtt = Histogram::from(&measured.rtt);
}

/// A requested content, with the time of its completion.
struct Content {
    at: NodeId,
    prefix: PrefixId,
    segments: u64,
    start: Time,
    finished: Option<Time>,
}

/// Counts completed contents.
struct Came<'a> {
    scenario: &'a Scenario,
    icn: &'a Icn,
    /// Ideal times of the paths of completed contents.
    ideals: BTreeMap<(NodeId, PrefixId), Ideal>,
    /// Number of transfers that can still be listed.
    listable: u64,
}

impl Came<'_> {
    fn transfers(&mut self, contents: impl IntoIterator<Item = Content>) -> Transfers {
        let mut transfers = Transfers::default();
        let warmup = Time::ZERO + self.scenario.warmup;
        let mut finished: Vec<(Time, Content)> = Vec::new();
        for content in contents {
            transfers.begun += u64::from(content.start >= warmup);
            finished.extend(content.finished.map(|at| (at, content)));
        }
        finished.sort_by_key(|(at, _)| *at);
        for (at, Content { at: node, prefix, segments, start, .. }) in finished {
            let ideal = self
                .ideals
                .entry((node, prefix))
                .or_insert_with(|| Ideal::new(self.scenario, self.icn, node, prefix));
            let size = Bytes::new(segments * self.icn.prefixes[prefix.0].data.get());
            let took = at.since(start.min(at)).max(Span::from_nanos(1));
            let transfer = Transfer { start, size, took, ideal: ideal.time(segments) };
            if start >= warmup {
                transfers.count(&transfer);
            }
            if self.listable > 0 {
                self.listable -= 1;
                transfers.list.push(transfer);
            }
        }
        transfers
    }
}
