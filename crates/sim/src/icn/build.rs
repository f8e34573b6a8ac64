//! The network from its scenario, and consumers that come and go.

use super::consumers::{begin, consumer, consumer_face, interned, most};
use super::instance::ConsumerInstance;
use super::nodes::{FaceTarget, Nodes, Tally};
use super::probes::Probes;
use crate::error::SimError;
use crate::event_loop::{Elements, Probe};
use crate::pulse::Pulse;
use narrows_icn::{
    CAPACITY_GUESS, CacheLimits, FaceConfig, FaceId, Interned, Nacking, Node, NodeConfig, Producer,
    ProducerSetup, ShaperConfig, Spare,
};
use narrows_measure::Transfers;
use narrows_network::Agenda;
use narrows_scenario::{Icn, Prefix, Scenario};
use narrows_traffic::{Contents, Requests};
use narrows_units::{Random, Rate, Span, Time};
use std::collections::BTreeMap;

/// The network before anything has happened.
pub(super) fn nodes<'a>(
    scenario: &'a Scenario,
    icn: &'a Icn,
    pulse: Pulse<'a>,
) -> Result<Nodes<'a>, SimError> {
    let capacities: Vec<Rate> =
        scenario.links.iter().map(|link| link.config.rate.mean().unwrap_or(Rate::ZERO)).collect();
    let mut nodes = forwarders(scenario, icn);
    let mut targets: Vec<Vec<FaceTarget>> = vec![Vec::new(); nodes.len()];
    let mut far_ends = vec![(0, FaceId(0)); scenario.links.len()];
    let mut labels = Labels::new(scenario);
    for face in &icn.faces {
        let coming = capacities[face.coming.0];
        let leaving = capacities[face.leaving.0];
        let node = face.node.0;
        let id =
            nodes[node].add_face(Time::ZERO, &link_face(icn, coming, leaving, labels.next(node)));
        targets[node].push(FaceTarget::Link(face.leaving.0));
        far_ends[face.coming.0] = (node, id);
    }
    for (number, prefix) in icn.prefixes.iter().enumerate() {
        let name = Interned::prefix(number as u32);
        for at in &prefix.at {
            let id = nodes[at.0].add_face(Time::ZERO, &FaceConfig::APPLICATION);
            targets[at.0].push(FaceTarget::Producer(number));
            nodes[at.0].route(name, vec![id]);
        }
        for (node, hops) in &prefix.next_hops {
            let faces = hops.iter().filter_map(|link| {
                targets[node.0].iter().position(|end| *end == FaceTarget::Link(link.0))
            });
            nodes[node.0].route(name, faces.map(|place| FaceId(place as u32)).collect());
        }
    }
    let producer = |(number, prefix): (usize, &Prefix)| {
        let prefix_name = Interned::prefix(number as u32);
        Producer::new(ProducerSetup {
            prefix: prefix_name,
            data: prefix.data,
            freshness: Span::MAX,
            delay: Span::ZERO,
        })
    };
    let producers = icn.prefixes.iter().enumerate().map(producer).collect();
    let mut contents = Contents::new(icn);
    let flows = scenario.traffic().len();
    let mut instances: Vec<ConsumerInstance> = Vec::new();
    let mut tallies = vec![Tally::default(); flows];
    for (flow, plan) in icn.consumers.iter().enumerate() {
        let node = plan.at.0;
        let face = nodes[node].add_face(Time::ZERO, &consumer_face(icn, &plan.by));
        targets[node].push(FaceTarget::Consumer(instances.len()));
        let seed = Random::stream(scenario.seed, &format!("consumer {}", plan.name)).bits();
        let data = icn.prefixes[plan.prefix.0].data;
        instances.push(ConsumerInstance {
            consumer: consumer(
                icn,
                &plan.by,
                data,
                interned(contents.of_consumer(flow)),
                plan.segments,
                plan.start,
                seed,
            )?,
            node,
            face,
            flow,
            start: plan.start,
            stop: plan.stop.unwrap_or(Time::NEVER),
            prefix: plan.prefix,
            segments: plan.segments.unwrap_or(0),
            data,
            most: most(icn, &capacities, node),
            over: false,
        });
        tallies[flow].transfers = plan.segments.map(|_| Transfers::default());
        tallies[flow].working = 1;
        begin(&mut tallies[flow], plan.start, Time::ZERO + scenario.warmup);
    }
    for tally in &mut tallies[icn.consumers.len()..] {
        tally.transfers = Some(Transfers::default());
    }
    let requests = Requests::new(scenario.seed, icn, &mut contents);
    let elements = Elements::new(nodes.len() + 1);
    let mut agenda = Agenda::new(elements.passing(instances.len()));
    for (index, node) in nodes.iter().enumerate() {
        agenda.set(index, node.due().unwrap_or(Time::NEVER));
    }
    agenda.set(nodes.len(), requests.due());
    agenda.set(elements.probe(Probe::Sample), Time::ZERO + scenario.interval);
    agenda.set(elements.probe(Probe::WarmUp), Time::ZERO + scenario.warmup);
    let first = scenario.changes.first().map_or(Time::NEVER, |first| first.at);
    agenda.set(elements.probe(Probe::Change), first);
    for (place, instance) in instances.iter().enumerate() {
        agenda.set(elements.passing(place), instance.due());
    }
    Ok(Nodes {
        scenario,
        icn,
        agenda,
        down: vec![false; capacities.len()],
        capacities,
        data_queue: !icn.shaper && icn.law.as_ref().is_some_and(|law| law.entry().data_queue),
        far_ends,
        free: vec![Vec::new(); nodes.len()],
        forwarders: nodes,
        targets,
        producers,
        spare: Spare::default(),
        contents,
        requests,
        probes: Probes::new(scenario, flows),
        instances,
        tallies,
        listable: narrows_traffic::LISTED,
        ideals: BTreeMap::new(),
        pulse,
    })
}

