//! What the world writes down: samples on the way, and the record at the end.

use crate::endpoint::Endpoint;
use crate::packet::Packet;
use narrows_measure::{FlowCounters, FlowRecord, FlowSample, LinkCounters, LinkRecord, LinkSample, Record};
use narrows_path::{Limit, Link, LinkChange, RateSource};
use narrows_scenario::{Scenario, What};
use narrows_units::{Bytes, Time};

/// The series and the counts at the end of the warm-up.
#[derive(Default)]
pub(crate) struct Probes {
    flow_samples: Vec<Vec<FlowSample>>,
    link_samples: Vec<Vec<LinkSample>>,
    flows_at_warmup: Vec<FlowCounters>,
    links_at_warmup: Vec<LinkCounters>,
}

impl Probes {
    pub(crate) fn new(scenario: &Scenario) -> Probes {
        let expected = (scenario.duration.as_nanos() / scenario.interval.as_nanos()) as usize;
        Probes {
            flow_samples: scenario.flows.iter().map(|_| Vec::with_capacity(expected)).collect(),
            link_samples: scenario.links.iter().map(|_| Vec::with_capacity(expected)).collect(),
            flows_at_warmup: vec![FlowCounters::default(); scenario.flows.len()],
            links_at_warmup: vec![LinkCounters::default(); scenario.links.len()],
        }
    }

    /// Takes one sample of everything.
    pub(crate) fn sample(&mut self, now: Time, flows: &[Endpoint], links: &mut [Link<Packet>]) {
        for (flow, samples) in flows.iter().zip(&mut self.flow_samples) {
            samples.push(sample_flow(now, flow));
        }
        for (link, samples) in links.iter_mut().zip(&mut self.link_samples) {
            link.settle(now);
            let (queue, queue_packets) = link.waiting();
            let counters = link.counters();
            samples.push(LinkSample {
                at: now,
                queue,
                queue_packets,
                departed_bytes: link.transmitted(now),
                dropped: counters.lost + counters.overflowed + counters.dropped_early,
                marked: counters.marked,
                capacity: link.capacity(now).unwrap_or(Bytes::ZERO),
            });
        }
    }

    /// The warm-up is over: counts from here on are the steady ones.
    pub(crate) fn end_warmup(&mut self, now: Time, flows: &mut [Endpoint], links: &mut [Link<Packet>]) {
        for (flow, counters) in flows.iter_mut().zip(&mut self.flows_at_warmup) {
            *counters = count_flow(flow);
            flow.tally.rtt = Default::default();
            flow.tally.one_way = Default::default();
        }
        for (link, counters) in links.iter_mut().zip(&mut self.links_at_warmup) {
            link.settle(now);
            *counters = count_link(now, link);
            link.forget_delays();
        }
    }

    /// The record of a finished run.
    pub(crate) fn finish(self, scenario: &Scenario, flows: Vec<Endpoint>, mut links: Vec<Link<Packet>>, events: u64) -> Record {
        let end = Time::ZERO + scenario.duration;
        let warmup = Time::ZERO + scenario.warmup;
        for link in &mut links {
            link.settle(end);
        }
        let hops = links.iter().map(|link| link.counters().delivered).sum();
        let flow_records = flows.into_iter().zip(&scenario.flows).zip(self.flow_samples).zip(&self.flows_at_warmup).map(
            |(((flow, plan), samples), before)| {
                let total = count_flow(&flow);
                FlowRecord {
                    name: plan.name.clone(),
                    controller: plan.controller.as_ref().map_or("none".to_owned(), |choice| choice.text().to_owned()),
                    start: plan.start,
                    end: flow.finished_at,
                    completed: flow.completed,
                    transfers: flow.tally.transfers.map(|work| work.done),
                    route: plan.route.iter().map(|id| id.0).collect(),
                    mss: plan.transport.mss,
                    base_rtt: scenario.base_rtt(plan),
                    total,
                    steady: total.since(before),
                    rtt: flow.tally.rtt,
                    one_way: flow.tally.one_way,
                    samples,
                }
            },
        );
        let mut constant = vec![true; links.len()];
        for change in &scenario.changes {
            if let What::Link(link, LinkChange::Rate(_) | LinkChange::Down) = change.what {
                constant[link.0] = false;
            }
        }
        let link_records = links.into_iter().zip(constant).zip(&scenario.links).zip(self.link_samples).zip(&self.links_at_warmup).map(
            |((((link, constant), plan), samples), before)| {
                let total = count_link(end, &link);
                let capacity = |until| link.capacity(until);
                LinkRecord {
                    name: plan.name.clone(),
                    rate: match plan.config.rate {
                        RateSource::Constant(rate) if constant => Some(rate),
                        _ => None,
                    },
                    delay: plan.config.delay,
                    buffer: match plan.config.limit {
                        Limit::Bytes(bytes) => Some(bytes),
                        _ => None,
                    },
                    buffer_packets: match plan.config.limit {
                        Limit::Packets(packets) => Some(packets),
                        _ => None,
                    },
                    total,
                    steady: total.since(before),
                    capacity: capacity(end).zip(capacity(warmup)).map(|(all, before)| all - before),
                    queueing: link.queueing().clone(),
                    left_queued: link.not_departed(),
                    left_in_flight: link.propagating(),
                    samples,
                }
            },
        );
        Record {
            seed: scenario.seed,
            duration: scenario.duration,
            warmup: scenario.warmup,
            interval: scenario.interval,
            flows: flow_records.collect(),
            links: link_records.collect(),
            events,
            hops,
        }
    }
}

fn sample_flow(now: Time, flow: &Endpoint) -> FlowSample {
    if !flow.started {
        return FlowSample { at: now, ..FlowSample::default() };
    }
    let mut sample = FlowSample {
        at: now,
        goodput: flow.goodput(),
        arrived_wire: flow.tally.arrived_wire,
        pacing: flow.pacing(),
        sent: flow.sender_counters().sent,
        dropped: flow.tally.dropped,
        ..FlowSample::default()
    };
    if let Some(sender) = flow.sender() {
        sample.rtt = sender.latest_rtt();
        sample.cwnd = sender.effective_window();
        sample.in_flight = sender.in_flight();
        sender.controller().inspect(&mut |name, value| {
            if name == "ssthresh" && value.is_finite() {
                sample.ssthresh = Some(value);
            }
        });
    }
    sample
}

fn count_flow(flow: &Endpoint) -> FlowCounters {
    let sent = flow.sender_counters();
    let (ect0, ect1, ce) = flow.receiver().map_or((0, 0, 0), |receiver| receiver.ecn_counts());
    FlowCounters {
        sent: sent.sent,
        retransmitted: sent.retransmitted,
        arrived: flow.tally.arrived,
        duplicates: flow.receiver().map_or(0, |receiver| receiver.duplicates()),
        dropped: flow.tally.dropped,
        arrived_wire: flow.tally.arrived_wire,
        goodput: flow.goodput(),
        declared_lost: sent.declared_lost,
        timeouts: sent.timeouts,
        recoveries: sent.recoveries,
        undone: sent.undone,
        ect0: ect0 as u64,
        ect1: ect1 as u64,
        ce: ce as u64,
        acks: flow.tally.acks,
    }
}

/// Counts up to `now`; of a packet in transmission, the bytes that have left.
fn count_link(now: Time, link: &Link<Packet>) -> LinkCounters {
    LinkCounters { departed_bytes: link.transmitted(now), ..*link.counters() }
}
