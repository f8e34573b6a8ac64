//! Runs the user's programs on the hosts of a scenario's network.

use super::flows::with_program_flows;
use super::records::flow_records;
use super::sampler::Sampler;
use super::set::{Beside, Ending, Program, ProgramSet};
use crate::emulator::{Classifier, EgressQueue, Progress, Session, Transit};
use crate::error::LiveError;
use crate::host::{self, Host, LoadedControllers};
use crate::plan::{HostMap, has_flows, names_of, plan};
use crate::run::{Extras, record};
use crate::sockets::Sockets;
use crate::tap::tap;
use crate::wire::WirePacket;
use narrows_measure::{Emulation, Follower, Histogram, Record};
use narrows_scenario::{NodeId, Scenario};
use narrows_units::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Problem if the kernel does not answer queries about connections.
const NO_SOCK_DIAG: &str = "the kernel does not tell of connections (sock_diag)";

/// Runs a program on a scenario's network until the program or the scenario ends, while `follower`
/// receives samples as in [`run_with`](crate::run_with). There is no warm-up, unless the program
/// replaces a flow ([`Beside::AllBut`]).
///
/// # Errors
///
/// The errors of [`run`](crate::run); also hosts that do not exist, and programs that cannot be
/// started.
pub fn run_program(
    scenario: &Scenario,
    program: &Program,
    extras: &Extras,
    progress: Progress<'_>,
    follower: &mut dyn Follower,
) -> Result<(Record, Ending), LiveError> {
    has_flows(scenario)?;
    let (whole, own) = with_program_flows(scenario, program.beside);
    let map = HostMap::of(&whole);
    let names = map.names(&whole);
    let find = |name: &Option<String>, default: &NodeId| match name {
        Some(name) => names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| no_host(name, &names.join(", "))),
        None => Ok(map.numbers.get(default).copied().unwrap_or(0)),
    };
    let replaced = if let Beside::AllBut(flow) = program.beside { Some(flow) } else { None };
    let first = &scenario.flows[replaced.map_or(0, |flow| flow.0)];
    if names.is_empty() {
        return Err(no_host(&scenario.nodes[first.from.0].name, "none"));
    }
    let on = find(&program.on, &first.from)?;
    let servers = program
        .servers
        .iter()
        .map(|(host, command)| Ok((find(host, &first.to)?, command.as_str())));
    let servers: Vec<(usize, &str)> = servers.collect::<Result<_, LiveError>>()?;
    let own_flows = Scenario { flows: Arc::new(whole.flows[..own].to_vec()), ..whole.clone() };
    let kernel = host::running()?;
    let mut plan = plan(&own_flows, &map.ends[..own], names.len(), &kernel)?;
    plan.mtu = plan.mtu.max(1500);
    // The controller of a replaced flow is not needed, because the program chooses its own.
    let preferred = if replaced.is_some() { &own_flows } else { scenario };
    let controllers = names_of(&mut plan.controllers, preferred, &kernel.controllers)?;
    let loaded = LoadedControllers::load(&plan.controllers, extras.replay)?;
    let not_by_default = match replaced {
        Some(_) => Vec::new(),
        None => prefer(&mut plan.sysctls, scenario, &controllers, &map.numbers),
    };
    let hosts = Host::all(&whole, &map, &plan)?;
    let mut sockets = Sockets::open(&own_flows, &hosts, &map.ends[..own], &plan)?;
    let mut sampler = Sampler::new(&hosts, &map.ends, own)
        .map_err(LiveError::system(NO_SOCK_DIAG, "see `narrows doctor`"))?;
    let ends = [("sender", &first.from), ("receiver", &first.to)];
    let further = ends.map(|(name, node)| (name, map.numbers.get(node).copied().unwrap_or(0)));
    let further = if replaced.is_some() { &further[..] } else { &[] };
    let programs = ProgramSet::new(program, &hosts, on, servers, further);
    let classifier = Classifier::new(map.ends.clone(), own);
    let (tap, mut spout) = tap(whole.flows.len(), follower);
    if follower.follows() {
        let mut blank = whole.blank_record::<Transit<WirePacket>>().finish();
        for pair in blank.flows[own..].chunks_mut(2) {
            match pair {
                [there, back] if there.name == back.name => back.name += ", back",
                _ => {}
            }
        }
        follower.begun(blank);
    }
    let progress: Progress<'_> = &mut |now| {
        spout.iter_mut().for_each(|spout| spout.pour(follower));
        progress(now)
    };
    let session = Session::run(
        &whole,
        &hosts,
        || EgressQueue::new(&classifier, &whole.flows),
        progress,
        &tap,
        |clock, go_on| {
            let running = AtomicBool::new(true);
            let both = || go_on() && running.load(Ordering::Relaxed);
            let controllers = narrows_control::Session::current();
            thread::scope(|scope| {
                let flows = scope.spawn(|| sockets.run(clock, &tap, &both));
                let samples = scope.spawn(|| {
                    let _controllers = controllers.enter();
                    sampler.run(clock, (whole.interval, whole.warmup), &tap, &both)
                });
                let ending = programs.run(&|| both() && !flows.is_finished());
                running.store(false, Ordering::Relaxed);
                flows.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                let sampled =
                    samples.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                sampled.map_err(LiveError::system(NO_SOCK_DIAG, "see `narrows doctor`"))?;
                Ok(ending)
            })
        },
    )?;
    let ending = session.traffic.as_ref().map_err(|(what, error)| LiveError::System {
        what: format!("{what} cannot be started"),
        error: io::Error::new(error.kind(), error.to_string()),
        remedy: "give a program that is in PATH, or its path",
    })?;
    let ended = session.emulated.ended;
    // Ignore the lateness of a thread without flows.
    let lateness = if own > 0 { &sockets.lateness } else { &Histogram::new() };
    let emulation =
        Emulation { replays: loaded.finish(), ..session.emulation(&whole, Vec::new(), lateness) };
    let ending = Ending { not_by_default, ..ending.clone() };
    let mut emulated = session.emulated;
    let network = emulated.flows.split_off(own);
    let duration = ended.since(Time::ZERO);
    let mut record =
        record(&Scenario { duration, ..own_flows.clone() }, emulated, sockets.finish(), emulation);
    record.changes.retain(|change| change.at <= ended);
    record.flows.extend(flow_records(
        &Scenario { duration, ..whole.clone() },
        own,
        network,
        sampler.finish(),
    ));
    Ok((record, ending))
}

fn no_host(name: &str, known: &str) -> LiveError {
    LiveError::NoHost { name: name.to_owned(), known: known.to_owned() }
}

/// Makes the controller of the first flow at each host the default of programs there, if the kernel
/// allows it as a default. Returns the controllers that it does not allow.
fn prefer(
    sysctls: &mut [BTreeMap<&'static str, String>],
    scenario: &Scenario,
    controllers: &[Option<String>],
    numbers: &BTreeMap<NodeId, usize>,
) -> Vec<String> {
    let allowed = narrows_kernel::allowed();
    let is_allowed = |name: &String| allowed.contains(name);
    for (flow, name) in scenario.flows.iter().zip(controllers).rev() {
        if let Some(name) = name.as_ref().filter(|name| is_allowed(name)) {
            for node in [flow.from, flow.to].iter().filter_map(|node| numbers.get(node)) {
                sysctls[*node].insert("ipv4/tcp_congestion_control", name.clone());
            }
        }
    }
    let others: BTreeSet<&String> =
        controllers.iter().flatten().filter(|name| !is_allowed(name)).collect();
    others.into_iter().cloned().collect()
}
