//! Records of programs' flows, from the counts of the network and of the kernel.

use super::sampler::{FlowConnections, Repeats};
use crate::emulator::{FlowStats, with_sockets};
use narrows_control::Controllers;
use narrows_measure::{FlowCounters, FlowRecord};
use narrows_params::Catalogue;
use narrows_scenario::Scenario;
use narrows_units::Time;

/// Returns the records of programs' flows: for each pair of hosts, the direction in which more data
/// was sent.
pub fn flow_records(
    scenario: &Scenario,
    own: usize,
    network: Vec<FlowStats>,
    kernel: Vec<FlowConnections>,
) -> Vec<FlowRecord> {
    let parts = scenario.flow_records().skip(own).zip(network).zip(kernel);
    let mut records: Vec<FlowRecord> =
        parts.map(|((blank, network), kernel)| record(blank, network, kernel)).collect();
    let mut kept = Vec::new();
    while records.len() >= 2 {
        let mut pair = records.drain(..2);
        let (Some(there), Some(back)) = (pair.next(), pair.next()) else { break };
        kept.push(if back.total.arrived_wire > there.total.arrived_wire { back } else { there });
    }
    if kept.len() > 1 && kept.iter().any(|flow| flow.total.sent > 0) {
        kept.retain(|flow| flow.total.sent > 0);
    }
    kept
}

fn record(blank: FlowRecord, network: FlowStats, kernel: FlowConnections) -> FlowRecord {
    let counters = |network: FlowCounters, kernel: Repeats| FlowCounters {
        retransmitted: kernel.retransmitted,
        timeouts: kernel.timeouts,
        ..network
    };
    let total = counters(network.counters, kernel.total);
    let named = |kernel: &str| {
        Controllers::all()
            .iter()
            .find(|entry| entry.kernel() == Some(kernel))
            .map_or(kernel.to_owned(), |entry| entry.name().to_owned())
    };
    FlowRecord {
        controller: kernel.controller.as_deref().map_or("none".to_owned(), named),
        start: Time::ZERO,
        total,
        steady: total.since(&counters(network.at_warmup, kernel.at_warmup)),
        rtt: network.rtt,
        one_way: network.one_way,
        samples: network
            .samples
            .into_iter()
            .zip(kernel.samples)
            .map(|(network, sockets)| with_sockets(network, sockets))
            .collect(),
        ..blank
    }
}
