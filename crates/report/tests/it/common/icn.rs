//! Two consumers of an information-centric network, with numbers to check by hand: "first" has 8 +
//! 2 Mbit/s over two paths, three to one, and from 10 s on 5 Mbit/s; "second" begins there, has 4
//! Mbit/s, and each tenth of its Interests is refused in its first second.

use super::{empty_link, flow};
use narrows_measure::{
    ConsumerCounters, ConsumerRecord, ConsumerSample, FlowCounters, FlowRecord, FlowSample,
    IcnRecord, InterestCounters, LinkSample, RatesRecord, RatesSample, Record, SubflowRecord,
    SubflowSample,
};
use narrows_report::{Case, Comparison};
use narrows_units::{Bytes, Rate, Span, Time};

const INTERVAL: Span = Span::from_millis(100);
const SAMPLES: u64 = 200;
const WARM: u64 = 50;

pub fn comparison() -> Comparison {
    let toml = "[icn]\nlaw = \"mircc\"\n".to_owned();
    let mut made = Comparison::new(
        "pair",
        vec![Case { label: "pair".to_owned(), scenario_toml: toml, runs: vec![record()] }],
        "narrows run",
    );
    made.version = "0.1.0".to_owned();
    made
}

pub fn record() -> Record {
    let mut link = empty_link(true, 0.0);
    (link.rate, link.buffer, link.capacity) = (
        Some(Rate::from_mbps(12)),
        None,
        Some(Rate::from_mbps(12).bytes_in(INTERVAL * (SAMPLES - WARM))),
    );
    let [first, second] = [consumer(0), consumer(1)];
    let mut rates = RatesRecord {
        total: InterestCounters {
            sent: 20_000,
            refused_primary: 50,
            refused_secondary: 7,
            evicted: 3,
        },
        steady: InterestCounters {
            sent: 15_000,
            refused_primary: 50,
            refused_secondary: 5,
            evicted: 2,
        },
        samples: vec![],
    };
    for number in 1..=SAMPLES {
        let at = Time::ZERO + INTERVAL * number;
        let (primary, secondary) = if number <= 100 { (8, 2) } else { (5, 0) };
        let queue = if (101..=110).contains(&number) { 3 } else { 0 };
        rates.samples.push(RatesSample {
            at,
            primary: Rate::from_mbps(primary),
            secondary: Rate::from_mbps(secondary),
            queue,
        });
        let departed_bytes = Rate::from_mbps(10).bytes_in(INTERVAL * number);
        let capacity = Rate::from_mbps(12).bytes_in(INTERVAL * number);
        link.samples.push(LinkSample { at, departed_bytes, capacity, ..LinkSample::default() });
    }
    link.total.departed_bytes = Rate::from_mbps(10).bytes_in(INTERVAL * SAMPLES);
    link.steady.departed_bytes = Rate::from_mbps(10).bytes_in(INTERVAL * (SAMPLES - WARM));
    let flows =
        vec![asking("first", "mircc", 0.0, &first), asking("second", "mircc", 10.0, &second)];
    let icn = IcnRecord {
        law: Some("mircc?eta=0.9".to_owned()),
        rates: vec![rates],
        consumers: vec![first, second],
        pending: 41,
        expired: 2,
        cached: 6,
    };
    Record {
        seed: 1,
        duration: INTERVAL * SAMPLES,
        warmup: INTERVAL * WARM,
        part: None,
        interval: INTERVAL,
        flows,
        links: vec![link],
        changes: vec![],
        events: 1000,
        hops: 900,
        icn: Some(Box::new(icn)),
        emulation: None,
    }
}

fn consumer(which: usize) -> ConsumerRecord {
    let mut record = ConsumerRecord::default();
    let path = |path| SubflowRecord { path, samples: vec![] };
    record.subflows =
        if which == 0 { vec![path(0x1d), path(i64::MAX as u64)] } else { vec![path(0x1d)] };
    let mut counters = ConsumerCounters::default();
    for number in 1..=SAMPLES {
        let at = Time::ZERO + INTERVAL * number;
        let (primary, secondary, nacks) = match (which, number) {
            (0, ..=100) => (8, 2, 0),
            (0, _) => (5, 0, 0),
            (_, ..=100) => (0, 0, 0),
            (_, ..=110) => (4, 0, 5),
            _ => (4, 0, 0),
        };
        let (primary_rate, secondary_rate) = (Rate::from_mbps(primary), Rate::from_mbps(secondary));
        counters.primary += primary_rate.bytes_in(INTERVAL);
        counters.secondary += secondary_rate.bytes_in(INTERVAL);
        counters.nacks += nacks;
        counters.interests += primary_rate.bytes_in(INTERVAL).get() / 1000
            + secondary_rate.bytes_in(INTERVAL).get() / 1000;
        record.samples.push(ConsumerSample { at, primary_rate, secondary_rate, counters });
        let all = counters.primary.get();
        let parts = if which == 0 { vec![all - all / 4, all / 4] } else { vec![all] };
        for (subflow, part) in record.subflows.iter_mut().zip(parts).filter(|_| all > 0) {
            let secondary =
                if part == all { Bytes::ZERO } else { Bytes::new(counters.secondary.get() / 2) };
            subflow.samples.push(SubflowSample {
                at,
                primary: Bytes::new(part),
                secondary,
                primary_rate,
                secondary_rate,
            });
        }
    }
    record.total = counters;
    record.steady = counters.since(&record.samples[WARM as usize - 1].counters);
    record
}

fn asking(name: &str, by: &str, start: f64, consumer: &ConsumerRecord) -> FlowRecord {
    let mut flow = flow(by, 0, start);
    flow.name = name.to_owned();
    flow.mss = Bytes::new(1000);
    let goodput = |counters: &ConsumerCounters| FlowCounters {
        sent: counters.interests,
        arrived_wire: counters.primary + counters.secondary,
        goodput: counters.primary + counters.secondary,
        ..FlowCounters::default()
    };
    (flow.total, flow.steady) = (goodput(&consumer.total), goodput(&consumer.steady));
    for sample in &consumer.samples {
        let FlowCounters { sent, arrived_wire, goodput, .. } = goodput(&sample.counters);
        let on = sample.at > flow.start;
        let rtt = on.then_some(Span::from_millis(42));
        rtt.into_iter().for_each(|rtt| flow.rtt.record(rtt));
        let pacing = Some(sample.primary_rate).filter(|rate| !rate.is_zero());
        flow.samples.push(FlowSample {
            at: sample.at,
            sent,
            arrived_wire,
            goodput,
            rtt,
            pacing,
            connections: on.into(),
            ..FlowSample::default()
        });
    }
    flow
}
