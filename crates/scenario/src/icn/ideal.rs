//! Ideal completion times of contents.

use super::model::{Icn, PrefixId};
use crate::{LinkId, NodeId, Scenario};
use narrows_units::{Rate, Span};

/// The ideal times of a content that is alone on the paths from a node to the producers of a
/// prefix. Links count with their best rate and delay during the run.
#[derive(Clone, Copy, Debug)]
pub struct Ideal {
    /// Time from the first Interest to the first Data packet, on the fastest path.
    first: Span,
    /// Time between two Data packets if all paths are used.
    each: Span,
    rate: Rate,
    /// Links in the minimal cut. Each may deliver a Data packet at the same time as the first one.
    abreast: u64,
}

/// A hop towards a producer: an Interest goes out, and Data comes back.
struct Hop {
    from: usize,
    to: usize,
    time: Span,
    /// Unused rate of Data, and used rate, in bit/s.
    free: u64,
    used: u64,
}

impl Ideal {
    /// Computes the times from this node to the producers of this prefix.
    pub fn new(scenario: &Scenario, icn: &Icn, at: NodeId, prefix: PrefixId) -> Ideal {
        let plan = &icn.prefixes[prefix.0];
        let mut hops = hops(scenario, icn, prefix);
        let mut times = vec![Span::MAX; scenario.nodes.len()];
        plan.at.iter().for_each(|producer| times[producer.0] = Span::ZERO);
        for _ in 0..scenario.nodes.len() {
            for hop in &hops {
                times[hop.from] = times[hop.from].min(hop.time + times[hop.to]);
            }
        }
        let producer = |node: usize| plan.at.contains(&NodeId(node));
        while let Some(way) = augmenting(&hops, scenario.nodes.len(), at.0, producer).1 {
            let more = way
                .iter()
                .map(|(hop, there)| if *there { hops[*hop].free } else { hops[*hop].used })
                .min()
                .unwrap_or(0);
            for (hop, there) in way {
                let hop = &mut hops[hop];
                (hop.free, hop.used) = if there {
                    (hop.free - more, hop.used + more)
                } else {
                    (hop.free + more, hop.used - more)
                };
            }
        }
        // Full links between reachable nodes and the others are the minimal cut (Ford and
        // Fulkerson).
        let (reached, _) = augmenting(&hops, scenario.nodes.len(), at.0, producer);
        let narrowest = hops.iter().filter(|hop| reached[hop.from] && !reached[hop.to]);
        let (abreast, sum) = narrowest
            .fold((0, 0u64), |(count, sum), hop| (count + 1, sum.saturating_add(hop.used)));
        Ideal {
            first: times[at.0],
            each: Rate::from_bps(sum).time_for(plan.data),
            rate: Rate::from_bps(sum),
            abreast,
        }
    }

    /// Returns the rate of Data if all paths are used; zero if nothing limits it.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the least time for this many Data packets.
    pub fn time(&self, segments: u64) -> Span {
        self.first + self.each * segments.saturating_sub(self.abreast)
    }
}

fn hops(scenario: &Scenario, icn: &Icn, prefix: PrefixId) -> Vec<Hop> {
    let plan = &icn.prefixes[prefix.0];
    let mut hops = Vec::new();
    for node in plan.next_hops.keys() {
        for leaving in icn.next_hops(*node, prefix) {
            let Some(face) = icn.faces.iter().find(|face| face.leaving == *leaving) else {
                continue;
            };
            let ((there, there_delay), (back, back_delay)) =
                (best(scenario, face.leaving), best(scenario, face.coming));
            let time =
                there_delay + back_delay + there.time_for(icn.interest) + back.time_for(plan.data);
            hops.push(Hop {
                from: node.0,
                to: scenario.links[leaving.0].to.0,
                time,
                free: back.as_bps(),
                used: 0,
            });
        }
    }
    hops
}

/// Returns the best rate of a link during the run (of a trace, its mean), and its least delay.
fn best(scenario: &Scenario, link: LinkId) -> (Rate, Span) {
    let (rate, delay) = scenario.best_of(link);
    (rate.mean().unwrap_or(Rate::ZERO), delay)
}

