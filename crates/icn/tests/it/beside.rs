//! An application with a window of its own beside consumers that follow rates, on one link.

use crate::common::consumer;
use crate::node::net::{application, data, link, mbps};
use narrows_icn::*;
use narrows_units::{Bytes, Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// Takes Data of 1000 B to cross the link of 10 Mbit/s, whose way is 10 ms long.
const SERVICE: Span = Span::from_micros(800);
const WAY: Span = Span::from_millis(10);
const WINDOW: u32 = 100;
const OWN: InternedContent = InternedContent { prefix: 1, content: 7 };
const LIFETIME: Span = Span::from_secs(4);
const END: Span = Span::from_secs(30);
const WARM_UP: Span = Span::from_secs(10);

/// Asks for segment after segment, with 100 Interests at a time, whatever comes: a segment that
/// does not come within the lifetime is asked for again.
#[derive(Default)]
struct Window {
    next: u32,
    nonce: u32,
    pending: BTreeMap<u32, Time>,
}

impl Window {
    fn interest(&mut self, now: Time, segment: u32) -> Packet<Interned> {
        self.pending.insert(segment, now + LIFETIME);
        self.nonce += 1;
        Packet::from(Interest {
            lifetime: LIFETIME,
            ..crate::node::net::interest(OWN.name(u64::from(segment)), self.nonce)
        })
    }

    fn interests(&mut self, now: Time) -> Vec<Packet<Interned>> {
        let expired: Vec<u32> = self
            .pending
            .iter()
            .filter(|(_, end)| **end <= now)
            .map(|(segment, _)| *segment)
            .collect();
        let mut interests: Vec<_> =
            expired.into_iter().map(|segment| self.interest(now, segment)).collect();
        while self.pending.len() < WINDOW as usize {
            let segment = self.next;
            self.next += 1;
            interests.push(self.interest(now, segment));
        }
        interests
    }
}

/// Data of each after the warm-up: of the window behind a face like this, and of the consumer that
/// follows rates.
fn shares(of_window: &FaceConfig) -> (f64, f64) {
    let mut node = Node::new(NodeConfig::default());
    let window_face = node.add_face(Time::ZERO, of_window);
    let consumer_face = node.add_face(Time::ZERO, &application(2));
    let up = FaceConfig {
        capacity_in: Some(mbps(10)),
        capacity_out: Some(mbps(10)),
        law: Some("mircc".parse().unwrap()),
        shaper: Some(ShaperConfig::default()),
        ..link(3)
    };
    let up = node.add_face(Time::ZERO, &up);
    node.route(Interned::prefix(1), vec![up]);
    let mut window = Window::default();
    let mut follower = consumer("mircc", None);
    let mut arriving: VecDeque<(Time, Packet<Interned>)> = VecDeque::new();
    let mut free = Time::ZERO;
    let mut now = Time::ZERO;
    let mut of_window = 0;
    let mut of_follower = 0;
    let mut spare = Spare::default();
    loop {
        for interest in window.interests(now) {
            node.handle(now, window_face, interest, &mut spare);
        }
        follower.poll(now);
        while let Some(interest) = follower.interest() {
            node.handle(now, consumer_face, Packet::from(interest), &mut spare);
        }
        node.poll(now);
        while let Some((face, packet)) = node.action() {
            let counts =
                u32::from(now >= Time::ZERO + WARM_UP && matches!(packet, Packet::Data(_)));
            match packet {
                Packet::Interest(interest) if face == up => {
                    free = free.max(now + WAY) + SERVICE;
                    arriving.push_back((free + WAY, Packet::from(data(interest.name))));
                }
                Packet::Data(data) if face == window_face => {
                    of_window += counts;
                    let segment = OWN.segment(&data.name).expect("a segment that was asked for");
                    window.pending.remove(&(segment as u32));
                }
                packet => {
                    of_follower += counts;
                    follower.handle(now, &packet);
                }
            }
        }
        let expiry = window.pending.values().copied().min().unwrap_or(Time::NEVER);
        let more = window.pending.len() < WINDOW as usize;
        let due = [
            node.due(),
            follower.due(),
            arriving.front().map(|(at, _)| *at),
            Some(expiry),
            more.then_some(now),
        ];
        now = now.max(due.into_iter().flatten().min().expect("something to come"));
        if now >= Time::ZERO + END {
            break;
        }
        if arriving.front().is_some_and(|(at, _)| *at <= now) {
            let (_, packet) = arriving.pop_front().expect("the first");
            node.handle(now, up, packet, &mut spare);
        }
    }
    let link = 10e6 * (END - WARM_UP).as_secs_f64();
    let share = |packets: u32| Bytes::new(1000).bits() as f64 * f64::from(packets) / link;
    (share(of_window), share(of_follower))
}

#[test]
fn without_a_proxy_a_window_leaves_nothing_to_who_follows_rates_and_with_one_each_has_half() {
    let shares = |proxy| {
        shares(&FaceConfig {
            rates: false,
            nacks: Nacking::ExceptCongestion,
            proxy,
            ..application(1)
        })
    };
    let (window, follower) = shares(None);
    println!("without a proxy {window:.3} and {follower:.3} of the link");
    assert!(window > 0.9 && follower < 0.03, "{window} {follower}");
    let (window, follower) = shares(Some(ProxyConfig::default()));
    println!("with one {window:.3} and {follower:.3}");
    assert!((0.4..0.6).contains(&window) && (0.4..0.6).contains(&follower), "{window} {follower}");
    assert!(window + follower > 0.9, "{window} {follower}");
}

#[test]
fn who_claims_to_follow_rates_and_does_not_gets_a_quarter_more_where_he_is_policed() {
    let shares = |police| shares(&FaceConfig { police, nacks: Nacking::Never, ..application(1) });
    let (window, follower) = shares(false);
    println!("without police {window:.3} and {follower:.3} of the link");
    assert!(window > 0.9 && follower < 0.03, "{window} {follower}");
    let (window, follower) = shares(true);
    println!("with police {window:.3} and {follower:.3}");
    assert!(window < 1.25 * follower + 0.02 && follower > 0.4, "{window} {follower}");
}
