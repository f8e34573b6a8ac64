//! The checked information-centric part of a scenario.

use crate::{LinkId, NodeId};
use narrows_icn::{HintForm, Method, ShaperForm, StrategyChoice};
use narrows_path::LawChoice;
use narrows_units::{Bytes, Span, Time};
use std::collections::BTreeMap;

/// Makes the network information-centric: nodes forward Interests by names, consumers ask, producers answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Icn {
    /// The law by which links advertise rates; `None` if they advertise none.
    pub law: Option<LawChoice>,
    /// Nodes shape Interests so that the Data they ask for fits the link they leave on.
    pub shaper: bool,
    /// How the shaper's rate follows from the other direction.
    pub shaper_form: ShaperForm,
    /// The law's capacity is what the shaper leaves for Data, instead of the whole link.
    pub shaped_capacity: bool,
    /// Nodes measure the capacities of their links instead of knowing them.
    pub measured: bool,
    /// Interests that a face's shaper holds.
    pub shaper_queue: u32,
    /// Nodes pace the Interests of consumers with a window at the rates that links advertise.
    pub proxy: bool,
    /// Nodes refuse Interests of consumers that ask for more than their rate.
    pub police: bool,
    /// How Interests follow paths.
    pub steering: HintForm,
    /// How nodes choose between next hops.
    pub strategy: StrategyChoice,
    /// Data packets that each node caches.
    pub cache: u32,
    /// Entries of the table of pending Interests that each face may have.
    pub pending: u32,
    /// How long an Interest is pending.
    pub lifetime: Span,
    /// The size of an Interest.
    pub interest: Bytes,
    /// What is asked for, by name.
    pub prefixes: Vec<Prefix>,
    /// Who asks.
    pub consumers: Vec<Consumer>,
    /// Contents asked for at random.
    pub requests: Vec<RequestProcess>,
    /// The two directions of each two-way link, as its ends see it.
    pub faces: Vec<Face>,
}

/// One end of a two-way link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// The node at this end.
    pub node: NodeId,
    /// The direction that leaves it: Interests go out on it.
    pub leaving: LinkId,
    /// The direction that comes in: Data comes back on it.
    pub coming: LinkId,
}

/// The place of a prefix in [`Icn::prefixes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrefixId(pub usize);

/// Names that begin alike, their producers, and the ways to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix {
    /// How it is written: "/video".
    pub name: String,
    /// The nodes with a producer.
    pub at: Vec<NodeId>,
    /// The size of a Data packet.
    pub data: Bytes,
    /// Of each node that has no producer of it and a way to one: the links to the next hops, the best first.
    pub next_hops: BTreeMap<NodeId, Vec<LinkId>>,
}

/// Asks for one content.
#[derive(Clone, Debug, PartialEq)]
pub struct Consumer {
    /// Its name.
    pub name: String,
    /// Its node.
    pub at: NodeId,
    /// How it asks.
    pub by: Method,
    /// Under which prefix.
    pub prefix: PrefixId,
    /// The content, which consumers that name the same share; `None` for one of its own.
    pub content: Option<String>,
    /// The content's Data packets; `None` without end.
    pub segments: Option<u64>,
    /// When it begins.
    pub start: Time,
    /// When it stops, if before the end.
    pub stop: Option<Time>,
}

/// Contents are asked for at random: by a consumer of its own each time, at a random one of the nodes, under a random one of the prefixes.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestProcess {
    /// Its name.
    pub name: String,
    /// The nodes.
    pub at: Vec<NodeId>,
    /// How each consumer asks.
    pub by: Method,
    /// The prefixes.
    pub prefixes: Vec<PrefixId>,
    /// The mean time from one to the next; it is exponential.
    pub every: Span,
    /// Data packets of a content, and with which probability.
    pub segments: Vec<(u64, f64)>,
    /// The contents there are; `None` if each is asked for once.
    pub catalogue: Option<Catalogue>,
    /// When the first may come.
    pub start: Time,
    /// None comes from then on.
    pub stop: Option<Time>,
}

/// The contents under each prefix of a request process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Catalogue {
    /// How many.
    pub contents: u32,
    /// The k-th is asked for with a probability in proportion to k to the power of minus this.
    pub zipf: f64,
}

impl Icn {
    /// The names under which what is measured of consumers appears: each consumer, and of each request process each of its nodes.
    pub fn names<'a>(&'a self, nodes: &'a [crate::Node]) -> impl Iterator<Item = String> + 'a {
        let single = self.consumers.iter().map(|consumer| consumer.name.clone());
        let many = self.requests.iter().flat_map(move |process| {
            process.at.iter().map(move |at| process.at_node(&nodes[at.0].name))
        });
        single.chain(many)
    }
}

impl Icn {
    /// Of each consumer and each node and prefix of a request process, the link of the least `rate` on the best way of its Data.
    pub fn slowest(&self, rate: impl Fn(LinkId) -> u64) -> Vec<LinkId> {
        let single = self.consumers.iter().map(|consumer| (consumer.at, consumer.prefix));
        let many = self.requests.iter().flat_map(|process| {
            process.at.iter().flat_map(|at| process.prefixes.iter().map(|prefix| (*at, *prefix)))
        });
        single
            .chain(many)
            .filter_map(|(at, prefix)| {
                self.way(at, prefix).into_iter().min_by_key(|link| rate(*link))
            })
            .collect()
    }

    /// The links on which `node` may pass Interests under `prefix` on, the best first.
    pub fn next_hops(&self, node: NodeId, prefix: PrefixId) -> &[LinkId] {
        // Interests steered at random take any next hop whatever the strategy, and a Bloom filter may name one by mistake.
        let best_route = self.strategy.entry().name == "best-route"
            && matches!(self.steering, HintForm::Labels | HintForm::Hashes);
        let all = self.prefixes[prefix.0].next_hops.get(&node).map_or(&[][..], Vec::as_slice);
        if best_route { &all[..all.len().min(1)] } else { all }
    }

    /// The links that Data under `prefix` crosses on the best way to `at`, in order.
    pub fn way(&self, at: NodeId, prefix: PrefixId) -> Vec<LinkId> {
        let (hops, mut here, mut way) = (&self.prefixes[prefix.0].next_hops, at, Vec::new());
        while let Some(links) = hops.get(&here)
            && let Some(face) = self.faces.iter().find(|face| face.leaving == links[0])
            && way.len() < self.faces.len()
        {
            way.push(face.coming);
            here = self
                .faces
                .iter()
                .find(|other| other.leaving == face.coming)
                .map_or(here, |other| other.node);
        }
        way.reverse();
        way
    }
}

impl RequestProcess {
    /// The name of what it asks for at one of its nodes.
    pub fn at_node(&self, node: &str) -> String {
        format!("{}.{node}", self.name)
    }
}