/// Finds the nodes that an additional flow from `start` can reach, and a path to a producer if one
/// is reachable. Each hop of the path is true if it goes forward, or false if it takes back flow
/// that can use another path.
fn augmenting(
    hops: &[Hop],
    nodes: usize,
    start: usize,
    producer: impl Fn(usize) -> bool,
) -> (Vec<bool>, Option<Vec<(usize, bool)>>) {
    let mut by: Vec<Option<(usize, bool)>> = vec![None; nodes];
    let mut reached = vec![false; nodes];
    reached[start] = true;
    let mut next = std::collections::VecDeque::from([start]);
    while let Some(here) = next.pop_front() {
        if producer(here) {
            let mut way = Vec::new();
            let mut at = here;
            while let Some((hop, there)) = by[at] {
                way.push((hop, there));
                at = if there { hops[hop].from } else { hops[hop].to };
            }
            return (reached, Some(way));
        }
        for (place, hop) in hops.iter().enumerate() {
            let step = match (hop.from == here && hop.free > 0, hop.to == here && hop.used > 0) {
                (true, _) => (hop.to, true),
                (_, true) => (hop.from, false),
                _ => continue,
            };
            if !std::mem::replace(&mut reached[step.0], true) {
                by[step.0] = Some((place, step.1));
                next.push_back(step.0);
            }
        }
    }
    (reached, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ideal(links: &str, strategy: &str) -> Ideal {
        steered(links, strategy, "labels")
    }

    fn steered(links: &str, strategy: &str, steering: &str) -> Ideal {
        let text = format!(
            "duration = \"1 s\"\n[icn]\nlaw = \"none\"\nstrategy = \"{strategy}\"\nsteering = \"{steering}\"\n{links}\
             [[prefix]]\nname = \"/p\"\nat = \"d\"\ndata = \"1000 B\"\n[[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncontroller = \"cubic\"\n"
        );
        let scenario =
            crate::parse(&text, "test.toml", &|path| panic!("no trace is read from {path:?}"))
                .unwrap_or_else(|error| panic!("{}", error.short()));
        let icn = scenario.icn.as_ref().expect("it is one");
        Ideal::new(&scenario, icn, icn.consumers[0].at, PrefixId(0))
    }

    fn link(from: &str, to: &str, rate: u64, ms: u64) -> String {
        format!(
            "[[link]]\nname = \"{from}{to}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"{rate} Mbit/s\"\ndelay = \"{ms} ms\"\n"
        )
    }

    #[test]
    fn one_way_by_hand() {
        let links = link("a", "b", 8, 2) + &link("b", "d", 4, 5);
        let alone = ideal(&links, "weighted");
        // 14 ms of delays, 1 + 2 ms for the Data packet, and small Interests. The slower link
        // limits the rest.
        assert!(
            alone.first > Span::from_millis(17) && alone.first < Span::from_micros(17_500),
            "{:?}",
            alone
        );
        assert_eq!(alone.time(11), alone.first + Span::from_millis(20));
    }

    #[test]
    fn two_ways_bring_data_at_once_and_the_faster_one_brings_it_first() {
        let links = link("a", "d", 8, 20) + &link("a", "b", 4, 2) + &link("b", "d", 2, 5);
        let both = ideal(&links, "weighted");
        assert!(
            both.first > Span::from_millis(20) && both.first < Span::from_millis(22),
            "{both:?}"
        );
        // 8 + 2 Mbit/s; the first two packets arrive in parallel.
        assert_eq!((both.each, both.abreast), (Span::from_micros(800), 2));
        assert_eq!(both.time(12), both.first + Span::from_millis(8));
        let best = ideal(&links, "best-route");
        assert_eq!((best.first, best.each, best.abreast), (both.first, Span::from_millis(4), 1));
    }

    #[test]
    fn steering_that_leaves_the_best_route_has_all_ways() {
        let links = link("a", "d", 2, 5) + &link("a", "b", 8, 4) + &link("b", "d", 8, 4);
        let each = |steering: &str| steered(&links, "best-route", steering).each;
        assert_eq!(
            ["labels", "hashes", "random", "bloom"].map(each),
            [4_000, 4_000, 800, 800].map(Span::from_micros)
        );
    }
}
