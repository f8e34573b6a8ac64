//! The records that the world writes down: samples on the way, and the record at the end.

use crate::carried::Carried;
use crate::endpoint::{Endpoint, Ends};
use crate::packet::Net;
use crate::source::{Source, Tally};
use narrows_control::GuestSample;
use narrows_measure::{FlowCounters, FlowRecord, FlowSample, Record};
use narrows_scenario::Scenario;
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
        all.filter(|ends| matches!(ends, Ends::Transport(_) | Ends::Guest(_)))
    }
}

/// The series and the counts at the end of the warm-up.
#[derive(Default)]
pub(crate) struct Probes {
    flow_samples: Vec<Vec<FlowSample>>,
    flows_at_warmup: Vec<FlowCounters>,
}

impl Probes {
    pub(crate) fn new(scenario: &Scenario) -> Probes {
        let expected = scenario.samples();
        Probes {
            flow_samples: scenario.flows.iter().map(|_| Vec::with_capacity(expected)).collect(),
            flows_at_warmup: vec![FlowCounters::default(); scenario.flows.len()],
        }
    }

    /// Takes one sample of every flow.
    pub(crate) fn sample(&mut self, now: Time, flows: Flows) {
        for (flow, samples) in self.flow_samples.iter_mut().enumerate() {
            samples.push(sample_flow(now, flows, flow));
        }
    }

    /// The latest sample of each flow, with the flow's number.
    pub(crate) fn latest(&self) -> impl Iterator<Item = (usize, FlowSample)> {
        self.flow_samples
            .iter()
            .enumerate()
            .filter_map(|(flow, samples)| Some((flow, *samples.last()?)))
    }

    /// The warm-up is over: counts from here on are the steady ones.
    pub(crate) fn end_warmup(&mut self, now: Time, flows: Flows) {
        for (flow, counters) in self.flows_at_warmup.iter_mut().enumerate() {
            *counters = count_flow(now, flows, flow);
        }
    }

    /// The record of a finished run.
    pub(crate) fn finish<C: Carried>(
        self,
        scenario: &Scenario,
        (mut slots, sources, tallies): (Vec<Endpoint>, Vec<Source>, Vec<Tally>),
        network: Net<C>,
        events: u64,
    ) -> Record {
        let flows = Flows { slots: &slots, sources: &sources, tallies: &tallies };
        let end = Time::ZERO + scenario.duration;
        let totals: Vec<FlowCounters> =
            (0..sources.len()).map(|flow| count_flow(end, flows, flow)).collect();
        // A record takes half as much memory as a connection: no flow has both at once.
        slots.iter_mut().for_each(|slot| slot.ends = Ends::None);
        let plans = scenario
            .flow_records()
            .zip(tallies)
            .zip(sources)
            .zip(totals)
            .zip(self.flow_samples)
            .zip(&self.flows_at_warmup);
        let flow_records = plans.enumerate().map(
            |(flow, (((((plan, tally), source), total), samples), before))| {
                let application = source.application;
                FlowRecord {
                    end: application.finished_at(),
                    completed: application.completed(),
                    transfers: application.into_transfers(end, &slots[flow].ledger),
                    total,
                    steady: total.since(before),
                    rtt: tally.rtt,
                    one_way: tally.one_way,
                    samples,
                    ..plan
                }
            },
        );
        let flow_records = flow_records.collect();
        let events = events + network.events();
        scenario
            .record()
            .flows(flow_records)
            .links(network.finish(end, scenario.link_plans()))
            .events(events)
            .finish()
    }
}

fn sample_flow(now: Time, flows: Flows, flow: usize) -> FlowSample {
    let source = &flows.sources[flow];
    let tally = &flows.tallies[flow];
    if !source.application.started() {
        return FlowSample { at: now, ..FlowSample::default() };
    }
    let counted = count_flow(now, flows, flow);
    let mut sample = FlowSample {
        at: now,
        goodput: counted.goodput,
        arrived_wire: tally.arrived_wire,
        sent: counted.sent,
        dropped: tally.dropped,
        ..FlowSample::default()
    };
    for ends in flows.connections(flow) {
        sample.in_flight += match ends {
            Ends::Transport(ends) => ends.0.in_flight(),
            Ends::Guest(hosted) => hosted.sample().in_flight,
            Ends::Datagrams(_) | Ends::None => continue,
        };
        sample.connections += 1;
    }
    if let Ends::Guest(hosted) = &flows.slots[flow].ends {
        let GuestSample { window, ssthresh, pacing, .. } = hosted.sample();
        sample.rtt = hosted.rtt();
        sample.cwnd = window;
        sample.ssthresh = ssthresh;
        sample.pacing = pacing;
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

pub(crate) fn count_flow(now: Time, flows: Flows, flow: usize) -> FlowCounters {
    let tally = &flows.tallies[flow];
    let mut counters = tally.gone.as_deref().copied().unwrap_or_default();
    for ends in flows.connections(flow) {
        ends.add_to(now, &mut counters);
    }
    counters.sent += tally.datagrams_sent;
    counters.goodput += tally.datagram_goodput;
    counters.late_goodput =
        tally.stopped_with.map_or(Bytes::ZERO, |before| counters.goodput - before);
    counters.arrived = tally.arrived;
    counters.dropped = tally.dropped;
    counters.arrived_wire = tally.arrived_wire;
    counters.acks = tally.acks;
    counters.syns = tally.syns;
    counters.dropped_handshakes = tally.dropped_handshakes;
    counters
}
