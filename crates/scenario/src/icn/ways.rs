//! Faces of nodes, and next hops that the scenario writes itself.

use super::model::Face;
use super::next_hops::next_hops;
use super::raw::{OneOrMore, RawPrefix};
use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::text::At;
use crate::{LinkId, NodeId, Scenario};
use narrows_params::suggest;
use narrows_path::RateSource;
use std::collections::BTreeMap;
use std::ops::Range;

/// Returns both ends of every two-way link.
pub(super) fn faces(
    raw: &RawScenario,
    scenario: &Scenario,
    twins: &[Option<LinkId>],
) -> Checked<Vec<Face>> {
    let twin = |index: usize| twins[index].or_else(|| opposite(scenario, index));
    for (index, link) in scenario.links.iter().enumerate() {
        let span = raw
            .link
            .iter()
            .find(|table| table.value.name.value == link.name)
            .map_or(0..0, |table| table.span.clone());
        if twin(index).is_none() {
            let message = format!(
                "\"{}\" leads one way, but Data comes back where its Interest went",
                link.name
            );
            return Err(Problem::at(
                &span,
                message,
                "give the link between = [\"one\", \"other\"] instead of from and to",
            ));
        }
        if !matches!(link.config.rate, RateSource::Constant(_)) {
            let message = format!(
                "\"{}\" has no constant rate, which shapers and laws of rates need",
                link.name
            );
            return Err(Problem::at(&span, message, "give the link a rate"));
        }
    }
    let ends = scenario.links.iter().enumerate();
    let faces = ends.filter_map(|(index, link)| {
        Some(Face { node: link.from, leaving: LinkId(index), coming: twin(index)? })
    });
    Ok(faces.collect())
}

/// Returns the link of the opposite direction between the same nodes. Either their names match, or
/// each is the only link of its direction.
fn opposite(scenario: &Scenario, index: usize) -> Option<LinkId> {
    let between = |from, to| {
        let mut found = scenario
            .links
            .iter()
            .enumerate()
            .filter(move |(_, link)| link.from == from && link.to == to);
        found.next().filter(|_| found.next().is_none()).map(|(index, _)| LinkId(index))
    };
    let link = &scenario.links[index];
    let back = |one: &str, other: &str| other.strip_suffix(".back") == Some(one);
    let named = scenario.links.iter().position(|other| {
        (other.from, other.to) == (link.to, link.from)
            && (back(&link.name, &other.name) || back(&other.name, &link.name))
    });
    named
        .map(LinkId)
        .or_else(|| between(link.from, link.to).and_then(|_| between(link.to, link.from)))
}

/// The nodes by name.
pub(super) struct Nodes<'a>(BTreeMap<&'a str, NodeId>);

impl<'a> Nodes<'a> {
    pub(super) fn new(scenario: &'a Scenario) -> Nodes<'a> {
        Nodes(
            scenario
                .nodes
                .iter()
                .enumerate()
                .map(|(index, node)| (node.name.as_str(), NodeId(index)))
                .collect(),
        )
    }

    pub(super) fn find(&self, name: &str, span: &Range<usize>) -> Checked<NodeId> {
        self.0.get(name).copied().ok_or_else(|| {
            Problem::at(
                span,
                format!("there is no node \"{name}\""),
                suggest(name, "nodes", self.0.keys().copied()),
            )
        })
    }

    pub(super) fn all(&self, names: &At<OneOrMore>) -> Checked<Vec<NodeId>> {
        let found = names
            .value
            .list()
            .iter()
            .map(|name| self.find(name, &names.span))
            .collect::<Checked<Vec<_>>>()?;
        distinct(found, &names.span, "node")
    }
}

/// Refuses an empty list and duplicates.
pub(super) fn distinct<T: PartialEq>(
    list: Vec<T>,
    span: &Range<usize>,
    what: &str,
) -> Checked<Vec<T>> {
    if list.is_empty() {
        return Err(Problem::at(span, format!("the list names no {what}"), "name at least one"));
    }
    if list.iter().enumerate().any(|(place, one)| list[..place].contains(one)) {
        return Err(Problem::at(span, format!("a {what} is named twice"), "name each once"));
    }
    Ok(list)
}

/// Returns the next hops towards producers at `at`: the written ones, or those that delays give.
pub(super) fn ways(
    raw: &RawPrefix,
    at: &[NodeId],
    multipath: bool,
    faces: &[Face],
    nodes: &Nodes,
    scenario: &Scenario,
) -> Checked<BTreeMap<NodeId, Vec<LinkId>>> {
    let mut hops = next_hops(scenario.nodes.len(), &scenario.links, faces, at, multipath);
    for (node, next) in &raw.next_hops {
        let id = nodes.find(&node.value, &node.span)?;
        if at.contains(&id) {
            let message = format!(
                "\"{}\" has a producer of \"{}\", and passes no Interest on",
                node.value, raw.name.value
            );
            return Err(Problem::at(&node.span, message, "take its next hops out"));
        }
        let links = next.value.iter().map(|hop| next_hop(id, hop, faces, nodes, scenario));
        let links = distinct(links.collect::<Checked<Vec<_>>>()?, &next.span, "next hop")?;
        hops.insert(id, links);
    }
    for (node, next) in &raw.next_hops {
        let id = nodes.find(&node.value, &node.span)?;
        if returns(id, &hops, scenario) {
            let message = format!(
                "Interests for \"{}\" that leave \"{}\" can come back to it",
                raw.name.value, node.value
            );
            return Err(Problem::at(
                &next.span,
                message,
                "let every next hop be nearer to a producer, on all ways from there",
            ));
        }
    }
    Ok(hops)
}

/// Finds the link from `node` to a next hop: the link with this name, or the only one to the
/// neighbour with this name.
fn next_hop(
    node: NodeId,
    hop: &At<String>,
    faces: &[Face],
    nodes: &Nodes,
    scenario: &Scenario,
) -> Checked<LinkId> {
    let leaving = || faces.iter().filter(|face| face.node == node).map(|face| face.leaving);
    if let Some(link) = leaving().find(|link| scenario.links[link.0].name == hop.value) {
        return Ok(link);
    }
    let to = nodes.find(&hop.value, &hop.span)?;
    let mut links = leaving().filter(|link| scenario.links[link.0].to == to);
    let here = &scenario.nodes[node.0].name;
    match (links.next(), links.next()) {
        (Some(only), None) => Ok(only),
        (Some(one), Some(other)) => {
            let [one, other] = [one, other].map(|link| &scenario.links[link.0].name);
            let help = format!("name the link: \"{one}\" or \"{other}\"");
            Err(Problem::at(
                &hop.span,
                format!("several links lead from \"{here}\" to \"{}\"", hop.value),
                help,
            ))
        }
        (None, _) => {
            let message = format!("no link leads from \"{here}\" to \"{}\"", hop.value);
            Err(Problem::at(&hop.span, message, "name a neighbour of the node"))
        }
    }
}

/// True if the next hops can lead from `node` back to it.
fn returns(node: NodeId, hops: &BTreeMap<NodeId, Vec<LinkId>>, scenario: &Scenario) -> bool {
    let mut seen = vec![false; scenario.nodes.len()];
    let mut next = vec![node];
    while let Some(here) = next.pop() {
        for to in hops.get(&here).into_iter().flatten().map(|link| scenario.links[link.0].to) {
            if to == node {
                return true;
            }
            if !std::mem::replace(&mut seen[to.0], true) {
                next.push(to);
            }
        }
    }
    false
}
