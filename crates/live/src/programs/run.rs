//! A scenario's network with the user's own programs on its hosts.

use crate::child::{self, Exit, Words};
use crate::classify::Lanes;
use crate::desk::FlowTally;
use crate::error::LiveError;
use crate::hosts::{Host, endpoints};
use crate::loans;
use crate::refuse::{Kernel, has_flows, plan};
use crate::run::{Extras, Progress, record};
use crate::sampler::{Sampler, Told};
use crate::sockets::Sockets;
use crate::stage::play;
use narrows_control::ENTRIES;
use narrows_measure::{Emulation, FlowCounters, FlowRecord, FlowSample, Record};
use narrows_scenario::{Change, Flow, FlowId, NodeId, Scenario, What};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What runs on the hosts.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments; `{NAME}` in them becomes the address of the host of this name.
    pub words: Vec<String>,
    /// Its host's name; `None` for the sender of the first flow.
    pub on: Option<String>,
    /// Commands for the shell that start before it and are stopped after it, each with its host's name; `None` for the receiver of the first flow.
    pub servers: Vec<(Option<String>, String)>,
    /// The scenario's flows run as well.
    pub with_flows: bool,
    /// Its standard output goes to standard error.
    pub to_stderr: bool,
}

/// How programs ended.
#[derive(Clone, Debug)]
pub struct Ending {
    /// The program itself.
    pub program: Exit,
    /// Commands of servers that did not last until the program ended, and how they ended.
    pub servers: Vec<(String, Exit)>,
}

/// What failed where connections cannot be asked about.
const UNTOLD: &str = "the kernel does not tell of connections (sock_diag)";

/// How long a server may take to listen.
const READY: Duration = Duration::from_secs(1);

/// Runs a program on a scenario's network until it ends or the scenario does. There is no warm-up.
///
/// # Errors
///
/// As [`run`](crate::run) has them; besides, hosts that do not exist and programs that cannot be started.
pub fn run_program(scenario: &Scenario, program: &Program, extras: &Extras, progress: Progress<'_>) -> Result<(Record, Ending), LiveError> {
    has_flows(scenario)?;
    let (whole, own) = with_lanes(scenario, program.with_flows);
    let places = endpoints(&whole);
    let names: Vec<String> = places.keys().map(|node| whole.nodes[node.0].name.clone()).collect();
    let find = |name: &Option<String>, usual: usize| match name {
        Some(name) => {
            names.iter().position(|own| own == name).ok_or_else(|| LiveError::NoHost { name: name.clone(), known: names.join(", ") })
        }
        None => Ok(usual),
    };
    let first = &scenario.flows[0];
    if names.is_empty() {
        return Err(LiveError::NoHost { name: scenario.nodes[first.from.0].name.clone(), known: "none".to_owned() });
    }
    let usual = |node: &NodeId| places.get(node).copied().unwrap_or(0);
    let on = find(&program.on, usual(&first.from))?;
    let servers: Vec<(usize, &str)> = program
        .servers
        .iter()
        .map(|(host, command)| Ok((find(host, usual(&first.to))?, command.as_str())))
        .collect::<Result<_, LiveError>>()?;
    let talking = Scenario { flows: whole.flows[..own].to_vec(), ..whole.clone() };
    let ends: Vec<(usize, usize)> = whole.flows.iter().map(|flow| (places[&flow.from], places[&flow.to])).collect();
    let kernel = Kernel::running()?;
    let mut terms = plan(&talking, &ends[..own], names.len(), &kernel)?;
    terms.mtu = terms.mtu.max(1500);
    let names_of_controllers = loans::names(&mut terms.loans, scenario, &kernel.controllers)?;
    let lent = loans::load(&terms.loans, extras)?;
    prefer(&mut terms.settings, scenario, &names_of_controllers, &places);
    let hosts: Vec<Host> =
        names.iter().enumerate().map(|(place, name)| Host::new(name, place as u16, &terms)).collect::<Result<_, LiveError>>()?;
    let mut sockets = Sockets::open(&talking, &hosts, &ends[..own], &terms)?;
    let mut sampler = Sampler::new(&hosts, &ends, own).map_err(LiveError::system(UNTOLD, "see `narrows doctor`"))?;
    let crew = Crew { program, hosts: &hosts, on, servers, environment: environment(&hosts), names: host_file(&hosts) };
    let lanes = Lanes::new(ends.clone(), own);
    let played = play(&whole, &hosts, &lanes, progress, |clock, go_on| {
        let working = AtomicBool::new(true);
        let both = || go_on() && working.load(Ordering::Relaxed);
        thread::scope(|scope| {
            let talk = scope.spawn(|| sockets.run(clock, &both));
            let watch = scope.spawn(|| sampler.run(clock, whole.interval, &both));
            let ending = crew.work(&|| both() && !talk.is_finished());
            working.store(false, Ordering::Relaxed);
            talk.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            let watched = watch.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            watched.map_err(LiveError::system(UNTOLD, "see `narrows doctor`"))?;
            Ok(ending)
        })
    })?;
    let ending = played.answer.as_ref().map_err(|(what, error)| LiveError::System {
        what: format!("{what} cannot be started"),
        error: io::Error::new(error.kind(), error.to_string()),
        remedy: "give a program that is in PATH, or its path",
    })?;
    let ended = played.seen.ended;
    let emulation = Emulation { replays: lent.finish(), ..played.emulation(&whole, Vec::new(), &sockets.lateness) };
    let mut seen = played.seen;
    let tallies = seen.tallies.split_off(own);
    let whole = Scenario { duration: ended.since(Time::ZERO), ..whole };
    let mut record = record(&Scenario { flows: whole.flows[..own].to_vec(), ..whole.clone() }, seen, sockets.finish(), emulation);
    record.changes.retain(|change| change.at <= ended);
    record.flows.extend(flows(&whole, own, tallies, sampler.finish()));
    Ok((record, ending.clone()))
}

