//! Small records with round numbers: 30 s of which 20 are steady, sampled every 100 ms.

use crate::{
    FlowCounters, FlowRecord, FlowSample, Histogram, LinkCounters, LinkNature, LinkRecord,
    LinkSample, Record,
};
use narrows_units::{Bytes, Rate, Span, Time};

const SAMPLES: u64 = 300;
const INTERVAL: Span = Span::from_millis(100);

pub(crate) fn record(flows: Vec<FlowRecord>, links: Vec<LinkRecord>) -> Record {
    Record {
        seed: 1,
        duration: Span::from_secs(30),
        warmup: Span::from_secs(10),
        part: None,
        interval: INTERVAL,
        flows,
        links,
        changes: vec![],
        events: 0,
        hops: 0,
        icn: None,
        emulation: None,
    }
}

pub(crate) fn flow(name: &str) -> FlowRecord {
    FlowRecord {
        name: name.to_owned(),
        controller: "newreno".to_owned(),
        start: Time::ZERO,
        end: None,
        completed: false,
        transfers: None,
        route: vec![],
        later_routes: vec![],
        multipath: false,
        mss: Bytes::new(1448),
        base_rtt: Span::from_millis(30),
        total: FlowCounters::default(),
        steady: FlowCounters::default(),
        rtt: Histogram::new(),
        one_way: Histogram::new(),
        samples: vec![],
    }
}

/// A flow that sends at `mbps` of the time in seconds.
pub(crate) fn sending(name: &str, mbps: impl Fn(f64) -> f64) -> FlowRecord {
    let mut flow = flow(name);
    let mut sum = Bytes::ZERO;
    for i in 0..SAMPLES {
        let at = Time::ZERO + INTERVAL * i;
        sum += Bytes::new((mbps(at.as_secs_f64()) * 12_500.0) as u64);
        flow.samples.push(FlowSample {
            at: at + INTERVAL,
            goodput: sum,
            arrived_wire: sum,
            ..FlowSample::default()
        });
    }
    flow
}

pub(crate) fn link(name: &str, mbps: u64) -> LinkRecord {
    let rate = Rate::from_mbps(mbps);
    let sample = |i| LinkSample {
        at: Time::ZERO + INTERVAL * i,
        capacity: rate.bytes_in(INTERVAL * i),
        ..LinkSample::default()
    };
    LinkRecord {
        name: name.to_owned(),
        rate: Some(rate),
        delay: Span::from_millis(15),
        buffer: None,
        buffer_packets: None,
        nature: LinkNature::default(),
        total: LinkCounters::default(),
        steady: LinkCounters::default(),
        capacity: Some(rate.bytes_in(Span::from_secs(20))),
        queueing: Histogram::new(),
        samples: (1..=SAMPLES).map(sample).collect(),
        left_queued: 0,
        left_in_flight: 0,
    }
}
