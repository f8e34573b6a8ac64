//! The network from its scenario, and consumers that come and go.

use super::contents::{Contents, Draws, Request};
use super::ideal::Ideal;
use super::instance::ConsumerInstance;
use super::parcel::Parcels;
use super::probes::Probes;
use super::world::{FaceTarget, PROBES, Tally, World};
use crate::agenda::Agenda;
use crate::error::SimError;
use crate::pulse::Pulse;
use narrows_icn::{
    AnyConsumer, ConsumerSetup, FaceConfig, FaceId, Interned, InternedContent, Method, Node, NodeConfig, Producer, ProducerSetup,
    ShaperConfig,
};
use narrows_measure::{Transfer, Transfers};
use narrows_path::Link;
use narrows_scenario::{Icn, NodeId, Prefix, Scenario};
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::BTreeMap;

/// The network before anything has happened.
pub(super) fn world<'a>(scenario: &'a Scenario, icn: &'a Icn, pulse: Pulse<'a>) -> Result<World<'a>, SimError> {
    let links = scenario.links.iter().map(|link| Link::new(&link.config, scenario.seed, &link.name)).collect();
    let capacities: Vec<Rate> = scenario.links.iter().map(|link| link.config.rate.mean().unwrap_or(Rate::ZERO)).collect();
    let mut nodes = nodes(scenario, icn);
    let mut targets: Vec<Vec<FaceTarget>> = vec![Vec::new(); nodes.len()];
    let mut far_ends = vec![(0, FaceId(0)); scenario.links.len()];
    let mut labels = Labels::new(scenario);
    for face in &icn.faces {
        let (coming, leaving) = (capacities[face.coming.0], capacities[face.leaving.0]);
        let node = face.node.0;
        let id = nodes[node].add_face(Time::ZERO, &link_face(icn, coming, leaving, labels.next(node)));
        targets[node].push(FaceTarget::Link(face.leaving.0));
        far_ends[face.coming.0] = (node, id);
    }
    for (number, prefix) in icn.prefixes.iter().enumerate() {
        let name = Interned::prefix(number as u32);
        for at in &prefix.at {
            let id = nodes[at.0].add_face(Time::ZERO, &APPLICATION);
            targets[at.0].push(FaceTarget::Producer(number));
            nodes[at.0].route(name, vec![id]);
        }
        for (node, hops) in &prefix.next_hops {
            let faces = hops.iter().filter_map(|link| targets[node.0].iter().position(|end| *end == FaceTarget::Link(link.0)));
            nodes[node.0].route(name, faces.map(|place| FaceId(place as u32)).collect());
        }
    }
    let producer = |(number, prefix): (usize, &Prefix)| {
        let prefix_name = Interned::prefix(number as u32);
        Producer::new(ProducerSetup { prefix: prefix_name, data: prefix.data, freshness: Span::MAX, delay: Span::ZERO })
    };
    let producers = icn.prefixes.iter().enumerate().map(producer).collect();
    let mut contents = Contents::new(icn);
    let flows = scenario.traffic().len();
    let mut instances: Vec<ConsumerInstance> = Vec::new();
    let mut tallies = vec![Tally::default(); flows];
    for (flow, plan) in icn.consumers.iter().enumerate() {
        let content = match &plan.content {
            Some(name) => contents.named(plan.prefix, name, flow as u32),
            None => contents.add(plan.prefix, flow as u32),
        };
        let node = plan.at.0;
        let face = nodes[node].add_face(Time::ZERO, &APPLICATION);
        targets[node].push(FaceTarget::Consumer(instances.len()));
        let seed = Random::stream(scenario.seed, &format!("consumer {}", plan.name)).bits();
        let data = icn.prefixes[plan.prefix.0].data;
        instances.push(ConsumerInstance {
            consumer: consumer(icn, &plan.by, data, content, plan.segments, plan.start, seed)?,
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
    let mut first = icn.consumers.len();
    let mut processes = Vec::new();
    for process in &icn.requests {
        processes.push(Draws::new(scenario.seed, process, &mut contents, first as u32));
        for tally in &mut tallies[first..][..process.at.len()] {
            tally.transfers = Some(Transfers::default());
        }
        first += process.at.len();
    }
    let changes: Vec<_> = scenario.changes.iter().rev().cloned().collect();
    let fixed = scenario.links.len() + nodes.len() + processes.len();
    let mut agenda = Agenda::new(fixed + PROBES + instances.len());
    for (index, node) in nodes.iter().enumerate() {
        agenda.set(scenario.links.len() + index, node.due().unwrap_or(Time::NEVER));
    }
    for (index, (draws, process)) in processes.iter_mut().zip(&icn.requests).enumerate() {
        let at = process.start + Span::from_secs_f64(draws.wait(process));
        let over = process.stop.is_some_and(|stop| at >= stop);
        agenda.set(scenario.links.len() + nodes.len() + index, if over { Time::NEVER } else { at });
    }
    agenda.set(fixed, Time::ZERO + scenario.interval);
    agenda.set(fixed + 1, Time::ZERO + scenario.warmup);
    agenda.set(fixed + 2, changes.last().map_or(Time::NEVER, |next| next.at));
    for (place, instance) in instances.iter().enumerate() {
        agenda.set(fixed + PROBES + place, instance.due());
    }
    Ok(World {
        scenario,
        icn,
        agenda,
        links,
        down: vec![false; capacities.len()],
        capacities,
        far_ends,
        free: vec![Vec::new(); nodes.len()],
        nodes,
        targets,
        producers,
        parcels: Parcels::default(),
        contents,
        processes,
        probes: Probes::new(scenario, flows),
        instances,
        tallies,
        changes,
        listable: narrows_traffic::LISTED,
        events: 0,
        ideals: BTreeMap::new(),
        pulse,
    })
}

fn nodes(scenario: &Scenario, icn: &Icn) -> Vec<Node<Interned>> {
    let node = |node: &narrows_scenario::Node| {
        Node::new(NodeConfig {
            // By its name, so that nodes elsewhere change no paths and no draws.
            id: Random::stream(0, &format!("node {}", node.name)).bits(),
            seed: Random::stream(scenario.seed, &format!("node {}", node.name)).bits(),
            form: icn.steering,
            cache: icn.cache as usize,
            pit_per_face: icn.pending as usize,
            strategy: icn.strategy.clone(),
            shaped_capacity: icn.shaped_capacity,
        })
    };
    scenario.nodes.iter().map(node).collect()
}

/// The face of a consumer or producer.
const APPLICATION: FaceConfig =
    FaceConfig { capacity_in: None, capacity_out: None, label: 0, law: None, shaper: None, rates: true, application: true };

fn link_face(icn: &Icn, coming: Rate, leaving: Rate, label: u16) -> FaceConfig {
    FaceConfig {
        capacity_in: Some(coming),
        capacity_out: Some(leaving),
        label,
        law: icn.law.clone(),
        shaper: icn.shaper.then(|| ShaperConfig { limit: icn.shaper_queue as usize, ..ShaperConfig::default() }),
        rates: true,
        application: false,
    }
}

/// Path labels, different for the faces of one node.
struct Labels {
    next: Vec<u16>,
}

impl Labels {
    /// Labels begin anywhere, so that one of another node means nothing.
    fn new(scenario: &Scenario) -> Labels {
        let first = |node: &narrows_scenario::Node| Random::stream(scenario.seed, &format!("node {} labels", node.name)).below(4095) as u16;
        Labels { next: scenario.nodes.iter().map(first).collect() }
    }

    fn next(&mut self, node: usize) -> u16 {
        self.next[node] = self.next[node] % 4095 + 1;
        self.next[node]
    }
}

fn consumer(
    icn: &Icn,
    by: &Method,
    data: Bytes,
    content: InternedContent,
    segments: Option<u64>,
    start: Time,
    seed: u64,
) -> Result<AnyConsumer<InternedContent>, SimError> {
    let setup = ConsumerSetup { seed, interest: icn.interest, data, lifetime: icn.lifetime, form: icn.steering };
    AnyConsumer::new(by, &setup, content, segments, start)
        .map_err(|error| SimError::Controller { flow: by.text().to_owned(), problem: error.to_string() })
}

/// What the links of a node bring together: the rate for what needs none of them, which nothing else limits.
fn most(icn: &Icn, capacities: &[Rate], node: usize) -> Rates {
    let links = icn.faces.iter().filter(|face| face.node.0 == node).map(|face| capacities[face.coming.0].as_bps());
    let sum = Rate::from_bps(links.fold(0, u64::saturating_add));
    Rates { primary: sum, secondary: sum }
}

fn begin(tally: &mut Tally, start: Time, warmup: Time) {
    if let Some(transfers) = &mut tally.transfers {
        transfers.begun += (start >= warmup) as u64;
    }
}

/// Starts a consumer for one content of a request process. Returns its place.
pub(super) fn spawn(world: &mut World<'_>, now: Time, process: usize, request: Request, flow: usize) -> usize {
    let plan = &world.icn.requests[process];
    let node = plan.at[request.at].0;
    let most = most(world.icn, &world.capacities, node);
    let data = world.icn.prefixes[request.prefix.0].data;
    let seed = Random::stream(world.scenario.seed, &format!("request {} consumer {}", plan.name, request.number)).bits();
    let made = consumer(world.icn, &plan.by, data, request.content, Some(request.segments), now, seed);
    let consumer = made.expect("what one consumer of a process was made with makes the next one");
    let (place, face) = match world.free[node].pop() {
        Some(place) => (place, world.instances[place].face),
        None => {
            let face = world.nodes[node].add_face(now, &APPLICATION);
            world.targets[node].push(FaceTarget::Consumer(world.instances.len()));
            (world.instances.len(), face)
        }
    };
    let instance = ConsumerInstance {
        consumer,
        node,
        face,
        flow,
        start: now,
        stop: Time::NEVER,
        prefix: request.prefix,
        segments: request.segments,
        data,
        most,
        over: false,
    };
    if place == world.instances.len() {
        world.instances.push(instance);
        world.agenda.grow(world.first_instance() + world.instances.len());
    } else {
        world.instances[place] = instance;
    }
    world.tallies[flow].working += 1;
    begin(&mut world.tallies[flow], now, Time::ZERO + world.scenario.warmup);
    place
}

impl World<'_> {
    /// A consumer has its whole content.
    pub(super) fn finish(&mut self, now: Time, place: usize) {
        let instance = &mut self.instances[place];
        instance.over = true;
        let (flow, size) = (instance.flow, Bytes::new(instance.segments * instance.data.get()));
        let (node, prefix) = (NodeId(instance.node), instance.prefix);
        let ideal = self.ideals.entry((node, prefix)).or_insert_with(|| Ideal::new(self.scenario, self.icn, node, prefix));
        let ideal = ideal.time(instance.segments);
        let transfer = Transfer { start: instance.start, size, took: now.since(instance.start), ideal };
        let tally = &mut self.tallies[flow];
        tally.working -= 1;
        let transfers: &mut Transfers = tally.transfers.get_or_insert_default();
        if instance.start >= Time::ZERO + self.scenario.warmup {
            transfers.count(&transfer);
        }
        if self.listable > 0 {
            self.listable -= 1;
            transfers.list.push(transfer);
        }
        if flow < self.icn.consumers.len() {
            tally.finished = Some(now);
        } else {
            instance.add_to(&mut tally.gone, &mut tally.gone_asking);
            self.free[instance.node].push(place);
        }
    }
}
