//! Measurements made up by a fluid model: a saw-tooth, a cubic curve and a rate prober share a
//! bottleneck. Plausible to look at, known to be no simulation.

#![allow(dead_code)]

pub mod icn;

use narrows_measure::{
    FlowCounters, FlowRecord, FlowSample, Histogram, LinkCounters, LinkNature, LinkRecord,
    LinkSample, Record,
};
use narrows_report::{Case, Comparison};
use narrows_units::{Bytes, Random, Rate, Span, Time};

const STEP: Span = Span::from_millis(5);
const INTERVAL: Span = Span::from_millis(50);
const DURATION: Span = Span::from_secs(60);
const WARMUP: Span = Span::from_secs(10);
const BASE_RTT: Span = Span::from_millis(40);
const WIRE: f64 = 1514.0;
const MSS: f64 = 1448.0;

#[derive(Clone, Copy, PartialEq)]
pub enum WindowShape {
    Saw,
    Cubic,
    Prober,
}

/// Three controllers, three seeds, 50 Mbit/s, two flows.
pub fn three_by_three() -> Comparison {
    comparison("Two flows through one bottleneck", &[1, 2, 3], 2, None)
}

/// One controller, one seed.
pub fn single() -> Comparison {
    let mut one = comparison("One run of newreno", &[7], 2, None);
    one.cases.truncate(1);
    one
}

/// Over a varying link.
pub fn varying() -> Comparison {
    comparison(
        "One flow over a cellular trace",
        &[1],
        1,
        Some(|t: f64| 30.0 + 18.0 * libm::sin(t / 3.0) + 9.0 * libm::sin(t * 1.7)),
    )
}

pub fn comparison(
    title: &str,
    seeds: &[u64],
    flows: usize,
    trace: Option<fn(f64) -> f64>,
) -> Comparison {
    let kinds = [
        ("newreno", WindowShape::Saw),
        ("cubic", WindowShape::Cubic),
        ("bbr", WindowShape::Prober),
    ];
    let case = |(label, kind): &(&str, WindowShape)| Case {
        label: (*label).to_owned(),
        scenario_toml: format!(
            "[link]\nrate = \"50 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"\n\n[[flow]]\ncontroller = \"{label}\"\ncount = {flows}\n"
        ),
        runs: seeds.iter().map(|seed| record(label, *kind, *seed, flows, trace)).collect(),
    };
    let mut made = Comparison::new(
        title,
        kinds.iter().map(case).collect(),
        "narrows compare two-flows.toml --controllers newreno,cubic,bbr --seeds 3",
    );
    made.notes.push(
        "Hosts delay each packet by a random time of up to one bottleneck packet time.".to_owned(),
    );
    made.version = "0.1.0".to_owned();
    made
}

struct Sender {
    start: f64,
    window: f64,
    ssthresh: f64,
    at_loss: f64,
    lost_at: f64,
    share: f64,
    pacing: Option<Rate>,
    arrived: f64,
}

