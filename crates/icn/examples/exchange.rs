//! The cost of one exchange of an Interest and its Data in a forwarder: `cargo run --release -p
//! narrows-icn --example exchange`.
//!
//! A thousand exchanges are under way at any time, at 80 % of a link of 10 Gbit/s, with a rate law
//! and a shaper.

use narrows_icn::*;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::time::Instant;

const EXCHANGES: u64 = 3_000_000;
const UNDER_WAY: u64 = 1_000;
/// 1000 B of Data at 8 Gbit/s.
const GAP: Span = Span::from_micros(1);

fn main() {
    for form in [HintForm::Labels, HintForm::Hashes, HintForm::Random, HintForm::Bloom] {
        let best = (0..3).map(|_| run(form)).min().expect("three runs");
        println!("{form:?}: {best} ns per exchange");
    }
}

fn run(form: HintForm) -> u64 {
    let mut node: Node<Interned> = Node::new(NodeConfig { form, ..NodeConfig::default() });
    let config = |label| FaceConfig {
        capacity_in: Some(Rate::from_mbps(10_000)),
        capacity_out: Some(Rate::from_mbps(10_000)),
        measured: false,
        label,
        law: Some("mircc".parse().expect("a law")),
        shaper: Some(ShaperConfig::default()),
        rates: true,
        application: false,
        local: false,
        nacks: Nacking::Always,
        proxy: None,
        police: false,
    };
    let down = node.add_face(Time::ZERO, &config(1));
    let up = node.add_face(Time::ZERO, &config(2));
    node.route(Interned::prefix(1), vec![up]);
    let mut steer = Steer::default();
    let mut sent = 0;
    let mut received = 0;
    let start = Instant::now();
    for exchange in 0..EXCHANGES + UNDER_WAY {
        let now = Time::ZERO + GAP * exchange;
        if exchange < EXCHANGES {
            node.handle(now, down, Packet::from(interest(exchange, steer)), &mut Spare::default());
            while let Some((_, packet)) = node.action() {
                sent += u64::from(matches!(packet, Packet::Interest(_)));
            }
        }
        if let Some(answered) = exchange.checked_sub(UNDER_WAY) {
            node.handle(now, up, Packet::from(data(answered)), &mut Spare::default());
            while let Some((_, packet)) = node.action() {
                if let Packet::Data(data) = packet {
                    received += 1;
                    steer.hint = data.route.hint;
                }
            }
        }
    }
    let elapsed = start.elapsed().as_nanos() as u64;
    assert!(
        sent > EXCHANGES * 99 / 100 && received == sent,
        "{sent} sent, {received} received: {:?}",
        node.counters()
    );
    elapsed / EXCHANGES
}

fn interest(segment: u64, steer: Steer) -> Interest<Interned> {
    Interest {
        name: Interned::segment(1, 1, segment as u32),
        can_be_prefix: false,
        must_be_fresh: false,
        nonce: segment as u32,
        lifetime: Span::from_secs(4),
        hop_limit: 64,
        class: Class::Primary,
        srtt: GAP * UNDER_WAY,
        steer,
        size: Bytes::new(100),
        via: None,
        token: (),
        body: (),
    }
}

fn data(segment: u64) -> Data<Interned> {
    Data {
        name: Interned::segment(1, 1, segment as u32),
        freshness: Span::ZERO,
        rates: Rates::UNLIMITED,
        route: Route::default(),
        marked: false,
        no_cache: false,
        size: Bytes::new(1000),
        token: (),
        body: (),
    }
}
