//! What the fluid writes down.

use narrows_measure::{FlowCounters, FlowRecord, FlowSample, Histogram, LinkCounters, LinkNature, LinkRecord, LinkSample, Record};
use narrows_path::RateSource;
use narrows_scenario::{Flow, LinkId, Scenario};
use narrows_units::{Bytes, Span, Time};

/// A source at a sample; amounts in packets since the run began.
pub(super) struct Flowing {
    pub(super) window: f64,
    pub(super) sent: f64,
    pub(super) arrived: f64,
    pub(super) in_flight: f64,
    /// The round trip of what is acknowledged now.
    pub(super) rtt: Option<Span>,
    pub(super) runs: bool,
}

/// The link at a sample; amounts in packets.
pub(super) struct Serving {
    pub(super) queue: f64,
    pub(super) departed: f64,
    /// How long what leaves now has waited.
    pub(super) waited: Span,
}

/// The series so far.
pub(super) struct Probes {
    packet: Bytes,
    bottleneck: LinkId,
    flows: Vec<Vec<FlowSample>>,
    link: Vec<LinkSample>,
    rtts: Vec<Histogram>,
    waits: Histogram,
    warmup: Time,
    rate: RateSource,
}

/// A count of packets in bytes of `each`.
fn bytes(packets: f64, each: Bytes) -> Bytes {
    Bytes::new(libm::round(packets * each.get() as f64) as u64)
}

impl Probes {
    pub(super) fn new(scenario: &Scenario, bottleneck: LinkId, packet: Bytes) -> Probes {
        let count = scenario.flows.len();
        Probes {
            packet,
            bottleneck,
            flows: vec![Vec::new(); count],
            link: Vec::new(),
            rtts: vec![Histogram::new(); count],
            waits: Histogram::new(),
            warmup: Time::ZERO + scenario.warmup,
            rate: scenario.links[bottleneck.0].config.rate.clone(),
        }
    }

    /// Takes a sample of everything.
    pub(super) fn sample(&mut self, at: Time, scenario: &Scenario, flows: impl Iterator<Item = Flowing>, link: &Serving) {
        let steady = at > self.warmup;
        for (flow, (plan, now)) in scenario.flows.iter().zip(flows).enumerate() {
            if let Some(rtt) = now.rtt.filter(|_| steady && now.runs) {
                self.rtts[flow].record(rtt);
            }
            self.flows[flow].push(FlowSample {
                at,
                goodput: bytes(now.arrived, plan.transport.mss),
                arrived_wire: bytes(now.arrived, self.packet),
                rtt: now.rtt,
                cwnd: now.window,
                in_flight: libm::round(now.in_flight) as u32,
                connections: now.runs as u32,
                sent: now.sent as u64,
                ..FlowSample::default()
            });
        }
        if steady {
            self.waits.record(link.waited);
        }
        self.link.push(LinkSample {
            at,
            queue: bytes(link.queue, self.packet),
            queue_packets: libm::round(link.queue) as u64,
            departed_bytes: bytes(link.departed, self.packet),
            capacity: self.rate.capacity(at).unwrap_or(Bytes::ZERO),
            ..LinkSample::default()
        });
    }

    /// The record of the run. `in_time`: packets of each flow that had arrived when it ended.
    pub(super) fn finish(self, scenario: &Scenario, in_time: Vec<f64>, steps: u64) -> Record {
        let Probes { packet, bottleneck, flows, link, rtts, waits, warmup, .. } = self;
        let parts = scenario.flows.iter().zip(flows).zip(rtts).zip(in_time);
        let flows = parts.map(|(((plan, samples), rtt), in_time)| of_flow(scenario, plan, (samples, in_time), rtt, packet, warmup));
        let idle = |index: usize| {
            let config = &scenario.links[index].config;
            LinkRecord {
                name: scenario.links[index].name.clone(),
                rate: match config.rate {
                    RateSource::Constant(rate) => Some(rate),
                    _ => None,
                },
                delay: config.delay,
                buffer: None,
                buffer_packets: None,
                nature: LinkNature::default(),
                total: LinkCounters::default(),
                steady: LinkCounters::default(),
                capacity: None,
                queueing: Histogram::new(),
                samples: Vec::new(),
                left_queued: 0,
                left_in_flight: 0,
            }
        };
        let mut links: Vec<LinkRecord> = (0..scenario.links.len()).map(idle).collect();
        let own = &mut links[bottleneck.0];
        let count = |sample: &LinkSample| LinkCounters {
            departed: sample.departed_bytes.get() / packet.get(),
            departed_bytes: sample.departed_bytes,
            ..LinkCounters::default()
        };
        let (then, now) = (standing(&link, |sample| sample.at <= warmup), link.last().copied().unwrap_or_default());
        own.total = count(&now);
        own.steady = count(&now).since(&count(&then));
        own.capacity = Some(now.capacity - then.capacity);
        own.queueing = waits;
        own.left_queued = now.queue_packets;
        own.samples = link;
        Record {
            seed: scenario.seed,
            duration: scenario.duration,
            warmup: scenario.warmup,
            part: None,
            interval: scenario.interval,
            flows: flows.collect(),
            links,
            changes: Vec::new(),
            events: steps,
            hops: 0,
            icn: None,
            emulation: None,
        }
    }
}

/// The latest sample of which `before` holds, or that of the beginning.
fn standing<T: Copy + Default>(samples: &[T], before: impl Fn(&T) -> bool) -> T {
    samples[..samples.partition_point(before)].last().copied().unwrap_or_default()
}

fn of_flow(
    scenario: &Scenario,
    plan: &Flow,
    (samples, in_time): (Vec<FlowSample>, f64),
    rtt: Histogram,
    packet: Bytes,
    warmup: Time,
) -> FlowRecord {
    let in_time = bytes(in_time, plan.transport.mss);
    let count = |sample: &FlowSample| FlowCounters {
        sent: sample.sent,
        arrived: sample.arrived_wire.get() / packet.get(),
        arrived_wire: sample.arrived_wire,
        goodput: sample.goodput,
        late_goodput: sample.goodput.saturating_sub(in_time),
        ..FlowCounters::default()
    };
    let total = count(&samples.last().copied().unwrap_or_default());
    FlowRecord {
        name: plan.name.clone(),
        controller: plan.controller.as_ref().map_or("none".to_owned(), |choice| choice.text().to_owned()),
        start: plan.start,
        end: plan.stop,
        completed: false,
        transfers: None,
        route: plan.route.iter().map(|id| id.0).collect(),
        mss: plan.transport.mss,
        base_rtt: scenario.base_rtt(plan),
        total,
        steady: total.since(&count(&standing(&samples, |sample| sample.at <= warmup))),
        rtt,
        one_way: Histogram::new(),
        samples,
    }
}
