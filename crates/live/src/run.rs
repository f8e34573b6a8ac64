//! A scenario from beginning to end on the kernel.

use crate::acks::Listener;
use crate::classify::Lanes;
use crate::desk::FlowTally;
use crate::emulator::Seen;
use crate::error::LiveError;
use crate::hosts::{Host, endpoints};
use crate::loans;
use crate::refuse::{Kernel, has_flows, plan};
use crate::sockets::{Outcome, Sockets};
use crate::stage::play;
use narrows_measure::{AckSample, Emulation, FlowCounters, FlowRecord, FlowSample, Limit, Record};
use narrows_scenario::{Flow, Scenario, Workload};
use narrows_traffic::LISTED;
use narrows_units::Time;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Called now and then with the time reached; answers whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(Time) -> bool;

/// What is looked at besides.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Record each call of the controllers that the kernel is given, and decide it again in native code ([`Emulation::replays`]).
    pub replay: bool,
    /// Flows, by their numbers in the scenario, of which each acknowledgement is looked at.
    pub acks: Vec<usize>,
}

/// What acknowledgements found of connections.
#[derive(Clone, Debug, Default)]
pub struct Acks {
    /// In their order.
    pub samples: Vec<AckSample>,
    /// How many are missing, because the machine was too busy to read them.
    pub missed: u64,
}

/// Runs a scenario to its end, in as much time as it says.
pub fn run(scenario: &Scenario, progress: Progress<'_>) -> Result<Record, LiveError> {
    run_with(scenario, &Extras::default(), progress).map(|(record, _)| record)
}

/// The same, with more to look at.
///
/// # Errors
///
/// As [`run`] has them; besides, nothing to replay, and a kernel or a build that cannot trace acknowledgements.
pub fn run_with(scenario: &Scenario, extras: &Extras, progress: Progress<'_>) -> Result<(Record, Acks), LiveError> {
    has_flows(scenario)?;
    let places = endpoints(scenario);
    let ends: Vec<(usize, usize)> = scenario.flows.iter().map(|flow| (places[&flow.from], places[&flow.to])).collect();
    let (plan, lent) = loans::lend(|| plan(scenario, &ends, places.len(), &Kernel::running()?), extras)?;
    let hosts: Result<Vec<Host>, LiveError> =
        places.iter().map(|(node, place)| Host::new(&scenario.nodes[node.0].name, *place as u16, &plan)).collect();
    let hosts = hosts?;
    let lanes = Lanes::new(ends, scenario.flows.len());
    let mut sockets = Sockets::open(scenario, &hosts, &lanes.ends, &plan)?;
    let mut listener = (!extras.acks.is_empty()).then(|| Listener::new(&hosts, extras.acks.clone())).transpose()?;
    let played = play(scenario, &hosts, &lanes, progress, |clock, go_on| {
        let talking = AtomicBool::new(true);
        thread::scope(|scope| {
            if let Some(listener) = &mut listener {
                let talking = &talking;
                scope.spawn(move || listener.run(clock, &|| talking.load(Ordering::Relaxed)));
            }
            let talked = sockets.run(clock, go_on);
            talking.store(false, Ordering::Relaxed);
            talked
        })
    })?;
    let acks = listener.map(Listener::finish).unwrap_or_default();
    let lateness = std::mem::take(&mut sockets.lateness);
    let outcomes = sockets.finish();
    let limits = scenario.flows.iter().zip(&outcomes).filter_map(|(flow, outcome)| limit(flow, outcome)).collect();
    let emulation = Emulation { replays: lent.finish(), ..played.emulation(scenario, limits, &lateness) };
    Ok((record(scenario, played.seen, outcomes, emulation), acks))
}

/// What held back a flow since the warm-up, if it always had data and the scenario does not limit its window.
fn limit(flow: &Flow, outcome: &Outcome) -> Option<Limit> {
    let (before, after) = (&outcome.at_warmup.own, &outcome.at_end.own);
    let busy = after.busy_time - before.busy_time;
    if flow.workload != Workload::Bulk || flow.transport.receive_window.is_some() || busy == 0 {
        return None;
    }
    let share = |before: u64, after: u64| (after - before) as f64 / busy as f64;
    Some(Limit {
        flow: flow.name.clone(),
        send_buffer: share(before.sndbuf_limited, after.sndbuf_limited),
        receive_window: share(before.rwnd_limited, after.rwnd_limited),
    })
}

/// What the emulator and the sockets of all flows have seen.
pub(crate) fn record(scenario: &Scenario, seen: Seen, outcomes: Vec<Outcome>, emulation: Emulation) -> Record {
    let parts = scenario.flows.iter().zip(seen.tallies).zip(outcomes);
    let flows = parts.map(|((plan, tally), outcome)| flow_record(scenario, plan, tally, outcome));
    let flows = flows.collect();
    let Scenario { seed, duration, warmup, interval, .. } = *scenario;
    Record {
        seed,
        duration,
        warmup,
        part: None,
        interval,
        flows,
        links: seen.links,
        changes: scenario.recorded_changes(),
        events: seen.tally.packets,
        hops: seen.hops,
        icn: None,
        emulation: Some(emulation),
    }
}

/// What the network and the sockets know of a flow.
fn flow_record(scenario: &Scenario, plan: &Flow, tally: FlowTally, outcome: Outcome) -> FlowRecord {
    let Outcome { mut application, mut ledger, samples, at_warmup, at_end } = outcome;
    let end = Time::ZERO + scenario.duration;
    let mut room = LISTED;
    for number in tally.lost {
        application.datagram(end, &mut ledger, number, false, &mut room);
    }
    let counters = |network: FlowCounters, sockets: FlowCounters| {
        let FlowCounters { retransmitted, timeouts, duplicates, .. } = sockets;
        FlowCounters { retransmitted, timeouts, duplicates, ..network }
    };
    let total = counters(tally.counters, at_end.counters);
    let sample = |(network, sockets): (FlowSample, FlowSample)| {
        let FlowSample { rtt, arrived_wire, sent, dropped, goodput, .. } = network;
        FlowSample { rtt, arrived_wire, sent, dropped, goodput, ..sockets }
    };
    FlowRecord {
        name: plan.name.clone(),
        controller: plan.controller.as_ref().map_or("none".to_owned(), |choice| choice.text().to_owned()),
        start: plan.start,
        end: application.finished_at(),
        completed: application.completed(),
        transfers: application.into_transfers(end, &ledger),
        route: plan.route.iter().map(|id| id.0).collect(),
        mss: plan.transport.mss,
        base_rtt: scenario.base_rtt(plan),
        total,
        steady: total.since(&counters(tally.at_warmup, at_warmup.counters)),
        rtt: tally.rtt,
        one_way: tally.one_way,
        samples: tally.samples.into_iter().zip(samples).map(sample).collect(),
    }
}
