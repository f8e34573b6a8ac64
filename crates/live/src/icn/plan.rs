//! What each node of a scenario is to do.

use super::addresses::LinkEnds;
use super::messages::{ConsumerPlan, FacePlan, NodePlan, ProducerPlan, RouteEntry};
use super::sizes;
use crate::error::LiveError;
use crate::wire::DATAGRAM_HEADERS;
use narrows_icn::Method;
use narrows_ndn::Name;
use narrows_scenario::{Icn, LinkId, NodeId, Scenario};
use narrows_units::{Bytes, Random, Time};
use std::collections::BTreeMap;

/// The port that NDN forwarders listen on.
const PORT: u16 = 6363;
/// The rates that a configuration has room for, in bit/s.
const LEAST_RATE: u64 = 1;

/// The plans of all nodes, and the flows of the consumers in each.
///
/// # Errors
///
/// A name that is no NDN name, and Interests that are too small.
pub fn node_plans(scenario: &Scenario, icn: &Icn, ends: &LinkEnds) -> Result<Vec<(NodePlan, Vec<usize>)>, LiveError> {
    let largest = icn.prefixes.iter().map(|prefix| prefix.data).max().unwrap_or(Bytes::ZERO);
    let prefixes = icn.prefixes.iter().map(|prefix| {
        let problem = |error| LiveError::refused(["prefix", &prefix.name], format!("it is no name of NDN: {error}"), "write \"/film\"");
        prefix.name.parse::<Name>().map_err(|error| problem(error.to_string()))
    });
    let prefixes = prefixes.collect::<Result<Vec<_>, _>>()?;
    let contents = contents(icn, &prefixes)?;
    let rate = |link: LinkId| scenario.links[link.0].config.rate.mean().map_or(0, |rate| rate.as_bps()).max(LEAST_RATE);
    // NDN's share of a link: headers of IP and UDP take theirs of each Data.
    let net = |rate: u64, data: Bytes| (u128::from(rate) * u128::from((data - DATAGRAM_HEADERS).get()) / u128::from(data.get())) as u64;
    let plans = (0..scenario.nodes.len()).map(|node| {
        let own: Vec<(usize, _)> = icn.faces.iter().enumerate().filter(|(_, face)| face.node == NodeId(node)).collect();
        let face = |(place, face): &(usize, &narrows_scenario::Face)| FacePlan {
            neighbour: ends.neighbours[*place],
            inward: rate(face.coming),
            out: rate(face.leaving),
            has_law: icn.law.is_some(),
            measured: icn.measured,
        };
        // As in the simulator.
        let excess = if icn.measured { 4 } else { 1 };
        let most = own.iter().fold(0u64, |sum, (_, face)| sum.saturating_add(rate(face.coming))).saturating_mul(excess);
        let mut routes = Vec::new();
        for prefix in &icn.prefixes {
            let hops = prefix.next_hops.iter().find(|(at, _)| *at == NodeId(node)).map_or(&[][..], |(_, hops)| hops);
            for hop in hops {
                routes.extend(
                    own.iter().position(|(_, face)| face.leaving == *hop).map(|face| RouteEntry { prefix: prefix.name.clone(), face }),
                );
            }
        }
        let producer = |prefix: &&narrows_scenario::Prefix| prefix.at.contains(&NodeId(node));
        let producers = icn.prefixes.iter().filter(producer);
        let (mut consumers, mut flows) = (Vec::new(), Vec::new());
        for (flow, consumer) in icn.consumers.iter().enumerate().filter(|(_, consumer)| consumer.at == NodeId(node)) {
            flows.push(flow);
            let data = icn.prefixes[consumer.prefix.0].data;
            consumers.push(ConsumerPlan {
                by_rates: matches!(consumer.by, Method::Rates(_)),
                by_proxy: icn.proxy && matches!(consumer.by, Method::Window(_)),
                method: consumer.by.text().to_owned(),
                content: contents[flow].as_ref().to_string(),
                data: data.get(),
                segments: consumer.segments,
                start: nanos(consumer.start),
                stop: consumer.stop.map(nanos),
                seed: Random::stream(scenario.seed, &format!("consumer {}", consumer.name)).bits(),
                most: net(most, data),
            });
        }
        let plan = NodePlan {
            law: icn.law.as_ref().map_or("mircc", |law| law.text()).to_owned(),
            shaper: icn.shaper,
            shaper_queue: icn.shaper_queue as usize,
            strategy: icn.strategy.text().to_owned(),
            cache: icn.cache as usize,
            pending: icn.pending as usize,
            port: PORT,
            mtu: mtu(largest) - DATAGRAM_HEADERS.get() as u16,
            headers: DATAGRAM_HEADERS.get() as u16,
            faces: own.iter().map(face).collect(),
            routes,
            producers: producers.map(|prefix| ProducerPlan { prefix: prefix.name.clone(), data: sizes::data(prefix.data) }).collect(),
            consumers,
            interest: icn.interest.get(),
            lifetime: icn.lifetime.as_nanos(),
            interval: scenario.interval.as_nanos(),
            warmup: scenario.warmup.as_nanos(),
            duration: scenario.duration.as_nanos(),
        };
        (plan, flows)
    });
    Ok(plans.collect())
}

/// Octets of the largest packet with headers: Data have some octets more on each link that they cross.
pub fn mtu(data: Bytes) -> u16 {
    const ROOM: u64 = 100;
    const LEAST: u64 = 1280;
    (data.get() + ROOM).clamp(LEAST, 9000) as u16
}

/// The name above the segments of each consumer's content: it numbers the first consumer that asks for it, whose flow counts its packets.
fn contents(icn: &Icn, prefixes: &[Name]) -> Result<Vec<Name>, LiveError> {
    let mut owners: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut names = Vec::new();
    for (flow, consumer) in icn.consumers.iter().enumerate() {
        let owner = match &consumer.content {
            Some(content) => *owners.entry((consumer.prefix.0, content)).or_insert(flow),
            None => flow,
        };
        let (prefix, hops) = (&prefixes[consumer.prefix.0], icn.way(consumer.at, consumer.prefix).len());
        let digits = sizes::digits(prefix, icn.consumers.len(), hops, icn.interest).map_err(|needed| {
            let problem = format!("Interests for {} need {needed}, headers of IP and UDP included", icn.prefixes[consumer.prefix.0].name);
            LiveError::refused(["icn", "interest"], problem, format!("give {needed} or more, or simulate it with narrows run"))
        })?;
        names.push(sizes::content(prefix, owner, digits));
    }
    Ok(names)
}

fn nanos(time: Time) -> u64 {
    time.since(Time::ZERO).as_nanos()
}
