//! Invariants of every discipline, whatever is offered: packets are conserved, and neither what
//! carries them nor when the clock wakes changes anything.

use narrows_params::Need;
use narrows_path::{
    DISCIPLINES, DropReason, Fate, Limit, Link, LinkChange, LinkConfig, Packet, RateSource,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Beside the defaults of each discipline.
const VARIANTS: &[&str] = &[
    "codel?ecn=false",
    "codel?target=1&interval=10",
    "fq-codel?flows=2&target=1&interval=10",
    "pie?burst=0&target=1&alpha=5&beta=10",
    "pie?burst=0&delay=departure-rate&derandomize=false&ecn=false",
    "red?min=1&max=3&weight=0.1&adaptive=true",
    "red?min=1&max=3&weight=0.1&spread=classic&gentle=false&byte_mode=false",
    "step?threshold=2&unit=packets",
    "step?threshold=2000&unit=bytes",
    "policer?rate=0.5&burst=3",
    "dualpi2?target=1&rtt_max=5",
    "dualpi2?scheduler=ts-fifo&ramp_width=0",
    "xcp?alpha=0.9&gamma=1",
    "rcp?interval=0&filter=ns2&initial=0.5",
    "vcp?t_rho=20&t_q=3&codes=accecn",
    "vcp?t_rho=20&dialect=ns2",
];

const CODE_POINTS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

trait Made: Packet {
    fn make(id: u64, offer: &Offer) -> Self;
    fn id(&self) -> u64;
}

/// The simulator's kind of packet: a small value.
#[derive(Clone, Copy)]
struct Value {
    id: u64,
    size: u64,
    flow: u64,
    ecn: Ecn,
    header: Option<Header>,
}

impl Packet for Value {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn is_urgent(&self) -> bool {
        self.flow == 1
    }
    fn header(&mut self) -> Option<&mut Header> {
        self.header.as_mut()
    }
}

impl Made for Value {
    fn make(id: u64, offer: &Offer) -> Value {
        Value { id, size: offer.size, flow: offer.flow, ecn: offer.ecn, header: offer.header }
    }
    fn id(&self) -> u64 {
        self.id
    }
}

/// An emulator's kind of packet: bytes on the heap: the number, the flow, the ECN bits. The header
/// for routers stands in a place of its own.
struct Buffer(Vec<u8>, Option<Box<Header>>);

impl Packet for Buffer {
    fn size(&self) -> Bytes {
        Bytes::new(self.0.len() as u64)
    }
    fn ecn(&self) -> Ecn {
        CODE_POINTS[self.0[9] as usize]
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.0[9] = ecn as u8;
    }
    fn flow(&self) -> u64 {
        self.0[8].into()
    }
    fn is_urgent(&self) -> bool {
        self.flow() == 1
    }
    fn header(&mut self) -> Option<&mut Header> {
        self.1.as_deref_mut()
    }
}

impl Made for Buffer {
    fn make(id: u64, offer: &Offer) -> Buffer {
        let mut bytes = vec![0; offer.size as usize];
        bytes[..8].copy_from_slice(&id.to_le_bytes());
        bytes[8] = offer.flow as u8;
        bytes[9] = offer.ecn as u8;
        Buffer(bytes, offer.header.map(Box::new))
    }
    fn id(&self) -> u64 {
        u64::from_le_bytes(self.0[..8].try_into().unwrap())
    }
}

#[derive(Clone, Debug)]
struct Offer {
    gap: Span,
    size: u64,
    flow: u64,
    ecn: Ecn,
    header: Option<Header>,
    /// The change before it is offered.
    change: Option<LinkChange>,
}

#[derive(Clone, Debug)]
struct Story {
    config: LinkConfig,
    offers: Vec<Offer>,
    /// The clock wakes this much after it was asked to, in turn.
    lateness: Vec<Span>,
}

#[derive(Debug, Default, PartialEq)]
struct Outcome {
    fates: Vec<Fate>,
    /// Packets dropped after they were accepted.
    dropped: BTreeMap<u64, DropReason>,
    /// Arrivals with their code points and headers.
    arrivals: Vec<(Time, u64, Ecn, Option<Header>)>,
    counters: String,
}

/// Drives a link. `late`: it is looked at late only, so that several departures and arrivals are
/// found at once; offers and changes carry their true times.
fn drive<P: Made>(story: &Story, late: bool) -> Outcome {
    let mut link: Link<P> = Link::new(&story.config, 7, "link");
    let mut outcome = Outcome::default();
    let mut now = Time::ZERO;
    let mut lateness = story.lateness.iter().cycle();
    for (id, offer) in story.offers.iter().enumerate() {
        let next = now + offer.gap;
        while let Some(due) = link.due().filter(|due| *due <= next) {
            let wake = if late { (due + *lateness.next().unwrap()).min(next) } else { due };
            look(&mut link, wake, &mut outcome);
            if wake == next {
                break;
            }
        }
        now = next;
        if let Some(change) = offer.change {
            link.change(now, change);
        }
        outcome.fates.push(link.offer(now, P::make(id as u64, offer)));
        look(&mut link, now, &mut outcome);
        link.settle(now);
        let counters = link.counters();
        let gone = counters.lost + counters.overflowed + counters.dropped_early;
        assert_eq!(
            counters.offered,
            gone + counters.delivered + link.not_departed() + link.propagating(),
            "{counters:?}"
        );
        assert!(
            link.not_departed() > 0 || link.waiting() == (Bytes::ZERO, 0),
            "waiting behind nothing: {:?}",
            link.waiting()
        );
    }
    link.change(now, LinkChange::Rate(Rate::from_mbps(1)));
    let end = now + Span::from_secs(3_000);
    look(&mut link, end, &mut outcome);
    link.settle(end);
    assert_eq!(
        (link.not_departed(), link.propagating(), link.waiting()),
        (0, 0, (Bytes::ZERO, 0)),
        "something stayed behind"
    );
    outcome.counters = format!("{:?} {:?}", link.counters(), link.queueing());
    let last = story.offers.last().expect("at least one offer");
    let fate = link.offer(end + Span::from_secs(1), P::make(0, last));
    assert!(
        !matches!(fate, Fate::Dropped(_)),
        "long after everything has left, the next packet is dropped"
    );
    outcome
}

fn look<P: Made>(link: &mut Link<P>, now: Time, outcome: &mut Outcome) {
    outcome.arrivals.extend(std::iter::from_fn(|| link.pop(now)).map(|(at, mut packet)| {
        let header = packet.header().copied();
        (at, packet.id(), packet.ecn(), header)
    }));
    outcome
        .dropped
        .extend(std::iter::from_fn(|| link.take_dropped()).map(|(packet, why)| (packet.id(), why)));
}

/// Each packet has one fate, and only packets that can be marked are.
fn assert_each_packet_once(story: &Story, outcome: &Outcome) {
    let mut ends: BTreeMap<u64, u32> = BTreeMap::new();
    let refused = outcome
        .fates
        .iter()
        .enumerate()
        .filter(|(_, fate)| matches!(fate, Fate::Dropped(_)))
        .map(|(id, _)| id as u64);
    for id in refused
        .chain(outcome.dropped.keys().copied())
        .chain(outcome.arrivals.iter().map(|(_, id, _, _)| *id))
    {
        *ends.entry(id).or_default() += 1;
    }
    assert!(ends.len() == story.offers.len() && ends.values().all(|count| *count == 1), "{ends:?}");
    for (_, id, ecn, _) in &outcome.arrivals {
        let sent = story.offers[*id as usize].ecn;
        let codes = story
            .config
            .queue
            .as_ref()
            .is_some_and(|queue| queue.entry().offers.contains(&Need::LoadCode));
        let marks = sent != Ecn::NotEct && (*ecn == Ecn::Ce || (codes && *ecn != Ecn::NotEct));
        assert!(*ecn == sent || marks, "{sent:?} became {ecn:?}");
    }
}

fn queues() -> impl Strategy<Value = &'static str> {
    let names: Vec<&str> =
        DISCIPLINES.iter().map(|entry| entry.name).chain(VARIANTS.iter().copied()).collect();
    proptest::sample::select(names)
}

