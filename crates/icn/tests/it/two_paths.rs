//! A consumer, two forwarders with two links between them, and a producer.

use crate::common::{CONTENT, setup};
use narrows_icn::{
    AnyConsumer, ConsumerSetup, FaceConfig, FaceId, HintForm, Interned, InternedContent, Method,
    Nacking, Node, NodeConfig, Packet, Producer, ProducerSetup, ShaperConfig, Spare,
};
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::BTreeMap;

const DELAY: Span = Span::from_millis(10);

/// Node 0 has the consumer and node 1 the producer at face 0; faces 1 and 2 of both are the links.
struct World {
    now: Time,
    nodes: [Node<Interned>; 2],
    links: [Rate; 2],
    /// When a link is free again, from either node.
    free: [[Time; 2]; 2],
    consumer: AnyConsumer<InternedContent>,
    producer: Producer<Interned>,
    /// Arrivals at a node's face, in order.
    arrivals: BTreeMap<(Time, u64), (usize, FaceId, Packet<Interned>)>,
    count: u64,
}

impl World {
    fn new(method: Method, law: &str, links: [Rate; 2], form: HintForm) -> World {
        let nodes = [0, 1].map(|id| {
            let mut node = Node::new(NodeConfig { id, seed: 1, form, ..NodeConfig::default() });
            let application = FaceConfig {
                capacity_in: None,
                capacity_out: None,
                measured: false,
                label: 9,
                law: None,
                shaper: None,
                rates: true,
                application: true,
                local: true,
                nacks: Nacking::Always,
                proxy: None,
                police: false,
            };
            let local = node.add_face(Time::ZERO, &application);
            let faces = [0, 1].map(|link| {
                let capacity = Some(links[link]);
                let link = FaceConfig {
                    capacity_in: capacity,
                    capacity_out: capacity,
                    measured: false,
                    label: 10 + link as u16,
                    law: Some(law.parse().unwrap()),
                    shaper: Some(ShaperConfig::default()),
                    application: false,
                    local: false,
                    nacks: Nacking::Always,
                    proxy: None,
                    ..application.clone()
                };
                node.add_face(Time::ZERO, &link)
            });
            node.route(
                Interned::prefix(CONTENT.prefix),
                if id == 0 { faces.to_vec() } else { vec![local] },
            );
            node
        });
        let setup = ConsumerSetup { form, ..setup() };
        let producer = ProducerSetup {
            prefix: Interned::prefix(CONTENT.prefix),
            data: Bytes::new(1000),
            freshness: Span::ZERO,
            delay: Span::ZERO,
        };
        World {
            now: Time::ZERO,
            nodes,
            links,
            free: [[Time::ZERO; 2]; 2],
            consumer: AnyConsumer::new(&method, &setup, CONTENT, None, Time::ZERO).unwrap(),
            producer: Producer::new(producer),
            arrivals: BTreeMap::new(),
            count: 0,
        }
    }

    fn run(&mut self, end: Time) {
        let mut now = self.now;
        self.consumer.poll(now);
        while now <= end {
            self.settle(now);
            let arrival = self.arrivals.first_key_value().map(|((at, _), _)| *at);
            let due = [self.consumer.due(), self.nodes[0].due(), self.nodes[1].due()]
                .into_iter()
                .flatten()
                .min();
            now = arrival.into_iter().chain(due).min().unwrap_or(Time::NEVER).max(now);
            while self.arrivals.first_key_value().is_some_and(|((at, _), _)| *at <= now) {
                let (_, (node, face, packet)) = self.arrivals.pop_first().unwrap();
                self.nodes[node].handle(now, face, packet, &mut Spare::default());
            }
            self.nodes
                .iter_mut()
                .filter(|node| node.due().is_some_and(|due| due <= now))
                .for_each(|node| node.poll(now));
            if self.consumer.due().is_some_and(|due| due <= now) {
                self.consumer.poll(now);
            }
        }
        self.now = now;
    }

