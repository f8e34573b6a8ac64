//! Nodes under random packets: one against a naive model, and networks of them against what must
//! hold in any.

use crate::node::net::*;
use narrows_icn::*;
use narrows_units::{Span, Time};
use proptest::prelude::*;
use proptest::strategy::Strategy;
use std::collections::BTreeMap;

/// The events at a node whose only route leads to its last face.
#[derive(Clone, Copy, Debug)]
enum Step {
    Interest { face: u32, name: u32, prefix: bool, nonce: u32, lifetime: u64 },
    Data { face: u32, name: u32 },
    Nack { face: u32, name: u32, prefix: bool, nonce: u32 },
    Pass(u64),
}

const FACES: u32 = 4;
const UP: u32 = FACES - 1;

fn step() -> impl Strategy<Value = Step> {
    let face = 0..FACES;
    let name = 0u32..4;
    let nonce = 0u32..5;
    prop_oneof![
        6 => (face.clone(), name.clone(), any::<bool>(), nonce.clone(), prop_oneof![Just(50u64), Just(400)])
            .prop_map(|(face, name, prefix, nonce, lifetime)| Step::Interest { face, name, prefix, nonce, lifetime }),
        2 => (prop_oneof![Just(UP), face.clone()], name.clone()).prop_map(|(face, name)| Step::Data { face, name }),
        2 => (prop_oneof![Just(UP), face], name, any::<bool>(), nonce)
            .prop_map(|(face, name, prefix, nonce)| Step::Nack { face, name, prefix, nonce }),
        2 => (0u64..120).prop_map(Step::Pass),
    ]
}

/// Name 0 is the prefix of the others.
fn name(number: u32) -> Interned {
    if number == 0 { Interned::content(1, 1) } else { Interned::segment(1, 1, number) }
}

/// A packet sent to a face: an Interest, Data or a Nack, with its name and nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sent {
    Interest(u32, Interned, u32),
    Data(u32, Interned),
    Nack(u32, Interned, u32, NackReason),
}

#[derive(Clone, Debug)]
struct Waiting {
    /// Face, nonce, end.
    ins: Vec<(u32, u32, Time)>,
    out: u32,
    expires: Time,
}

/// A table of everything, searched from one end to the other.
#[derive(Default)]
struct Model(BTreeMap<(u32, bool), Waiting>);

impl Model {
    fn step(&mut self, now: Time, step: Step) -> Vec<Sent> {
        self.0.retain(|_, waiting| waiting.expires > now);
        match step {
            Step::Interest { face, name: number, prefix, nonce, lifetime } => {
                let name = name(number);
                let expires = now + Span::from_millis(lifetime);
                let onward = |out: &mut u32| {
                    *out = nonce;
                    vec![Sent::Interest(UP, name, nonce)]
                };
                let refused = |reason| vec![Sent::Nack(face, name, nonce, reason)];
                let Some(waiting) = self.0.get_mut(&(number, prefix)) else {
                    if face == UP {
                        return refused(NackReason::NoRoute);
                    }
                    self.0.insert(
                        (number, prefix),
                        Waiting { ins: vec![(face, nonce, expires)], out: nonce, expires },
                    );
                    return onward(&mut 0);
                };
                let own = waiting.ins.iter().position(|(other, ..)| *other == face);
                let known = own.is_some_and(|own| waiting.ins[own].1 == nonce);
                let elsewhere =
                    waiting.ins.iter().any(|(other, seen, _)| *other != face && *seen == nonce);
                if elsewhere || waiting.out == nonce && !known {
                    return refused(NackReason::Duplicate);
                }
                waiting.expires = waiting.expires.max(expires);
                match own {
                    None => {
                        waiting.ins.push((face, nonce, expires));
                        Vec::new()
                    }
                    Some(own) => {
                        waiting.ins[own] = (face, nonce, expires);
                        if face == UP {
                            refused(NackReason::NoRoute)
                        } else {
                            onward(&mut waiting.out)
                        }
                    }
                }
            }
            Step::Data { face, name: number } => {
                let answered =
                    |(asked, prefix): &(u32, bool)| *asked == number || *prefix && *asked == 0;
                let mut sent = Vec::new();
                let keys: Vec<(u32, bool)> = self.0.keys().copied().filter(answered).collect();
                for waiting in keys.iter().filter_map(|key| self.0.remove(key)) {
                    let served =
                        waiting.ins.iter().filter(|(to, _, expires)| *to != face && *expires > now);
                    sent.extend(served.map(|(to, ..)| Sent::Data(*to, name(number))));
                }
                sent.sort();
                sent.dedup();
                sent
            }
            Step::Nack { face, name: number, prefix, nonce } => {
                let of_this = |waiting: &Waiting| face == UP && waiting.out == nonce;
                if !self.0.get(&(number, prefix)).is_some_and(of_this) {
                    return Vec::new();
                }
                let waiting = self.0.remove(&(number, prefix)).expect("it was there");
                let told = waiting.ins.iter().filter(|(.., expires)| *expires > now);
                told.map(|(to, nonce, _)| {
                    Sent::Nack(*to, name(number), *nonce, NackReason::Congestion)
                })
                .collect()
            }
            Step::Pass(_) => Vec::new(),
        }
    }
}

