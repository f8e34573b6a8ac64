//! The checked information-centric part of a scenario.

use crate::{LinkId, NodeId};
use narrows_icn::{HintForm, Method, ShaperForm, StrategyChoice};
use narrows_path::LawChoice;
use narrows_units::{Bytes, Span, Time};
use std::collections::BTreeMap;

/// The information-centric part of a scenario: nodes forward Interests by name, consumers send
/// Interests, producers answer with Data.
#[derive(Clone, Debug, PartialEq)]
pub struct Icn {
    /// Law by which links advertise rates; `None` if they advertise no rates.
    pub law: Option<LawChoice>,
    /// True if nodes shape Interests so that the requested Data fits the link.
    pub shaper: bool,
    /// Form of the shaper: the dependence of its rate on the Interests of the other direction.
    pub shaper_form: ShaperForm,
    /// True if the capacity for the law is what the shaper leaves for Data, false for the whole
    /// link.
    pub shaped_capacity: bool,
    /// True if nodes measure the capacities of their links, false if they know them.
    pub measured: bool,
    /// Most Interests in the shaper of a face.
    pub shaper_queue: u32,
    /// True if nodes pace the Interests of window-based consumers at the rates that links
    /// advertise.
    pub proxy: bool,
    /// True if nodes refuse Interests of consumers that exceed their rate.
    pub police: bool,
    /// Method by which Interests follow paths.
    pub steering: HintForm,
    /// Strategy by which nodes choose between next hops.
    pub strategy: StrategyChoice,
    /// Most Data packets in the cache of each node.
    pub cache: u32,
    /// Most pending Interests of each face.
    pub pending: u32,
    /// Time after which a pending Interest expires.
    pub lifetime: Span,
    /// Size of an Interest.
    pub interest: Bytes,
    /// Prefixes of names.
    pub prefixes: Vec<Prefix>,
    /// Consumers, each of one content.
    pub consumers: Vec<Consumer>,
    /// Processes that request contents at random.
    pub requests: Vec<RequestProcess>,
    /// The two ends of each two-way link.
    pub faces: Vec<Face>,
}

/// One end of a two-way link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Node at this end.
    pub node: NodeId,
    /// Direction that leaves the node: Interests go out on it.
    pub leaving: LinkId,
    /// Direction that reaches the node: Data comes back on it.
    pub coming: LinkId,
}

/// The index of a prefix in [`Icn::prefixes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrefixId(pub usize);

/// A prefix of names, with its producers and the paths to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix {
    /// Text of the prefix: "/video".
    pub name: String,
    /// Nodes with a producer.
    pub at: Vec<NodeId>,
    /// Size of a Data packet.
    pub data: Bytes,
    /// Links to the next hops, the best first, for each node that has a path to a producer but no
    /// producer itself.
    pub next_hops: BTreeMap<NodeId, Vec<LinkId>>,
}

/// A consumer of one content.
#[derive(Clone, Debug, PartialEq)]
pub struct Consumer {
    /// Name.
    pub name: String,
    /// Node.
    pub at: NodeId,
    /// Algorithm by which it sends Interests.
    pub by: Method,
    /// Prefix of the content.
    pub prefix: PrefixId,
    /// Name of the content, shared by all consumers that name it; `None` for a content of this
    /// consumer alone.
    pub content: Option<String>,
    /// Number of Data packets of the content; `None` for an endless content.
    pub segments: Option<u64>,
    /// Time at which the consumer starts.
    pub start: Time,
    /// Time at which it stops; `None` for the end of the run.
    pub stop: Option<Time>,
}

/// A process that requests contents at random times. Each request has its own consumer, at a random
/// node of the list, under a random prefix of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestProcess {
    /// Name.
    pub name: String,
    /// Nodes of the consumers.
    pub at: Vec<NodeId>,
    /// Algorithm of each consumer.
    pub by: Method,
    /// Prefixes of the contents.
    pub prefixes: Vec<PrefixId>,
    /// Mean time between two requests; the times are exponential.
    pub every: Span,
    /// Numbers of Data packets of a content, each with its probability.
    pub segments: Vec<(u64, f64)>,
    /// Contents under each prefix; `None` if each content is requested once.
    pub catalogue: Option<Catalogue>,
    /// Earliest time of the first request.
    pub start: Time,
    /// Time at which requests end; `None` for the end of the run.
    pub stop: Option<Time>,
}

/// The contents under each prefix of a request process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Catalogue {
    /// Number of contents.
    pub contents: u32,
    /// Zipf exponent: the k-th content is requested with a probability proportional to k^-zipf.
    pub zipf: f64,
}

impl Icn {
    /// Yields the names under which results appear: each consumer, and each node of each request
    /// process.
    pub fn names<'a>(&'a self, nodes: &'a [crate::Node]) -> impl Iterator<Item = String> + 'a {
        let single = self.consumers.iter().map(|consumer| consumer.name.clone());
        let many = self.requests.iter().flat_map(move |process| {
            process.at.iter().map(move |at| process.at_node(&nodes[at.0].name))
        });
        single.chain(many)
    }
}

impl Icn {
    /// Returns the link with the least `rate` on the best path of Data, for each consumer, and for
    /// each node and prefix of each request process.
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

    /// Returns the links on which `node` may forward Interests under `prefix`, the best first.
    pub fn next_hops(&self, node: NodeId, prefix: PrefixId) -> &[LinkId] {
        // Interests with random steering take any next hop, whatever the strategy, and a Bloom
        // filter may select one by mistake.
        let best_route = self.strategy.entry().name == "best-route"
            && matches!(self.steering, HintForm::Labels | HintForm::Hashes);
        let all = self.prefixes[prefix.0].next_hops.get(&node).map_or(&[][..], Vec::as_slice);
        if best_route { &all[..all.len().min(1)] } else { all }
    }

    /// Returns the links that Data under `prefix` crosses on the best path to `at`, in order.
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
    /// Returns the name of the process's requests at one of its nodes.
    pub fn at_node(&self, node: &str) -> String {
        format!("{}.{node}", self.name)
    }
}