/// The scenario with, behind its own flows if they are wanted, two for each pair of hosts that a flow connects: what programs send each way takes the ways of the
/// first flow between them. How many are its own comes with it.
fn with_lanes(scenario: &Scenario, with_flows: bool) -> (Scenario, usize) {
    let mut flows = if with_flows { scenario.flows.clone() } else { Vec::new() };
    let own = flows.len();
    // The lanes of a flow that has some, by its place.
    let mut lanes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate().filter(|(_, flow)| flow.controller.is_some()) {
        let pair = (flow.from.min(flow.to), flow.from.max(flow.to));
        if !pairs.contains(&pair) {
            pairs.push(pair);
            lanes.insert(index, flows.len());
            let there = Flow { controller: None, start: Time::ZERO, stop: None, ..flow.clone() };
            let back = Flow { from: flow.to, to: flow.from, route: flow.back.clone(), back: flow.route.clone(), ..there.clone() };
            flows.extend([there, back]);
        }
    }
    let several = pairs.len() > 1;
    for flow in &mut flows[own..] {
        let node = |id: NodeId| &scenario.nodes[id.0].name;
        flow.name = if several { format!("program {} to {}", node(flow.from), node(flow.to)) } else { "program".to_owned() };
    }
    let mut changes = Vec::new();
    for change in &scenario.changes {
        let What::Route { flow, route, back } = &change.what else {
            changes.push(change.clone());
            continue;
        };
        let mut push = |flow: usize, route: &[_], back: &[_]| {
            changes.push(Change { at: change.at, what: What::Route { flow: FlowId(flow), route: route.to_vec(), back: back.to_vec() } });
        };
        if with_flows {
            push(flow.0, route, back);
        }
        if let Some(lane) = lanes.get(&flow.0) {
            push(*lane, route, back);
            push(lane + 1, back, route);
        }
    }
    (Scenario { flows, changes, warmup: Span::ZERO, ..scenario.clone() }, own)
}

