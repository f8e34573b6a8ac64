//! Plans of the nodes of a scenario.

use super::addresses::LinkEnds;
use super::asked::Asked;
use super::messages::{ConsumerPlan, FacePlan, NodePlan, ProducerPlan, RouteEntry};
use super::names::ContentNames;
use super::sizes;
use crate::error::LiveError;
use crate::wire::DATAGRAM_HEADERS;
use narrows_icn::Method;
use narrows_scenario::{Icn, LinkId, NodeId, Scenario};
use narrows_traffic::ContentId;
use narrows_units::{Bytes, Random, Time};

/// UDP port of NDN forwarders.
const PORT: u16 = 6363;
/// Least rate of a configuration, in bit/s.
const LEAST_RATE: u64 = 1;

/// The plan of a node, with the flows of its consumers.
pub struct PlannedNode {
    /// Plan that the node receives.
    pub plan: NodePlan,
    /// Flows of the consumers.
    pub consumers: Vec<usize>,
    /// Flows of the request processes.
    pub requests: Vec<usize>,
}

/// Makes the plans of all nodes.
///
/// # Errors
///
/// A name is not an NDN name, or Interests are too small.
pub fn node_plans(
    scenario: &Scenario,
    icn: &Icn,
    ends: &LinkEnds,
    asked: &Asked,
) -> Result<Vec<PlannedNode>, LiveError> {
    let largest = icn.prefixes.iter().map(|prefix| prefix.data).max().unwrap_or(Bytes::ZERO);
    let names = ContentNames::new(icn, asked)?;
    let rate = |link: LinkId| {
        scenario.links[link.0].config.rate.mean().map_or(0, |rate| rate.as_bps()).max(LEAST_RATE)
    };
    // NDN's part of a link's rate: the rest is for IP and UDP headers of Data.
    let net = |rate: u64, data: Bytes| {
        (u128::from(rate) * u128::from((data - DATAGRAM_HEADERS).get()) / u128::from(data.get()))
            as u64
    };
    let plans = (0..scenario.nodes.len()).map(|node| {
        let own: Vec<(usize, _)> =
            icn.faces.iter().enumerate().filter(|(_, face)| face.node == NodeId(node)).collect();
        let face = |(place, face): &(usize, &narrows_scenario::Face)| FacePlan {
            neighbour: ends.neighbours[*place],
            inward: rate(face.coming),
            out: rate(face.leaving),
            has_law: icn.law.is_some(),
            measured: icn.measured,
        };
        // The simulator has the same factor.
        let excess = if icn.measured { 4 } else { 1 };
        let most = own
            .iter()
            .fold(0u64, |sum, (_, face)| sum.saturating_add(rate(face.coming)))
            .saturating_mul(excess);
        let mut routes = Vec::new();
        for prefix in &icn.prefixes {
            let hops = prefix.next_hops.get(&NodeId(node)).map_or(&[][..], Vec::as_slice);
            for hop in hops {
                routes.extend(
                    own.iter()
                        .position(|(_, face)| face.leaving == *hop)
                        .map(|face| RouteEntry { prefix: prefix.name.clone(), face }),
                );
            }
        }
        let producer = |prefix: &&narrows_scenario::Prefix| prefix.at.contains(&NodeId(node));
        let producers = icn.prefixes.iter().filter(producer);
        let consumer = |by: &Method,
                        content: ContentId,
                        segments: Option<u64>,
                        start: Time,
                        stop: Option<Time>,
                        seed: u64| {
            let data = icn.prefixes[content.prefix.0].data;
            ConsumerPlan {
                by_rates: matches!(by, Method::Rates(_)),
                by_proxy: icn.proxy && matches!(by, Method::Window(_)),
                method: by.text().to_owned(),
                content: names.of(content).as_ref().to_string(),
                data: data.get(),
                segments,
                start: nanos(start),
                stop: stop.map(nanos),
                seed,
                most: net(most, data),
            }
        };
        let (mut consumers, mut consumer_flows, mut consumer_names) =
            (Vec::new(), Vec::new(), Vec::new());
        for (flow, plan) in
            icn.consumers.iter().enumerate().filter(|(_, consumer)| consumer.at == NodeId(node))
        {
            consumer_flows.push(flow);
            consumer_names.push(plan.name.clone());
            let seed = Random::stream(scenario.seed, &format!("consumer {}", plan.name)).bits();
            consumers.push(consumer(
                &plan.by,
                asked.contents.of_consumer(flow),
                plan.segments,
                plan.start,
                plan.stop,
                seed,
            ));
        }
        let processes =
            icn.requests.iter().flat_map(|process| process.at.iter().map(move |at| (process, *at)));
        let processes =
            (icn.consumers.len()..).zip(processes).filter(|(_, (_, at))| *at == NodeId(node));
        let (mut requests, mut request_flows, mut request_names) =
            (Vec::new(), Vec::new(), Vec::new());
        for (flow, (process, _)) in processes {
            request_flows.push(flow);
            request_names.push(process.name.clone());
            let each = asked.of_flow(flow).map(|request| {
                consumer(
                    &process.by,
                    request.content,
                    Some(request.segments),
                    request.at,
                    None,
                    request.seed,
                )
            });
            requests.push(each.collect());
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
            producers: producers
                .map(|prefix| ProducerPlan {
                    prefix: prefix.name.clone(),
                    data: sizes::data(prefix.data),
                })
                .collect(),
            consumers,
            consumer_names,
            requests,
            request_names,
            interest: icn.interest.get(),
            lifetime: icn.lifetime.as_nanos(),
            interval: scenario.interval.as_nanos(),
            warmup: scenario.warmup.as_nanos(),
            duration: scenario.duration.as_nanos(),
        };
        PlannedNode { plan, consumers: consumer_flows, requests: request_flows }
    });
    Ok(plans.collect())
}

/// Returns the size of the largest packet with headers, in bytes. Data grow by some bytes on each
/// link that they cross.
pub fn mtu(data: Bytes) -> u16 {
    const ROOM: u64 = 100;
    const LEAST: u64 = 1280;
    (data.get() + ROOM).clamp(LEAST, 9000) as u16
}

fn nanos(time: Time) -> u64 {
    time.since(Time::ZERO).as_nanos()
}
