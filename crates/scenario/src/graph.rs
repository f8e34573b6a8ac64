//! Random networks: many topologies for one question, because the result on a single topology may
//! be luck.
//!
//! `[graph]` draws connected links, a producer at each node, and consumers. It appends them to the
//! text of the scenario, as a named path does. The ranges are those of the first fairness tests of
//! MIRCC in this project: 6 to 16 nodes, up to 30 links of 4 to 20 Mbit/s and 3 to 11 ms, and 5 to
//! 50 flows over the paths of least delay, with round trips of 24 to 72 ms.

use crate::text::At;
use narrows_units::Random;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A random information-centric network: links, prefixes and consumers, each with one way, that are
/// added to those of this file.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Graph")]
pub(crate) struct RawGraph {
    /// Which one: each number draws another.
    pub draw: u64,
    /// No link carries Data in both directions. Default: false.
    #[serde(default)]
    pub one_way: bool,
}

/// Least and greatest propagation delay of a flow's round trip, in microseconds.
const ROUND_TRIPS: (u64, u64) = (24_000, 72_000);
/// Smallest number of flows in a graph.
const FEWEST: usize = 5;
/// Number of node pairs that are tried for flows.
const TRIES: usize = 2000;

/// Appends the drawn network to `text`.
pub(crate) fn append(text: &str, graph: &At<RawGraph>) -> String {
    let RawGraph { draw, one_way } = graph.value;
    let mut random = Random::stream(draw, "graph");
    loop {
        let drawn = Graph::draw(one_way, &mut random);
        if drawn.flows.len() >= FEWEST {
            return format!("{text}\n# Graph {draw}.\n{}", drawn.text());
        }
    }
}

struct Link {
    ends: (usize, usize),
    mbps: u64,
    micros: u64,
}

struct Flow {
    from: usize,
    to: usize,
    /// Start time, in milliseconds.
    start: u64,
}

struct Graph {
    nodes: usize,
    links: Vec<Link>,
    flows: Vec<Flow>,
}

impl Graph {
    fn draw(one_way: bool, random: &mut Random) -> Graph {
        let nodes = 6 + random.below(11) as usize;
        let most = (30 - (nodes - 1)).min(nodes * (nodes - 1) / 2 - (nodes - 1)) as u64;
        let extra = random.below(most + 1).max(4.min(most)) as usize;
        let mut ends: BTreeSet<(usize, usize)> =
            (1..nodes).map(|node| (random.below(node as u64) as usize, node)).collect();
        while ends.len() < nodes - 1 + extra {
            let (a, b) = (random.below(nodes as u64) as usize, random.below(nodes as u64) as usize);
            if a != b {
                ends.insert((a.min(b), a.max(b)));
            }
        }
        let links = ends
            .into_iter()
            .map(|ends| Link {
                ends,
                mbps: 4 + random.below(17),
                micros: 3000 + random.below(8000),
            })
            .collect();
        let mut graph = Graph { nodes, links, flows: Vec::new() };
        graph.draw_flows(one_way, random);
        graph
    }

    fn draw_flows(&mut self, one_way: bool, random: &mut Random) {
        let wanted = FEWEST + random.below(46) as usize;
        let mut used = BTreeSet::new();
        for _ in 0..TRIES {
            let (from, to) = (
                random.below(self.nodes as u64) as usize,
                random.below(self.nodes as u64) as usize,
            );
            if from == to || self.flows.len() == wanted {
                continue;
            }
            let way = self.way(from, to);
            let round: u64 = way.iter().map(|(link, _)| 2 * self.links[*link].micros).sum();
            let against = |(link, forward): &(usize, bool)| used.contains(&(*link, !forward));
            if round < ROUND_TRIPS.0 || round > ROUND_TRIPS.1 || one_way && way.iter().any(against)
            {
                continue;
            }
            used.extend(way);
            self.flows.push(Flow { from, to, start: random.below(1000) });
        }
    }

    /// Returns the links of the path of least delay, each with true if the path crosses it from its
    /// first end.
    fn way(&self, from: usize, to: usize) -> Vec<(usize, bool)> {
        let mut delays = vec![u64::MAX; self.nodes];
        delays[to] = 0;
        let steps = |here: usize| {
            let beyond = move |link: &Link| match link.ends {
                (a, b) if a == here => Some((b, true)),
                (a, b) if b == here => Some((a, false)),
                _ => None,
            };
            self.links
                .iter()
                .enumerate()
                .filter_map(move |(index, link)| Some((index, link.micros, beyond(link)?)))
        };
        for _ in 1..self.nodes {
            for node in 0..self.nodes {
                let best = steps(node)
                    .map(|(_, micros, (next, _))| delays[next].saturating_add(micros))
                    .min();
                delays[node] = best.map_or(delays[node], |best| best.min(delays[node]));
            }
        }
        let (mut here, mut way) = (from, Vec::new());
        while here != to {
            let next = steps(here)
                .min_by_key(|(_, micros, (next, _))| delays[*next].saturating_add(*micros));
            let (link, _, (next, forward)) = next.expect("the graph is connected");
            way.push((link, forward));
            here = next;
        }
        way
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for Link { ends: (a, b), mbps, micros } in &self.links {
            let _ = write!(
                text,
                "\n[[link]]\nname = \"{a}-{b}\"\nbetween = [\"{a}\", \"{b}\"]\nrate = \"{mbps} Mbit/s\"\ndelay = \"{micros} us\"\nbuffer = \"{} us\"\n",
                ROUND_TRIPS.1
            );
        }
        for node in 0..self.nodes {
            let _ = write!(text, "\n[[prefix]]\nname = \"/{node}\"\nat = \"{node}\"\n");
        }
        for (place, Flow { from, to, start }) in self.flows.iter().enumerate() {
            let _ = write!(
                text,
                "\n[[consumer]]\nname = \"f{place}\"\nat = \"{from}\"\nprefix = \"/{to}\"\nstart = \"{start} ms\"\n"
            );
        }
        text
    }
}
