//! A FIFO does the same whether its departures are known ahead, chosen one by one, or chosen only
//! where packets wait, whatever carries the packets, however late the clock wakes and whatever
//! changes.

use narrows_path::{
    AnyDiscipline, Delivery, DisciplineSetup, EcnField, Fate, Form, Jitter, JitterDist, Limit,
    Link, LinkChange, LinkConfig, LossModel, Packet, RateSource, Reorder, Trace,
};
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::{Ecn, Header};
use proptest::prelude::*;
use std::sync::Arc;

/// The simulator's kind of packet: a small value.
#[derive(Clone, Copy, Debug)]
struct Value {
    id: u64,
    size: u64,
}

/// An emulator's kind of packet: bytes on the heap, the number in the first eight and the ECN bits
/// in the ninth.
#[derive(Clone, Debug)]
struct Buffer(Vec<u8>);

trait Made: Packet {
    fn make(id: u64, size: u64) -> Self;
    fn id(&self) -> u64;
}

impl Packet for Value {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn flow(&self) -> u64 {
        self.id % 5
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

impl Made for Value {
    fn make(id: u64, size: u64) -> Value {
        Value { id, size }
    }
    fn id(&self) -> u64 {
        self.id
    }
}

impl Packet for Buffer {
    fn size(&self) -> Bytes {
        Bytes::new(self.0.len() as u64)
    }
    fn ecn(&self) -> Ecn {
        [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][self.0[8] as usize & 3]
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.0[8] = ecn as u8;
    }
    fn flow(&self) -> u64 {
        self.id() % 5
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

impl Made for Buffer {
    fn make(id: u64, size: u64) -> Buffer {
        let mut bytes = vec![0; size as usize];
        bytes[..8].copy_from_slice(&id.to_le_bytes());
        Buffer(bytes)
    }
    fn id(&self) -> u64 {
        u64::from_le_bytes(self.0[..8].try_into().unwrap())
    }
}

/// A packet of this size comes, or something changes.
#[derive(Clone, Copy, Debug)]
enum Step {
    Packet(u64),
    Change(LinkChange),
}

/// The events, and the times of further looks: gaps in nanoseconds.
#[derive(Clone, Debug)]
struct Story {
    config: LinkConfig,
    steps: Vec<(u64, Step)>,
    /// The clock wakes this much after it was asked to, in turn.
    lateness: Vec<u64>,
}

type Outcome = (Vec<Fate>, Vec<(Time, u64)>, String);

/// Drives a link. `late`: its wake-ups come late, so that several arrivals are found at once;
/// offers still carry their true times.
fn drive<P: Made>(story: &Story, form: Form<P>, late: bool) -> Outcome {
    let mut link = Link::with_form(&story.config, form, 7, "link");
    let mut fates = Vec::new();
    let mut arrivals = Vec::new();
    let mut now = Time::ZERO;
    let mut lateness = story.lateness.iter().cycle();
    let mut limit = story.config.limit;
    for (id, (gap, step)) in story.steps.iter().enumerate() {
        let next = now + Span::from_nanos(*gap);
        // Wake-ups that fall before the next step.
        while let Some(due) = link.due().filter(|due| *due <= next) {
            let delay = if late { *lateness.next().unwrap() } else { 0 };
            let wake = (due + Span::from_nanos(delay)).min(next);
            let before = arrivals.len();
            arrivals.extend(
                std::iter::from_fn(|| link.pop(wake)).map(|(at, packet)| (at, packet.id())),
            );
            if wake == next && arrivals.len() == before {
                break;
            }
        }
        now = next;
        match step {
            Step::Packet(size) => fates.push(link.offer(now, P::make(id as u64, *size))),
            Step::Change(change) => link.change(now, *change),
        }
        link.settle(now);
        let (bytes, packets) = link.waiting();
        match step {
            Step::Change(LinkChange::Limit(new)) => limit = *new,
            Step::Packet(_) if *fates.last().unwrap() == Fate::Queued && packets > 0 => {
                assert!(limit.admits(Bytes::ZERO, 0, bytes), "{bytes}")
            }
            _ => {}
        }
    }
    if let RateSource::Constant(_) = story.config.rate {
        link.change(now, LinkChange::Up);
        link.change(now, LinkChange::Rate(Rate::from_mbps(1)));
    }
    let end = now + Span::from_secs(3_000);
    arrivals.extend(std::iter::from_fn(|| link.pop(end)).map(|(at, packet)| (at, packet.id())));
    link.settle(end);
    assert_eq!((link.not_departed(), link.propagating()), (0, 0), "something stayed behind");
    assert!(arrivals.is_sorted_by_key(|(at, _)| *at), "arrivals out of order");
    (fates, arrivals, format!("{:?} {:?}", link.counters(), link.queueing()))
}

fn rates() -> impl Strategy<Value = RateSource> {
    let opportunities =
        (proptest::collection::vec(0u64..40, 1..30), 1u64..50).prop_map(|(mut ms, last)| {
            ms.push(last + 40);
            ms.sort();
            let text: String = ms.iter().map(|ms| format!("{ms}\n")).collect();
            RateSource::trace(Arc::new(Trace::parse(&text).unwrap()), Span::from_secs(1))
        });
    let steps = proptest::collection::vec((1u64..50, 0u64..20), 1..6).prop_map(|steps| {
        let mut at = 0;
        let mut text = String::from("0,3\n");
        for (gap, mbps) in steps {
            at += gap;
            text += &format!("0.{at:03},{mbps}\n");
        }
        RateSource::trace(Arc::new(Trace::parse(&(text + "1,5\n")).unwrap()), Span::from_secs(1))
    });
    prop_oneof![
        Just(RateSource::Unlimited),
        (1_000u64..2_000_000_000).prop_map(|bps| RateSource::Constant(Rate::from_bps(bps))),
        (1u64..200).prop_map(|mbps| RateSource::Constant(Rate::from_mbps(mbps))),
        opportunities,
        steps,
    ]
}

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![
        Just(Limit::None),
        (1500u64..20_000).prop_map(|bytes| Limit::Bytes(Bytes::new(bytes))),
        (1u32..12).prop_map(Limit::Packets),
    ]
}

fn losses() -> impl Strategy<Value = LossModel> {
    prop_oneof![
        Just(LossModel::None),
        (0.0..0.5f64).prop_map(LossModel::Independent),
        (1u64..5).prop_map(|n| LossModel::Periodic(n + 1)),
        Just(LossModel::GilbertElliott {
            to_bad: 0.1,
            to_good: 0.3,
            loss_good: 0.01,
            loss_bad: 0.6
        }),
        Just(LossModel::GilbertElliottInTime {
            good_for: Span::from_millis(30),
            bad_for: Span::from_millis(7),
            loss_good: 0.01,
            loss_bad: 0.6
        }),
    ]
}

fn stories() -> impl Strategy<Value = Story> {
    let gaps = prop_oneof![Just(0u64), 0u64..2_000, 0u64..3_000_000, 0u64..40_000_000];
    let step = prop_oneof![4 => (9u64..1500).prop_map(Step::Packet), 1 => changes().prop_map(Step::Change)];
    let steps = proptest::collection::vec((gaps, step), 1..80);
    let lateness = proptest::collection::vec(prop_oneof![Just(0u64), 0u64..5_000_000], 1..10);
    (rates(), limits(), losses(), 0u64..20_000_000, deliveries(), steps, lateness).prop_map(
        |(rate, limit, loss, delay, delivery, mut steps, lateness)| {
            let changes_rate = |change: &LinkChange| {
                matches!(change, LinkChange::Rate(_) | LinkChange::Down | LinkChange::Up)
            };
            if !matches!(rate, RateSource::Constant(_)) {
                steps.retain(
                    |(_, step)| !matches!(step, Step::Change(change) if changes_rate(change)),
                );
            }
            Story {
                config: LinkConfig {
                    rate,
                    limit,
                    loss,
                    delay: Span::from_nanos(delay),
                    delivery,
                    ..LinkConfig::default()
                },
                steps,
                lateness,
            }
        },
    )
}

fn deliveries() -> impl Strategy<Value = Delivery> {
    let spread = prop_oneof![
        3 => Just(JitterDist::None),
        1 => (1u64..5_000_000).prop_map(|ns| JitterDist::Uniform(Span::from_nanos(ns))),
        1 => (1u64..2_000_000).prop_map(|ns| JitterDist::Normal(Span::from_nanos(ns))),
        1 => (1u64..91_000_000).prop_map(|ns| JitterDist::Wifi(Span::from_nanos(ns))),
    ];
    let reorder = prop_oneof![
        Just(Reorder::default()),
        (0.0..0.5f64, 0u64..8_000_000)
            .prop_map(|(share, ns)| Reorder { share, delay: Span::from_nanos(ns) }),
    ];
    let aggregate = prop_oneof![2 => Just(0u64), 1 => 1u64..10_000_000];
    let burst_rate = proptest::option::of((1_000_000u64..1_000_000_000).prop_map(Rate::from_bps));
    let ecn = proptest::sample::select(&EcnField::ALL[..]);
    (spread, proptest::bool::ANY, reorder, aggregate, burst_rate, ecn).prop_map(
        |(spread, reorders, reorder, aggregate, burst_rate, ecn)| Delivery {
            jitter: Jitter { spread, reorders },
            reorder,
            aggregate: Span::from_nanos(aggregate),
            burst_rate,
            ecn,
        },
    )
}

fn changes() -> impl Strategy<Value = LinkChange> {
    prop_oneof![
        (0u64..50_000_000).prop_map(|bps| LinkChange::Rate(Rate::from_bps(bps))),
        Just(LinkChange::Rate(Rate::ZERO)),
        Just(LinkChange::Down),
        Just(LinkChange::Up),
        (0u64..20_000_000).prop_map(|ns| LinkChange::Delay(Span::from_nanos(ns))),
        deliveries().prop_map(|delivery| LinkChange::Jitter(delivery.jitter)),
        deliveries().prop_map(|delivery| LinkChange::Reorder(delivery.reorder)),
        losses().prop_map(LinkChange::Loss),
        limits().prop_map(LinkChange::Limit),
    ]
}

fn ahead<P>(story: &Story) -> Form<P> {
    Form::Ahead(story.config.limit)
}

fn chosen<P: Packet>(story: &Story, queue: &str) -> Form<P> {
    let setup = DisciplineSetup {
        limit: story.config.limit,
        rate: None,
        delay: Span::ZERO,
        random: Random::stream(7, "queue"),
    };
    Form::at_dequeue(AnyDiscipline::new(&queue.parse().expect("a discipline"), &setup))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The discipline `fifo` is asked for every packet. Where no packet is urgent, `priority` is a
    /// FIFO that packets may pass.
    #[test]
    fn one_event_and_two_events_agree(story in stories()) {
        let one = drive::<Value>(&story, ahead(&story), false);
        for queue in ["fifo", "priority"] {
            prop_assert_eq!(&one, &drive::<Value>(&story, chosen(&story, queue), false), "{}", queue);
        }
    }

    #[test]
    fn owned_buffers_and_a_late_clock_change_nothing(story in stories()) {
        let ideal = drive::<Value>(&story, ahead(&story), false);
        prop_assert_eq!(&ideal, &drive::<Buffer>(&story, ahead(&story), true));
        for queue in ["fifo", "priority"] {
            prop_assert_eq!(&ideal, &drive::<Buffer>(&story, chosen(&story, queue), true), "{}", queue);
        }
    }

    #[test]
    fn nothing_is_faster_than_the_capacity(story in stories()) {
        let mut link: Link<Value> = Link::new(&story.config, 7, "link");
        let mut now = Time::ZERO;
        let mut before = (Bytes::ZERO, Bytes::ZERO);
        let constant = matches!(story.config.rate, RateSource::Constant(_));
        for (id, (gap, step)) in story.steps.iter().enumerate() {
            now += Span::from_nanos(*gap);
            match step {
                Step::Packet(size) => _ = link.offer(now, Value { id: id as u64, size: *size }),
                Step::Change(change) => link.change(now, *change),
            }
            link.settle(now);
            if let Some(capacity) = link.capacity(now) {
                let after = (link.transmitted(now), capacity);
                prop_assert!(after.0 >= before.0 && after.1 >= before.1, "{after:?} at {now} after {before:?}");
                // Bytes are rounded down on either side; what has left of a packet that spans
                // opportunities is not exact.
                prop_assert!(!constant || (after.0 - before.0).get() <= (after.1 - before.1).get() + 1, "{after:?} at {now} after {before:?}");
                prop_assert!(after.0 <= after.1, "{} of {} at {now}", after.0, after.1);
                before = after;
            }
        }
    }
}

#[test]
fn the_long_run_rate_is_exact_where_a_packet_takes_no_whole_number_of_nanoseconds() {
    // 1500 B at 7 Mbit/s take 1714285.714… ns: seven of them take exactly 12 ms.
    let config =
        LinkConfig { rate: RateSource::Constant(Rate::from_mbps(7)), ..LinkConfig::default() };
    let mut link: Link<Value> = Link::new(&config, 1, "link");
    for id in 0..7_000 {
        link.offer(Time::ZERO, Value { id, size: 1500 });
    }
    let arrivals: Vec<Time> =
        std::iter::from_fn(|| link.pop(Time::NEVER)).map(|(at, _)| at).collect();
    assert_eq!(arrivals[0], Time::from_nanos(1_714_286));
    assert_eq!(arrivals[6], Time::from_nanos(12_000_000));
    assert_eq!(arrivals[6_999], Time::from_nanos(12_000_000_000));
}

#[test]
fn opportunities_carry_several_small_packets_and_parts_of_large_ones() {
    let trace = Trace::parse("1\n3\n5\n10\n").unwrap();
    let config = LinkConfig {
        rate: RateSource::trace(Arc::new(trace), Span::from_secs(1)),
        ..LinkConfig::default()
    };
    let mut link: Link<Value> = Link::new(&config, 1, "link");
    // Three of 500 B share the opportunity at 1 ms; 2000 B need those at 3 and 5 ms; the 1000 B
    // left of the latter carry one more packet.
    for (id, size) in [500, 500, 500, 2000, 1000].into_iter().enumerate() {
        link.offer(Time::ZERO, Value { id: id as u64, size });
    }
    let ms = |n: u64| Time::from_nanos(n * 1_000_000);
    let arrivals: Vec<Time> = std::iter::from_fn(|| link.pop(ms(9))).map(|(at, _)| at).collect();
    assert_eq!(arrivals, [ms(1), ms(1), ms(1), ms(5), ms(5)]);
    // The opportunity at 10 ms found nothing; the trace begins again: the next is at 11 ms.
    link.offer(ms(10), Value { id: 5, size: 100 });
    assert_eq!(link.pop(ms(20)).unwrap().0, ms(11));
    // The rest of that opportunity went unused with the queue empty.
    link.offer(ms(12), Value { id: 6, size: 100 });
    assert_eq!(link.due(), Some(ms(13)));
}

#[test]
fn gilbert_elliott_loses_its_stationary_share_in_bursts() {
    // In the bad state for to_bad / (to_bad + to_good) = 1/11 of the packets, of which half are
    // lost.
    let config = LinkConfig {
        loss: LossModel::GilbertElliott {
            to_bad: 0.01,
            to_good: 0.1,
            loss_good: 0.0,
            loss_bad: 0.5,
        },
        ..LinkConfig::default()
    };
    let mut link: Link<Value> = Link::new(&config, 3, "link");
    let fates: Vec<bool> = (0..400_000)
        .map(|id| link.offer(Time::ZERO, Value { id, size: 1 }) != Fate::Queued)
        .collect();
    let lost = fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64;
    assert!((lost / (0.5 / 11.0) - 1.0).abs() < 0.05, "{lost}");
    let after_loss = fates.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64
        / (lost * fates.len() as f64);
    assert!((after_loss / (0.5 * 0.9) - 1.0).abs() < 0.05, "{after_loss}");
}
