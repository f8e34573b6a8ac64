//! Load of an information-centric scenario on the emulator.

use crate::error::LiveError;
use narrows_scenario::{Icn, Ideal, NodeId, PrefixId, Scenario};
use narrows_units::Rate;
use std::collections::BTreeMap;

/// Packet size in which a host's maximum is counted; the cost of a packet does not depend on its
/// size.
const PACKET: f64 = 1_500.0;

/// Checks that a host with the capacity `maximum` (bit/s of 1500-byte packets) can carry this
/// scenario. The load is all Data that consumers can get at the same time, on each link of their
/// best paths, with an Interest for each Data packet. Request processes count with their mean
/// demand, if that is less.
///
/// # Errors
///
/// The load exceeds the capacity of the host.
pub fn affordable(scenario: &Scenario, icn: &Icn, maximum: Rate) -> Result<(), LiveError> {
    let mut ways: BTreeMap<(NodeId, PrefixId), f64> = BTreeMap::new();
    for process in &icn.requests {
        let segments: f64 =
            process.segments.iter().map(|(segments, share)| *segments as f64 * share).sum();
        let places = (process.at.len() * process.prefixes.len()) as f64;
        for (at, prefix) in process
            .at
            .iter()
            .flat_map(|at| process.prefixes.iter().map(move |prefix| (*at, *prefix)))
        {
            let bits = segments * (icn.prefixes[prefix.0].data.get() * 8) as f64;
            *ways.entry((at, prefix)).or_default() +=
                bits / process.every.as_secs_f64() / places / 1e6;
        }
    }
    ways.extend(
        icn.consumers.iter().map(|consumer| ((consumer.at, consumer.prefix), f64::INFINITY)),
    );
    let asked = ways.iter().map(|((at, prefix), offered)| {
        let data = icn.prefixes[prefix.0].data.get() as f64;
        let links = icn.way(*at, *prefix).len() as f64;
        Ideal::new(scenario, icn, *at, *prefix).rate().as_mbps().min(*offered)
            * links
            * 2.0
            * PACKET
            / data
    });
    let total: f64 = asked.sum();
    if total <= maximum.as_mbps() {
        return Ok(());
    }
    Err(LiveError::refused(
        ["icn"],
        format!(
            "its links are asked for {total:.0} Mbit/s together (in 1500-byte packets), and this host is taken to carry {maximum}"
        ),
        "lower the rates, or measure what this host carries with `narrows lab bench --live` and give it with --maximum",
    ))
}