/// Lets programs that choose no controller have that of the first flow at their host, where the kernel gives it to everybody.
fn prefer(
    settings: &mut [BTreeMap<&'static str, String>],
    scenario: &Scenario,
    controllers: &[Option<String>],
    places: &BTreeMap<NodeId, usize>,
) {
    let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap_or_default();
    for (flow, name) in scenario.flows.iter().zip(controllers).rev() {
        if let Some(name) = name.as_ref().filter(|name| allowed.split_whitespace().any(|one| one == *name)) {
            for node in [flow.from, flow.to].iter().filter_map(|node| places.get(node)) {
                settings[*node].insert("ipv4/tcp_congestion_control", name.clone());
            }
        }
    }
}

/// Variables of the programs' environment: the address of each host.
fn environment(hosts: &[Host]) -> Vec<(String, String)> {
    let letters =
        |name: &str| name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect::<String>();
    hosts.iter().map(|host| (format!("NARROWS_ADDRESS_{}", letters(&host.name)), host.address(0, false).to_string())).collect()
}

fn host_file(hosts: &[Host]) -> String {
    let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
    let nameable = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    for host in hosts.iter().filter(|host| nameable(&host.name)) {
        text += &format!("{} {}\n{} {}\n", host.address(0, false), host.name, host.address(0, true), host.name);
    }
    text
}

/// What runs, and where.
struct Crew<'a> {
    program: &'a Program,
    hosts: &'a [Host],
    on: usize,
    servers: Vec<(usize, &'a str)>,
    environment: Vec<(String, String)>,
    names: String,
}

/// What could not be started, and why.
type Unstarted = (String, io::Error);

impl Crew<'_> {
    /// Starts all, waits for the program's end, and stops the servers.
    fn work(&self, go_on: &(dyn Fn() -> bool + Sync)) -> Result<Ending, Unstarted> {
        let serving = AtomicBool::new(true);
        thread::scope(|scope| {
            let mut started = Vec::new();
            for (place, command) in &self.servers {
                let words = self.words(["sh", "-c", command].map(str::to_owned).to_vec(), true);
                let before = listening(&self.hosts[*place]);
                let serving = &serving;
                let server = scope.spawn(move || child::run(&self.hosts[*place], &words, &|| serving.load(Ordering::Relaxed)));
                let asked = Instant::now();
                while !server.is_finished() && asked.elapsed() < READY && listening(&self.hosts[*place]) == before {
                    thread::sleep(Duration::from_millis(10));
                }
                started.push((*command, server));
            }
            let ended = child::run(&self.hosts[self.on], &self.words(self.program.words.clone(), self.program.to_stderr), go_on);
            let early: Vec<bool> = started.iter().map(|(_, server)| server.is_finished()).collect();
            serving.store(false, Ordering::Relaxed);
            let mut servers = Vec::new();
            for ((command, server), early) in started.into_iter().zip(early) {
                let exit = server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                let exit = exit.map_err(|error| (format!("the server \"{command}\""), error))?;
                if early {
                    servers.push((command.to_owned(), exit));
                }
            }
            let program = ended.map_err(|error| (format!("the program \"{}\"", self.program.words[0]), error))?;
            Ok(Ending { program, servers })
        })
    }

    /// With the hosts' addresses in the place of their names.
    fn words(&self, words: Vec<String>, to_stderr: bool) -> Words<'_> {
        let address = |word: String| {
            self.hosts.iter().fold(word, |word, host| word.replace(&format!("{{{}}}", host.name), &host.address(0, false).to_string()))
        };
        Words { words: words.into_iter().map(address).collect(), environment: &self.environment, names: &self.names, to_stderr }
    }
}

/// The ports where somebody listens on a host; none if the kernel does not tell.
fn listening(host: &Host) -> Vec<u16> {
    host.namespace.enter(|| crate::diagnosis::Diagnosis::open()?.listening()).unwrap_or_default()
}

/// What programs sent between each pair of hosts, in the direction of most of it.
fn flows(scenario: &Scenario, own: usize, tallies: Vec<FlowTally>, told: Vec<Told>) -> Vec<FlowRecord> {
    let mut records: Vec<FlowRecord> =
        scenario.flows[own..].iter().zip(tallies).zip(told).map(|((flow, tally), told)| lane(scenario, flow, tally, told)).collect();
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

fn lane(scenario: &Scenario, flow: &Flow, tally: FlowTally, told: Told) -> FlowRecord {
    let sample = |(network, kernel): (FlowSample, FlowSample)| {
        let FlowSample { rtt, arrived_wire, sent, dropped, goodput, .. } = network;
        FlowSample { rtt, arrived_wire, sent, dropped, goodput, ..kernel }
    };
    let total = FlowCounters { retransmitted: told.retransmitted, timeouts: told.timeouts, ..tally.counters };
    let named =
        |kernel: &str| ENTRIES.iter().find(|entry| entry.kernel == Some(kernel)).map_or(kernel.to_owned(), |entry| entry.name.to_owned());
    FlowRecord {
        name: flow.name.clone(),
        controller: told.controller.as_deref().map_or("none".to_owned(), named),
        start: Time::ZERO,
        end: None,
        completed: false,
        transfers: None,
        route: flow.route.iter().map(|id| id.0).collect(),
        mss: flow.transport.mss,
        base_rtt: scenario.base_rtt(flow),
        total,
        steady: total,
        rtt: tally.rtt,
        one_way: tally.one_way,
        samples: tally.samples.into_iter().zip(told.samples).map(sample).collect(),
    }
}