fn seen(actions: Vec<(FaceId, Packet<Interned>)>) -> Vec<Sent> {
    let mut sent: Vec<Sent> = actions
        .into_iter()
        .map(|(FaceId(face), packet)| match packet {
            Packet::Interest(interest) => Sent::Interest(face, interest.name, interest.nonce),
            Packet::Data(data) => Sent::Data(face, data.name),
            Packet::Nack(nack) => {
                Sent::Nack(face, nack.interest.name, nack.interest.nonce, nack.reason)
            }
        })
        .collect();
    sent.sort();
    sent
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_node_does_what_a_naive_one_does(steps in prop::collection::vec(step(), 1..120)) {
        let mut node: Node<Interned> = Node::new(NodeConfig::default());
        for label in 1..=FACES {
            node.add_face(Time::ZERO, &link(label as u16));
        }
        node.route(Interned::prefix(1), vec![FaceId(UP)]);
        let mut model = Model::default();
        let mut now = Time::ZERO;
        for step in steps {
            let asked = |number, prefix, nonce, lifetime| Interest {
                can_be_prefix: prefix,
                lifetime: Span::from_millis(lifetime),
                ..interest(name(number), nonce)
            };
            match step {
                Step::Interest { face, name: number, prefix, nonce, lifetime } => {
                    node.handle(now, FaceId(face), Packet::from(asked(number, prefix, nonce, lifetime)), &mut Spare::default());
                }
                Step::Data { face, name: number } => node.handle(now, FaceId(face), Packet::from(data(name(number))), &mut Spare::default()),
                Step::Nack { face, name: number, prefix, nonce } => {
                    node.handle(now, FaceId(face), nack(asked(number, prefix, nonce, 50), NackReason::Congestion), &mut Spare::default());
                }
                Step::Pass(ms) => {
                    now += Span::from_millis(ms);
                    node.poll(now);
                }
            }
            node.check();
            let mut expected = model.step(now, step);
            expected.sort();
            prop_assert_eq!(seen(actions(&mut node)), expected, "{:?} at {}", step, now);
            // Entries that expired less than a bucket of the wheel ago may still be counted.
            prop_assert!(node.pending() >= model.0.len());
            prop_assert_eq!(node.due().is_some(), node.pending() > 0);
        }
        node.poll(now + Span::from_millis(400 + 17));
        prop_assert_eq!((node.pending(), (0..FACES).map(|face| node.face(FaceId(face)).pending).sum::<usize>()), (0, 0));
    }

    /// Any links, any routes (loops included), producers that answer, return Nacks or keep silent.
    #[test]
    fn in_any_network_interests_die_and_are_answered_at_most_once(
        form in prop_oneof![Just(HintForm::Labels), Just(HintForm::Hashes), Just(HintForm::Random), Just(HintForm::Bloom)],
        nodes in 2usize..6,
        links in prop::collection::vec((0usize..6, 0usize..6), 1..10),
        routes in prop::collection::vec((0usize..6, 0u32..8), 1..20),
        producers in prop::collection::vec(any::<bool>(), 6),
        asks in prop::collection::vec((0usize..6, 0u32..6, 0u8..4, 0u64..300), 1..60),
        seed in any::<u64>(),
    ) {
        let mut net = Net::new(nodes, form, seed);
        let consumers: Vec<FaceId> = (0..nodes).map(|node| net.application(node)).collect();
        let servers: Vec<FaceId> = (0..nodes).map(|node| net.application(node)).collect();
        for (a, b) in links.into_iter().map(|(a, b)| (a % nodes, b % nodes)).filter(|(a, b)| a != b) {
            net.link(a, b, &link(1));
        }
        let mut next_hops: BTreeMap<usize, Vec<FaceId>> = BTreeMap::new();
        for (node, face) in routes.into_iter().map(|(node, face)| (node % nodes, face)) {
            let face = FaceId(2 + face % net.faces(node).saturating_sub(2).max(1));
            let hops = next_hops.entry(node).or_default();
            if face.0 < net.faces(node) && !hops.contains(&face) {
                hops.push(face);
            }
        }
        for node in 0..nodes {
            let mut hops = next_hops.remove(&node).unwrap_or_default();
            if producers[node] {
                hops.push(servers[node]);
            }
            net.nodes[node].route(Interned::prefix(1), hops);
        }
        // The state of each waiting consumer: the nonce it asked with last, and until when.
        let mut waits: BTreeMap<(usize, Interned), (u32, Time)> = BTreeMap::new();
        let mut now = Time::ZERO;
        let mut asked = 0u64;
        let mut answered = 0u64;
        let mut told = BTreeMap::new();
        for (turn, (node, number, producer, pass)) in asks.into_iter().enumerate() {
            let node = node % nodes;
            let name = name(number);
            let nonce = turn as u32;
            let lifetime = Span::from_millis(200);
            waits.insert((node, name), (nonce, now + lifetime));
            asked += 1;
            let steer = Steer { hint: told.get(&node).copied().unwrap_or_default(), strict: producer == 3 };
            net.send(now, node, consumers[node], Packet::from(Interest { lifetime, steer, ..interest(name, nonce) }));
            let mut received = net.take();
            while let Some((at, face, packet)) = received.pop() {
                match packet {
                    Packet::Interest(interest) => {
                        prop_assert_eq!(face, servers[at]);
                        answered += 1;
                        match producer {
                            0 => continue,
                            1 => net.send(now, at, face, nack(*interest, NackReason::Unknown)),
                            _ => net.send(now, at, face, Packet::from(data(interest.name))),
                        }
                        received.extend(net.take());
                    }
                    Packet::Data(data) => {
                        let (_, expires) = waits.remove(&(at, data.name)).expect("Data answers an Interest of this face");
                        prop_assert!(expires > now, "Data after the Interest's time");
                        told.insert(at, data.route.hint);
                    }
                    Packet::Nack(nack) => {
                        let key = (at, nack.interest.name);
                        prop_assert_eq!(waits.get(&key).map(|(nonce, _)| *nonce), Some(nack.interest.nonce));
                        waits.remove(&key);
                    }
                }
            }
            now += Span::from_millis(pass);
            net.poll(now);
            waits.retain(|_, (_, expires)| *expires > now);
        }
        // An Interest crosses no link twice in one direction, and what answers it none that it did
        // not cross.
        let most = nodes as u64 + 1;
        prop_assert!(net.crossed <= 2 * most * asked, "{} crossings for {} Interests", net.crossed, asked);
        prop_assert!(answered <= asked);
        net.poll(now + Span::from_millis(200 + 17));
        for node in &net.nodes {
            prop_assert_eq!(node.pending(), 0);
            prop_assert!((0..net.faces(0)).all(|face| net.nodes[0].face(FaceId(face)).pending == 0));
        }
    }
}