/// Of senders that know their round trip and that do not.
fn headers() -> impl Strategy<Value = Option<Header>> {
    let rtt =
        || prop_oneof![1 => Just(0u64), 9 => 10_000u64..2_000_000_000].prop_map(Span::from_nanos);
    let delta = (rtt(), 0.0..1e7, -1e6..1e12).prop_map(|(rtt, throughput, delta)| Header::Delta {
        rtt,
        throughput,
        delta,
    });
    let rate = (rtt(), 1u64..1 << 40)
        .prop_map(|(rtt, bps)| Header::Rate { rate: Rate::from_bps(bps), rtt });
    prop_oneof![1 => Just(None), 1 => any::<u8>().prop_map(|load| Some(Header::Load(load))), 3 => delta.prop_map(Some), 3 => rate.prop_map(Some)]
}

fn offers() -> impl Strategy<Value = Vec<Offer>> {
    let rate = prop_oneof![1 => Just(0u64), 9 => 50_000u64..50_000_000]
        .prop_map(|bps| LinkChange::Rate(Rate::from_bps(bps)));
    let limit = (1u32..30).prop_map(|packets| LinkChange::Limit(Limit::Packets(packets)));
    let change = prop_oneof![60 => Just(None), 1 => rate.prop_map(Some), 1 => limit.prop_map(Some)];
    // Mostly more than the link carries, with pauses.
    let gap = prop_oneof![10 => 0u64..1_500_000, 1 => 0u64..400_000_000].prop_map(Span::from_nanos);
    let offer =
        (gap, 40u64..1501, 0u64..6, proptest::sample::select(&CODE_POINTS[..]), headers(), change);
    let offer = offer.prop_map(|(gap, size, flow, ecn, header, change)| Offer {
        gap,
        size,
        flow,
        ecn,
        header,
        change,
    });
    proptest::collection::vec(offer, 1..600)
}

fn stories() -> impl Strategy<Value = Story> {
    let limits = prop_oneof![
        Just(Limit::None),
        (3_000u64..200_000).prop_map(|bytes| Limit::Bytes(Bytes::new(bytes))),
        (1u32..150).prop_map(Limit::Packets),
    ];
    let lateness = proptest::collection::vec((0u64..50_000_000).prop_map(Span::from_nanos), 1..10);
    (queues(), limits, 200_000u64..20_000_000, 0u64..20_000_000, offers(), lateness).prop_map(
        |(queue, limit, rate, delay, offers, lateness)| Story {
            config: LinkConfig {
                rate: RateSource::Constant(Rate::from_bps(rate)),
                delay: Span::from_nanos(delay),
                limit,
                queue: Some(queue.parse().expect("a discipline")),
                ..LinkConfig::default()
            },
            offers,
            lateness,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn fates_do_not_depend_on_who_carries_the_packets_or_when_the_clock_wakes(story in stories()) {
        let ideal = drive::<Value>(&story, false);
        assert_each_packet_once(&story, &ideal);
        prop_assert_eq!(&ideal, &drive::<Buffer>(&story, true));
    }
}
