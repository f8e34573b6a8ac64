//! Runs a scenario on the kernel.

use crate::acks::{Acks, Listener};
use crate::emulator::{
    Classifier, EgressQueue, Emulated, FlowStats, Progress, Session, Transit, with_sockets,
};
use crate::error::LiveError;
use crate::host::{self, Host, LoadedControllers};
use crate::icn::{self, NodeProgram};
use crate::plan::{HostMap, plan};
use crate::sockets::{Outcome, Sockets};
use crate::tap::tap;
use crate::wire::WirePacket;
use narrows_measure::{Emulation, FlowCounters, FlowRecord, Follower, Limit, Record};
use narrows_scenario::{Flow, Scenario, Workload};
use narrows_traffic::LISTED;
use narrows_units::Time;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Further observations of a run.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// True to record each call of loaded controllers, and to replay it in native code
    /// ([`Emulation::replays`]).
    pub replay: bool,
    /// Flows, by their numbers in the scenario, with a sample at each acknowledgement ([`Acks`]).
    pub acks: Vec<usize>,
    /// Program of the nodes of information-centric scenarios.
    pub nodes: Option<NodeProgram>,
}

/// Checks that this host's kernel supports a scenario, as far as that is known before it starts.
///
/// # Errors
///
/// A missing feature: the place in the scenario, the problem and the remedy.
pub fn supports(scenario: &Scenario) -> Result<(), LiveError> {
    let map = HostMap::of(scenario);
    plan(scenario, &map.ends, map.numbers.len(), &host::running()?).map(drop)
}

/// Runs a scenario to its end, in real time.
pub fn run(scenario: &Scenario, progress: Progress<'_>) -> Result<Record, LiveError> {
    run_with(scenario, &Extras::default(), progress, &mut ()).map(|(record, _)| record)
}

/// Runs a scenario with further observations, while `follower` receives samples. It is called on
/// the thread that calls `progress`. No thread of the emulation waits for it; if it is too slow, it
/// misses samples.
///
/// # Errors
///
/// The errors of [`run`]; also nothing to replay, and a kernel or a build that cannot trace
/// acknowledgements.
pub fn run_with(
    scenario: &Scenario,
    extras: &Extras,
    progress: Progress<'_>,
    follower: &mut dyn Follower,
) -> Result<(Record, Acks), LiveError> {
    if let Some(icn) = &scenario.icn {
        if extras.replay {
            let problem = "--replay recomputes the decisions of controllers in the kernel, and nodes have none";
            return Err(LiveError::refused(["icn"], problem, "leave --replay out"));
        }
        let record = icn::run(
            scenario,
            icn,
            extras.nodes.as_ref().ok_or(LiveError::NoNodes)?,
            progress,
            follower,
        )?;
        return Ok((record, Acks::default()));
    }
    let map = HostMap::of(scenario);
    let planned = || plan(scenario, &map.ends, map.numbers.len(), &host::running()?);
    let (plan, loaded) = LoadedControllers::load_planned(planned, extras.replay)?;
    let hosts = Host::all(scenario, &map, &plan)?;
    let mut sockets = Sockets::open(scenario, &hosts, &map.ends, &plan)?;
    let mut listener = (!extras.acks.is_empty())
        .then(|| Listener::new(&hosts, extras.acks.clone()))
        .transpose()?;
    let classifier = Classifier::new(map.ends.clone(), scenario.flows.len());
    let (tap, mut spout) = tap(scenario.flows.len(), follower);
    if follower.follows() {
        follower.begun(scenario.blank_record::<Transit<WirePacket>>().finish());
    }
    let progress: Progress<'_> = &mut |now| {
        spout.iter_mut().for_each(|spout| spout.pour(follower));
        progress(now)
    };
    let session = Session::run(
        scenario,
        &hosts,
        || EgressQueue::new(&classifier, &scenario.flows),
        progress,
        &tap,
        |clock, go_on| {
            let running = AtomicBool::new(true);
            thread::scope(|scope| {
                if let Some(listener) = &mut listener {
                    let running = &running;
                    scope.spawn(move || listener.run(clock, &|| running.load(Ordering::Relaxed)));
                }
                let result = sockets.run(clock, &tap, go_on);
                running.store(false, Ordering::Relaxed);
                result
            })
        },
    )?;
    let acks = listener.map(Listener::finish).unwrap_or_default();
    let lateness = std::mem::take(&mut sockets.lateness);
    let outcomes = sockets.finish();
    let limits = scenario
        .flows
        .iter()
        .zip(&outcomes)
        .filter_map(|(flow, outcome)| limit(flow, outcome))
        .collect();
    let emulation =
        Emulation { replays: loaded.finish(), ..session.emulation(scenario, limits, &lateness) };
    Ok((record(scenario, session.emulated, outcomes, emulation), acks))
}

/// Returns the limits that held back a flow since the warm-up, if it always had data and the
/// scenario does not limit its window.
fn limit(flow: &Flow, outcome: &Outcome) -> Option<Limit> {
    let (before, after) = (&outcome.at_warmup.own, &outcome.at_end.own);
    let busy = after.busy_time - before.busy_time;
    if flow.workload != Workload::Bulk
        || !flow.pauses.is_empty()
        || flow.transport.receive_window.is_some()
        || busy == 0
    {
        return None;
    }
    let share = |before: u64, after: u64| (after - before) as f64 / busy as f64;
    Some(Limit {
        flow: flow.name.clone(),
        send_buffer: share(before.sndbuf_limited, after.sndbuf_limited),
        receive_window: share(before.rwnd_limited, after.rwnd_limited),
    })
}

/// Builds the record of a run from the results of the emulator and of all flows' sockets.
pub(crate) fn record(
    scenario: &Scenario,
    emulated: Emulated<Vec<FlowStats>>,
    outcomes: Vec<Outcome>,
    emulation: Emulation,
) -> Record {
    let parts = scenario.flow_records().zip(emulated.flows).zip(outcomes);
    let end = Time::ZERO + scenario.duration;
    let flows = parts.map(|((blank, network), outcome)| flow_record(blank, end, network, outcome));
    scenario
        .record()
        .flows(flows.collect())
        .links(emulated.links)
        .events(emulated.stats.packets)
        .emulation(emulation)
        .finish()
}

/// Builds the record of a flow from the counts of the network and of its sockets.
fn flow_record(blank: FlowRecord, end: Time, network: FlowStats, outcome: Outcome) -> FlowRecord {
    let Outcome { mut application, mut ledger, samples, at_warmup, at_end } = outcome;
    let mut room = LISTED;
    for number in network.lost {
        application.datagram(end, &mut ledger, number, false, &mut room);
    }
    let counters = |network: FlowCounters, sockets: FlowCounters| {
        let FlowCounters { retransmitted, timeouts, duplicates, .. } = sockets;
        FlowCounters { retransmitted, timeouts, duplicates, ..network }
    };
    let total = counters(network.counters, at_end.counters);
    FlowRecord {
        end: application.finished_at(),
        completed: application.completed(),
        transfers: application.into_transfers(end, &ledger),
        total,
        steady: total.since(&counters(network.at_warmup, at_warmup.counters)),
        rtt: network.rtt,
        one_way: network.one_way,
        samples: network
            .samples
            .into_iter()
            .zip(samples)
            .map(|(network, sockets)| with_sockets(network, sockets))
            .collect(),
        ..blank
    }
}
