//! What the world writes down: samples on the way, and the record at the end.

use crate::carried::Carried;
use crate::endpoint::{Endpoint, Ends};
use crate::packet::Packet;
use crate::source::{Source, Tally};
use narrows_measure::{FlowCounters, FlowRecord, FlowSample, Record};
use narrows_path::{Link, LinkProbe};
use narrows_scenario::{LinkId, Scenario};
use narrows_units::{Bytes, Time};

/// The flows as they are.
#[derive(Clone, Copy)]
pub(crate) struct Flows<'a> {
    pub(crate) slots: &'a [Endpoint],
    pub(crate) sources: &'a [Source],
    pub(crate) tallies: &'a [Tally],
}

impl Flows<'_> {
    /// The connections that a flow has now.
    fn connections(&self, flow: usize) -> impl Iterator<Item = &Ends> {
        let others = self.sources[flow].connections.iter().map(|slot| *slot as usize);
        let all = std::iter::once(flow).chain(others).map(|slot| &self.slots[slot].ends);
        all.filter(|ends| matches!(ends, Ends::Transport(_)))
    }
}

/// The series and the counts at the end of the warm-up.
#[derive(Default)]
pub(crate) struct Probes {
    flow_samples: Vec<Vec<FlowSample>>,
    links: Vec<LinkProbe>,
    flows_at_warmup: Vec<FlowCounters>,
}

impl Probes {
    pub(crate) fn new(scenario: &Scenario) -> Probes {
        let expected = (scenario.duration.as_nanos() / scenario.interval.as_nanos()) as usize;
        Probes {
            flow_samples: scenario.flows.iter().map(|_| Vec::with_capacity(expected)).collect(),
            links: scenario.links.iter().map(|_| LinkProbe::new(expected)).collect(),
            flows_at_warmup: vec![FlowCounters::default(); scenario.flows.len()],
        }
    }

    /// Takes one sample of everything.
    pub(crate) fn sample<C: Carried>(&mut self, now: Time, flows: Flows, links: &mut [Link<Packet<C>>]) {
        for (flow, samples) in self.flow_samples.iter_mut().enumerate() {
            samples.push(sample_flow(now, flows, flow));
        }
        for (link, probe) in links.iter_mut().zip(&mut self.links) {
            probe.sample(now, link);
        }
    }

    /// The warm-up is over: counts from here on are the steady ones.
    pub(crate) fn end_warmup<C: Carried>(&mut self, now: Time, flows: Flows, links: &mut [Link<Packet<C>>]) {
        for (flow, counters) in self.flows_at_warmup.iter_mut().enumerate() {
            *counters = count_flow(flows, flow);
        }
        for (link, probe) in links.iter_mut().zip(&mut self.links) {
            probe.end_warmup(now, link);
        }
    }

    /// The record of a finished run.
    pub(crate) fn finish<C: Carried>(
        self,
        scenario: &Scenario,
        (slots, sources, tallies): (Vec<Endpoint>, Vec<Source>, Vec<Tally>),
        mut links: Vec<Link<Packet<C>>>,
        events: u64,
    ) -> Record {
        let flows = Flows { slots: &slots, sources: &sources, tallies: &tallies };
        let totals: Vec<FlowCounters> = (0..sources.len()).map(|flow| count_flow(flows, flow)).collect();
        let end = Time::ZERO + scenario.duration;
        let hops = links.iter().map(|link| link.counters().delivered).sum();
        let parts =
            scenario.flows.iter().zip(tallies).zip(sources).zip(totals).zip(self.flow_samples).zip(&self.flows_at_warmup).enumerate();
        let flow_records = parts.map(|(flow, (((((plan, tally), source), total), samples), before))| {
            let application = source.application;
            FlowRecord {
                name: plan.name.clone(),
                controller: plan.controller.as_ref().map_or("none".to_owned(), |choice| choice.text().to_owned()),
                start: plan.start,
                end: application.finished_at(),
                completed: application.completed(),
                transfers: application.into_transfers(end, &slots[flow].ledger),
                route: plan.route.iter().map(|id| id.0).collect(),
                mss: plan.transport.mss,
                base_rtt: scenario.base_rtt(plan),
                total,
                steady: total.since(before),
                rtt: tally.rtt,
                one_way: tally.one_way,
                samples,
            }
        });
        let ends = links.iter_mut().zip(self.links).zip(&scenario.links).enumerate();
        let link_records = ends
            .map(|(index, ((link, probe), plan))| probe.finish(end, link, &plan.name, &plan.config, scenario.keeps_rate(LinkId(index))));
        Record {
            seed: scenario.seed,
            duration: scenario.duration,
            warmup: scenario.warmup,
            part: None,
            interval: scenario.interval,
            flows: flow_records.collect(),
            links: link_records.collect(),
            changes: scenario.recorded_changes(),
            events,
            hops,
            icn: None,
            emulation: None,
        }
    }
}

fn sample_flow(now: Time, flows: Flows, flow: usize) -> FlowSample {
    let (source, tally) = (&flows.sources[flow], &flows.tallies[flow]);
    if !source.application.started() {
        return FlowSample { at: now, ..FlowSample::default() };
    }
    let counted = count_flow(flows, flow);
    let mut sample = FlowSample {
        at: now,
        goodput: counted.goodput,
        arrived_wire: tally.arrived_wire,
        sent: counted.sent,
        dropped: tally.dropped,
        ..FlowSample::default()
    };
    for ends in flows.connections(flow) {
        let Ends::Transport(ends) = ends else { continue };
        sample.in_flight += ends.0.in_flight();
        sample.connections += 1;
    }
    if let Ends::Transport(ends) = &flows.slots[flow].ends {
        let sender = &ends.0;
        sample.rtt = sender.latest_rtt();
        sample.cwnd = sender.effective_window();
        sample.pacing = sender.pacing();
        sender.controller().inspect(&mut |name, value| {
            if name == "ssthresh" && value.is_finite() {
                sample.ssthresh = Some(value);
            }
        });
    }
    sample
}

pub(crate) fn count_flow(flows: Flows, flow: usize) -> FlowCounters {
    let tally = &flows.tallies[flow];
    let mut counters = tally.gone;
    for ends in flows.connections(flow) {
        ends.add_to(&mut counters);
    }
    counters.sent += tally.datagrams_sent;
    counters.goodput += tally.datagram_goodput;
    counters.late_goodput = tally.stopped_with.map_or(Bytes::ZERO, |before| counters.goodput - before);
    counters.arrived = tally.arrived;
    counters.dropped = tally.dropped;
    counters.arrived_wire = tally.arrived_wire;
    counters.acks = tally.acks;
    counters
}