pub fn record(
    label: &str,
    kind: WindowShape,
    seed: u64,
    flows: usize,
    trace: Option<fn(f64) -> f64>,
) -> Record {
    let mut random = Random::stream(seed, label);
    let jitter = 0.9 + 0.2 * random.uniform();
    let buffer = 250_000.0;
    let base = BASE_RTT.as_secs_f64();
    let mut senders: Vec<Sender> = (0..flows)
        .map(|i| Sender {
            start: i as f64 * 8.0,
            window: 10.0,
            ssthresh: 1e9,
            at_loss: 0.0,
            lost_at: 0.0,
            share: 0.0,
            pacing: None,
            arrived: 0.0,
        })
        .collect();
    let mut out: Vec<FlowRecord> = (0..flows).map(|i| flow(label, i, senders[i].start)).collect();
    let mut link = empty_link(trace.is_none(), buffer);
    let (mut queue, mut departed, mut offered, mut overflow) = (0.0f64, 0.0f64, 0.0f64, 0u64);
    let (steps, per_sample) =
        (DURATION.as_nanos() / STEP.as_nanos(), INTERVAL.as_nanos() / STEP.as_nanos());
    for step in 0..steps {
        let now = STEP.as_secs_f64() * step as f64;
        let at = Time::ZERO + STEP * (step + 1);
        let steady = at > Time::ZERO + WARMUP;
        let capacity = trace.map_or(50.0, |rate| rate(now)) * 125_000.0;
        let active = senders.iter().filter(|s| now >= s.start).count() as f64;
        for sender in senders.iter_mut().filter(|s| now >= s.start) {
            grow(sender, kind, now, capacity, active, base + queue / capacity, jitter);
        }
        let window: f64 = senders.iter().filter(|s| now >= s.start).map(|s| s.window * WIRE).sum();
        queue = (window - capacity * base).max(0.0);
        let dt = STEP.as_secs_f64();
        let sent = (window / (base + queue / capacity)).min(capacity) * dt;
        let mut dropped = 0;
        if queue > buffer {
            queue = buffer;
            let mut hit = false;
            for (i, sender) in senders.iter_mut().enumerate().filter(|(_, s)| now >= s.start) {
                if kind != WindowShape::Prober
                    && now - sender.lost_at > 0.15
                    && (!hit || random.chance(0.5))
                {
                    hit = true;
                    (sender.at_loss, sender.lost_at) = (sender.window, now);
                    sender.window *= if kind == WindowShape::Saw { 0.5 } else { 0.7 };
                    sender.ssthresh = sender.window;
                    let lost = 3 + random.below(9);
                    dropped += lost;
                    for counters in counters(&mut out[i], steady) {
                        counters.dropped += lost;
                        counters.retransmitted += lost;
                        counters.declared_lost += lost;
                        counters.recoveries += 1;
                    }
                }
            }
        }
        overflow += dropped;
        departed += sent;
        offered += capacity * dt;
        let delay = queue / capacity;
        for (i, sender) in senders.iter_mut().enumerate().filter(|(_, s)| now >= s.start) {
            let bytes = sent * sender.window * WIRE / window;
            sender.arrived += bytes;
            let packets = (bytes / WIRE) as u64;
            for counters in counters(&mut out[i], steady) {
                counters.sent += packets;
                counters.arrived += packets;
                counters.arrived_wire += Bytes::new(bytes as u64);
                counters.goodput += Bytes::new((bytes * MSS / WIRE) as u64);
                counters.acks += packets / 2;
            }
            if steady {
                out[i].rtt.record(Span::from_secs_f64(base + delay + 0.0006 * random.uniform()));
                out[i]
                    .one_way
                    .record(Span::from_secs_f64(base / 2.0 + delay + 0.0003 * random.uniform()));
            }
        }
        if steady {
            link.queueing.record(Span::from_secs_f64(delay));
        }
        for counters in
            [Some(&mut link.total), steady.then_some(&mut link.steady)].into_iter().flatten()
        {
            counters.departed_bytes += Bytes::new(sent as u64);
            counters.offered += (sent / WIRE) as u64;
            counters.departed += (sent / WIRE) as u64;
            counters.overflowed += dropped;
        }
        if steady {
            link.capacity = link.capacity.map(|all| all + Bytes::new((capacity * dt) as u64));
        }
        if (step + 1) % per_sample == 0 {
            link.samples.push(LinkSample {
                at,
                queue: Bytes::new(queue as u64),
                queue_packets: (queue / WIRE) as u64,
                departed_bytes: Bytes::new(departed as u64),
                dropped: overflow,
                marked: 0,
                capacity: Bytes::new(offered as u64),
            });
            for (sender, flow) in senders.iter().zip(&mut out) {
                let on = now >= sender.start;
                flow.samples.push(FlowSample {
                    at,
                    goodput: Bytes::new((sender.arrived * MSS / WIRE) as u64),
                    arrived_wire: Bytes::new(sender.arrived as u64),
                    rtt: on.then(|| Span::from_secs_f64(base + delay)),
                    cwnd: if on { sender.window } else { 0.0 },
                    ssthresh: Some(sender.ssthresh).filter(|s| *s < 1e8),
                    in_flight: if on { sender.window as u32 } else { 0 },
                    connections: on as u32,
                    pacing: sender.pacing,
                    sent: (sender.arrived / WIRE) as u64,
                    dropped: flow.total.dropped,
                });
            }
        }
    }
    Record {
        seed,
        duration: DURATION,
        warmup: WARMUP,
        part: None,
        interval: INTERVAL,
        flows: out,
        links: vec![link, ack_link()],
        changes: vec![],
        events: steps * 7,
        hops: steps * 3,
        icn: None,
        emulation: None,
    }
}