    /// Everything that happens at once.
    fn settle(&mut self, now: Time) {
        loop {
            let mut done = true;
            while let Some(interest) = self.consumer.interest() {
                self.nodes[0].handle(now, FaceId(0), Packet::from(interest), &mut Spare::default());
                done = false;
            }
            for node in 0..2 {
                while let Some((face, packet)) = self.nodes[node].action() {
                    done = false;
                    match (node, face) {
                        (0, FaceId(0)) => self.consumer.handle(now, &packet),
                        (_, FaceId(0)) => self.producer.handle(now, &packet),
                        (_, FaceId(face)) => self.cross(now, node, face as usize - 1, packet),
                    }
                }
            }
            while let Some(data) = self.producer.data(now) {
                self.nodes[1].handle(now, FaceId(0), Packet::from(data), &mut Spare::default());
                done = false;
            }
            if done {
                return;
            }
        }
    }

    fn cross(&mut self, now: Time, node: usize, link: usize, packet: Packet<Interned>) {
        let free = &mut self.free[node][link];
        *free = (*free).max(now) + self.links[link].time_for(packet.size());
        self.count += 1;
        self.arrivals
            .insert((*free + DELAY, self.count), (1 - node, FaceId(link as u32 + 1), packet));
    }

    /// Data that comes from `from` to `end`, in Mbit/s.
    fn goodput(&mut self, from: Time, end: Time) -> f64 {
        self.run(from);
        let before = self.consumer.counters().goodput;
        self.run(end);
        Rate::of(self.consumer.counters().goodput - before, end.since(from)).as_mbps()
    }
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

fn world(consumer: &str, law: &str, form: HintForm) -> World {
    World::new(
        Method::Rates(consumer.parse().unwrap()),
        law,
        [Rate::from_mbps(10), Rate::from_mbps(5)],
        form,
    )
}

/// Alone, the primary rate is the capacity of the better link, spread over both; secondary
/// Interests fill both links to 95 %: 10 + 4.25 of 15.
#[test]
fn mircc_fills_both_links_in_every_form() {
    for form in [HintForm::Labels, HintForm::Hashes, HintForm::Random, HintForm::Bloom] {
        let mut world = world("mircc", "mircc", form);
        world.run(at(5));
        let before = world.consumer.counters().data;
        world.run(at(15));
        let after = world.consumer.counters().data;
        let mbps = |segments: u64| segments as f64 * 8000.0 / 10.0 / 1e6;
        let primary = mbps(after.primary - before.primary);
        let secondary = mbps(after.secondary - before.secondary);
        assert!(
            (primary - 10.0).abs() < 0.2 && (primary + secondary - 14.25).abs() < 0.02 * 14.25,
            "{form:?}: {primary} + {secondary}"
        );
        assert_eq!(world.consumer.subflows().count(), 2, "{form:?}");
        let counters = world.consumer.counters();
        assert_eq!(
            (counters.timeouts, counters.unsolicited, counters.duplicates),
            (0, 0, 0),
            "{form:?}"
        );
        assert!(counters.nacks.total() <= 10, "{form:?}: {:?}", counters.nacks);
    }
}

/// Section 4.1 of the paper: with the best rate alone, what the second path adds is lost.
#[test]
fn best_subflow_leaves_what_secondary_interests_take() {
    let goodput = world("best-subflow", "mircc", HintForm::Labels).goodput(at(5), at(15));
    assert!((goodput - 10.0).abs() < 0.3, "{goodput}");
}

#[test]
fn a_single_class_takes_95_percent_of_its_only_path() {
    let mut world = World::new(
        Method::Rates("single".parse().unwrap()),
        "mircc-single?cap=eta",
        [Rate::from_mbps(10), Rate::from_mbps(10)],
        HintForm::Labels,
    );
    // The second link is down for Interests: only the first is a next hop.
    world.nodes[0].route(Interned::prefix(CONTENT.prefix), vec![FaceId(1)]);
    let goodput = world.goodput(at(5), at(15));
    assert!((goodput - 9.5).abs() < 0.2, "{goodput}");
}
