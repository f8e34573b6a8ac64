//! Plans the run of a scenario on a kernel: each key becomes a setting, or is refused by name
//! before anything starts.

mod controller;
mod flow;
mod icn;
mod sysctl;
mod transport;

#[cfg(test)]
mod tests;

pub use icn::refuse_icn;
pub use sysctl::RECEIVE_BUFFERS;

use super::addresses::{MAX_CLASSES, MAX_HOSTS};
use super::kernel::Kernel;
use super::options::{Plan, RouteMetrics, SocketOptions};
use super::ports::MAX_FLOWS;
use crate::error::LiveError;
use crate::wire::DATAGRAM_HEADERS;
use controller::{Chosen, choose};
use flow::Request;
use narrows_scenario::{Arrivals, Flow, Frames, Scenario, Workload};
use sysctl::Sysctls;
use transport::{Tcp, tcp};

/// Smallest MTU of IPv6 (RFC 8200 section 5), for all hosts.
const MIN_MTU: u64 = 1280;

/// Refuses an information-centric scenario, which has no hosts of flows.
///
/// # Errors
///
/// The scenario is information-centric.
pub fn has_flows(scenario: &Scenario) -> Result<(), LiveError> {
    if scenario.icn.is_none() {
        return Ok(());
    }
    let problem = "programs of one's own run between hosts of flows, and there are none";
    Err(LiveError::refused(["icn"], problem, "leave the program out"))
}

/// Returns the kernel settings of a scenario. `ends` are the hosts of each flow; `hosts` is the
/// number of hosts.
///
/// # Errors
///
/// The first key that this kernel does not support, with a supported value.
pub fn plan(
    scenario: &Scenario,
    ends: &[(usize, usize)],
    hosts: usize,
    kernel: &Kernel,
) -> Result<Plan, LiveError> {
    // No `..` here, so that a new key does not compile until it is handled.
    let Scenario {
        flows,
        // Implemented by the run, the emulator and the sockets. The links are the simulator's,
        // with all their keys.
        duration: _,
        warmup: _,
        interval: _,
        seed: _,
        nodes: _,
        links: _,
        changes: _,
        // The timing of real hosts varies by itself.
        send_overhead: _,
        // Handled elsewhere.
        icn: _,
        // Used by reports only.
        name: _,
        expect: _,
    } = scenario;
    if flows.len() > MAX_FLOWS {
        let problem =
            format!("{} flows need as many ports, and there are {MAX_FLOWS}", flows.len());
        return Err(LiveError::refused(
            ["flow"],
            problem,
            "run fewer flows live, or simulate them all with narrows run",
        ));
    }
    if hosts > MAX_HOSTS {
        return Err(LiveError::refused(
            ["flow"],
            format!("{hosts} hosts are more than {MAX_HOSTS}"),
            "run a smaller network live",
        ));
    }
    let greatest = flows
        .iter()
        .map(|flow| (flow.transport.mss + flow.transport.headers).get())
        .max()
        .unwrap_or(0);
    let mut plan = Plan::plain(hosts, greatest.max(MIN_MTU) as u32);
    let mut sysctls = Sysctls::new(hosts);
    for (flow, ends) in flows.iter().zip(ends) {
        plan_flow(scenario, flow, *ends, kernel, &mut plan, &mut sysctls)?;
    }
    plan.sysctls = sysctls.changed();
    Ok(plan)
}

/// Adds the settings of a flow to a plan.
fn plan_flow<'a>(
    scenario: &Scenario,
    flow: &'a Flow,
    ends: (usize, usize),
    kernel: &'a Kernel,
    plan: &mut Plan,
    sysctls: &mut Sysctls<'a>,
) -> Result<(), LiveError> {
    let Flow {
        controller,
        transport,
        // Implemented by the hosts, the emulator and the applications.
        name: _,
        from: _,
        to: _,
        route: _,
        back: _,
        workload,
        stream: _,
        start: _,
        stop: _,
        pauses: _,
        saved,
    } = flow;
    let request = Request { flow, kernel };
    if saved.is_some() {
        let problem = "a kernel cannot be told what an earlier connection found on the path";
        return Err(request.refused("saved", problem, "leave it out, or take the simulator"));
    }
    if let Workload::Arrivals(Arrivals { reconnects: true, .. }) = workload {
        let problem = "a kernel's connection does not resume from what an earlier one has saved";
        let remedy = "leave reconnect out, or take the simulator";
        return Err(request.refused("workload", problem, remedy));
    }
    if let Workload::Frames(Frames { follows: Some(_), .. }) = workload {
        let problem = "a kernel does not tell an encoder what its controller allows";
        return Err(request.refused(
            "workload",
            problem,
            "leave min_rate and max_rate out, or take the simulator",
        ));
    }
    let Some(choice) = controller else {
        if transport.headers < DATAGRAM_HEADERS {
            let problem = format!("no datagram has headers of {}", transport.headers);
            let remedy = format!("give {DATAGRAM_HEADERS} for IPv4 and UDP, or more");
            return Err(request.refused("transport.headers", problem, remedy));
        }
        plan.flows.push(SocketOptions::default());
        return Ok(());
    };
    let Chosen { name, ecn, paced } = choose(&request, choice, &mut plan.controllers)?;
    let Tcp { v6, max_segment, receive_window, metrics, sysctls: asked } =
        tcp(&request, transport, plan.mtu)?;
    let class = class(&request, RouteMetrics { ecn, ..metrics }, &mut plan.classes)?;
    plan.flows.push(SocketOptions {
        controller: Some(name),
        paced,
        v6,
        max_segment,
        receive_window,
        class,
    });
    controller::check_routers(&request, scenario, choice)?;
    sysctls.add(&request, ends, asked)?;
    sysctls.add(&request, ends, controller::accurate_ecn(choice, kernel))
}

/// Returns the index of these route metrics among the classes, and adds them if they are new.
fn class(
    request: &Request<'_>,
    metrics: RouteMetrics,
    classes: &mut Vec<RouteMetrics>,
) -> Result<usize, LiveError> {
    if let Some(class) = classes.iter().position(|class| *class == metrics) {
        return Ok(class);
    }
    if classes.len() == MAX_CLASSES {
        let problem = format!("the flows differ in more than {MAX_CLASSES} ways");
        return Err(request.refused("transport", problem, "let more flows have the same settings"));
    }
    classes.push(metrics);
    Ok(classes.len() - 1)
}