fn grow(
    sender: &mut Sender,
    kind: WindowShape,
    now: f64,
    capacity: f64,
    active: f64,
    rtt: f64,
    jitter: f64,
) {
    let dt = STEP.as_secs_f64();
    if kind != WindowShape::Prober && sender.window < sender.ssthresh && sender.at_loss == 0.0 {
        sender.window += sender.window * dt / rtt;
        return;
    }
    match kind {
        WindowShape::Saw => sender.window += jitter * dt / rtt,
        WindowShape::Cubic => {
            let k = libm::cbrt(sender.at_loss * 0.3 / 0.4);
            let t = now - sender.lost_at - k;
            let target = 0.4 * t * t * t + sender.at_loss;
            sender.window += (target - sender.window).clamp(0.0, 40.0) * dt / rtt;
        }
        WindowShape::Prober => {
            sender.share += (1.0 / active - sender.share) * dt / (0.8 * jitter);
            let phase = ((now - sender.start) / (0.04 * jitter)) as u64 % 8;
            let gain = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0][phase as usize];
            let rate = sender.share * capacity * gain;
            let probing_rtt = (now - sender.start) % 10.0 > 9.8;
            sender.pacing = Some(Rate::from_bytes_per_sec(rate));
            sender.window = if probing_rtt {
                4.0
            } else {
                (sender.share * capacity * 0.04 / WIRE * (0.15 * active + gain)).max(4.0)
            };
        }
    }
}

fn counters(flow: &mut FlowRecord, steady: bool) -> impl Iterator<Item = &mut FlowCounters> {
    [Some(&mut flow.total), steady.then_some(&mut flow.steady)].into_iter().flatten()
}

fn flow(label: &str, index: usize, start: f64) -> FlowRecord {
    FlowRecord {
        name: format!("{label}-{}", index + 1),
        controller: label.to_owned(),
        start: Time::ZERO + Span::from_secs_f64(start),
        end: None,
        completed: false,
        transfers: None,
        route: vec![0],
        later_routes: vec![],
        multipath: false,
        mss: Bytes::new(1448),
        base_rtt: BASE_RTT,
        total: FlowCounters::default(),
        steady: FlowCounters::default(),
        rtt: Histogram::new(),
        one_way: Histogram::new(),
        samples: vec![],
    }
}

fn empty_link(constant: bool, buffer: f64) -> LinkRecord {
    LinkRecord {
        name: "bottleneck".to_owned(),
        rate: constant.then_some(Rate::from_mbps(50)),
        delay: BASE_RTT / 2,
        buffer: Some(Bytes::new(buffer as u64)),
        buffer_packets: None,
        nature: LinkNature::default(),
        total: LinkCounters::default(),
        steady: LinkCounters::default(),
        capacity: Some(Bytes::ZERO),
        queueing: Histogram::new(),
        samples: vec![],
        left_queued: 0,
        left_in_flight: 0,
    }
}

fn ack_link() -> LinkRecord {
    let mut link = empty_link(false, 0.0);
    (link.name, link.buffer, link.capacity) = ("acks".to_owned(), None, None);
    link
}
