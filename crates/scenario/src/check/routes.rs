//! Finds routes through the network.

use crate::error::{Checked, Problem};
use crate::text::At;
use crate::{Link, LinkId, Node, NodeId};
use narrows_params::suggest;
use std::collections::{BTreeMap, VecDeque};

/// The network, with indices for finding routes.
pub(super) struct Map<'a> {
    nodes: &'a [Node],
    links: &'a [Link],
    twins: &'a [Option<LinkId>],
    by_name: BTreeMap<&'a str, LinkId>,
    leaving: Vec<Vec<LinkId>>,
    node_names: BTreeMap<&'a str, NodeId>,
}

impl<'a> Map<'a> {
    pub fn new(nodes: &'a [Node], links: &'a [Link], twins: &'a [Option<LinkId>]) -> Map<'a> {
        let mut leaving = vec![Vec::new(); nodes.len()];
        for (index, link) in links.iter().enumerate() {
            leaving[link.from.0].push(LinkId(index));
        }
        let by_name = links
            .iter()
            .enumerate()
            .map(|(index, link)| (link.name.as_str(), LinkId(index)))
            .collect();
        let node_names = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| (node.name.as_str(), NodeId(index)))
            .collect();
        Map { nodes, links, twins, by_name, leaving, node_names }
    }

    /// Finds the node of this name.
    pub fn node(&self, name: &At<String>) -> Checked<NodeId> {
        self.node_names.get(name.value.as_str()).copied().ok_or_else(|| {
            let known = self.nodes.iter().map(|node| node.name.as_str());
            Problem::at(
                &name.span,
                format!("there is no node \"{}\"", name.value),
                suggest(&name.value, "nodes", known),
            )
        })
    }

    /// Finds the route with the fewest links; among several, the one with links earlier in the
    /// file.
    pub fn shortest(&self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let mut reached: Vec<Option<LinkId>> = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for id in &self.leaving[node.0] {
                let next = self.links[id.0].to;
                if next != from && reached[next.0].is_none() {
                    reached[next.0] = Some(*id);
                    queue.push_back(next);
                }
            }
        }
        let mut way = Vec::new();
        let mut node = to;
        while node != from {
            let id = reached[node.0]?;
            way.push(id);
            node = self.links[id.0].from;
        }
        way.reverse();
        Some(way)
    }

    /// Returns the reverse route, if all links are two-way.
    pub fn reverse(&self, route: &[LinkId]) -> Option<Vec<LinkId>> {
        route.iter().rev().map(|id| self.twins[id.0]).collect()
    }

    /// Checks a written route: connected, from one end to the other, without loops.
    pub fn written(
        &self,
        route: &At<Vec<At<String>>>,
        from: NodeId,
        to: NodeId,
    ) -> Checked<Vec<LinkId>> {
        let name = |node: NodeId| &self.nodes[node.0].name;
        let mut way = Vec::new();
        let mut visited = vec![from];
        let mut here = from;
        for step in &route.value {
            let id = self.link(step)?;
            let link = &self.links[id.0];
            if link.from != here {
                let help = match self.twins[id.0] {
                    Some(twin) if self.links[twin.0].from == here => {
                        format!("its other direction is \"{}\"", self.links[twin.0].name)
                    }
                    _ => suggest(
                        "",
                        &format!("links from \"{}\"", name(here)),
                        self.leaving[here.0].iter().map(|id| self.links[id.0].name.as_str()),
                    ),
                };
                let message = format!(
                    "\"{}\" leads from \"{}\" to \"{}\", but here the route is at \"{}\"",
                    link.name,
                    name(link.from),
                    name(link.to),
                    name(here)
                );
                return Err(Problem::at(&step.span, message, help));
            }
            if visited.contains(&link.to) {
                return Err(Problem::at(
                    &step.span,
                    format!(
                        "\"{}\" leads back to \"{}\", where the route has already been",
                        link.name,
                        name(link.to)
                    ),
                    "leave out the links of the loop",
                ));
            }
            visited.push(link.to);
            here = link.to;
            way.push(id);
        }
        if here != to {
            return Err(Problem::at(
                &route.span,
                format!("the route ends at \"{}\", not at \"{}\"", name(here), name(to)),
                "add the links that are missing, or leave the route out to take the fewest hops",
            ));
        }
        Ok(way)
    }

    /// Finds the link of this name.
    pub fn link(&self, name: &At<String>) -> Checked<LinkId> {
        self.by_name.get(name.value.as_str()).copied().ok_or_else(|| {
            let known = self.links.iter().map(|link| link.name.as_str());
            Problem::at(
                &name.span,
                format!("there is no link \"{}\"", name.value),
                suggest(&name.value, "links", known),
            )
        })
    }
}