fn forwarders(scenario: &Scenario, icn: &Icn) -> Vec<Node<Interned>> {
    let node = |node: &narrows_scenario::Node| {
        Node::new(NodeConfig {
            // By its name, so that nodes elsewhere change no paths and no draws.
            id: Random::stream(0, &format!("node {}", node.name)).bits(),
            seed: Random::stream(scenario.seed, &format!("node {}", node.name)).bits(),
            form: icn.steering,
            cache: CacheLimits::packets(icn.cache as usize),
            pit_per_face: icn.pending as usize,
            strategy: icn.strategy.clone(),
            shaped_capacity: icn.shaped_capacity,
            ..NodeConfig::default()
        })
    };
    scenario.nodes.iter().map(node).collect()
}

fn link_face(icn: &Icn, coming: Rate, leaving: Rate, label: u16) -> FaceConfig {
    FaceConfig {
        capacity_in: Some(if icn.measured { CAPACITY_GUESS } else { coming }),
        capacity_out: Some(leaving).filter(|_| !icn.measured),
        measured: icn.measured,
        label,
        law: icn.law.clone(),
        shaper: icn.shaper.then(|| ShaperConfig {
            form: icn.shaper_form,
            limit: icn.shaper_queue as usize,
            ..ShaperConfig::default()
        }),
        rates: true,
        application: false,
        local: false,
        nacks: Nacking::Always,
        proxy: None,
        police: false,
    }
}

/// Path labels, different for the faces of one node.
struct Labels {
    next: Vec<u16>,
}

impl Labels {
    /// Labels begin anywhere, so that one of another node means nothing.
    fn new(scenario: &Scenario) -> Labels {
        let first = |node: &narrows_scenario::Node| {
            Random::stream(scenario.seed, &format!("node {} labels", node.name)).below(4095) as u16
        };
        Labels { next: scenario.nodes.iter().map(first).collect() }
    }

    fn next(&mut self, node: usize) -> u16 {
        self.next[node] = self.next[node] % 4095 + 1;
        self.next[node]
    }
}
