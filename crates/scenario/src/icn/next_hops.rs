//! Computes the next hops towards producers.

use super::model::Face;
use crate::{Link, LinkId, NodeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A distance: the delay in nanoseconds, and the number of links, which decides if delays are
/// equal.
type Distance = (u64, u64);

/// Returns the links to the next hops, the best first, for each node that has a path to a producer
/// but no producer itself. Next hops are all neighbours that are nearer to a producer than the
/// node, so that no Interest returns. Without `multipath`, only the best is a next hop.
pub(super) fn next_hops(
    nodes: usize,
    links: &[Link],
    faces: &[Face],
    producers: &[NodeId],
    multipath: bool,
) -> BTreeMap<NodeId, Vec<LinkId>> {
    let distances = distances(nodes, links, faces, producers);
    let hops = (0..nodes).map(NodeId).filter(|node| !producers.contains(node)).filter_map(|node| {
        let own = distances[node.0]?;
        let mut nearer: Vec<(Distance, LinkId)> = (faces.iter().filter(|face| face.node == node))
            .filter_map(|face| {
                let next = distances[links[face.leaving.0].to.0]?;
                let through = over(links, face.leaving, next);
                // Across a link without delay the distance differs by the link count only.
                (next.0 < own.0 || through == own).then_some((through, face.leaving))
            })
            .collect();
        nearer.sort();
        nearer.truncate(if multipath { usize::MAX } else { 1 });
        Some((node, nearer.into_iter().map(|(_, link)| link).collect()))
    });
    hops.collect()
}

/// Returns the distance of each node from the nearest producer; `None` without a path.
fn distances(
    nodes: usize,
    links: &[Link],
    faces: &[Face],
    producers: &[NodeId],
) -> Vec<Option<Distance>> {
    let mut distances: Vec<Option<Distance>> = vec![None; nodes];
    let mut next: BinaryHeap<Reverse<(Distance, usize)>> =
        producers.iter().map(|node| Reverse(((0, 0), node.0))).collect();
    while let Some(Reverse((distance, node))) = next.pop() {
        if distances[node].is_some() {
            continue;
        }
        distances[node] = Some(distance);
        for face in faces.iter().filter(|face| links[face.leaving.0].to.0 == node) {
            next.push(Reverse((over(links, face.leaving, distance), face.node.0)));
        }
    }
    distances
}

/// Adds a link to a distance.
fn over(links: &[Link], link: LinkId, (delay, hops): Distance) -> Distance {
    (delay + links[link.0].config.delay.as_nanos(), hops + 1)
}
